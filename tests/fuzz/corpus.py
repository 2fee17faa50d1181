"""The inputs that fuzzing begins with, a file each; what was found once stays among them."""

from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"


def inputs(reader: str) -> list[Path]:
    return sorted(path for path in (CORPUS / reader).iterdir() if path.is_file())
