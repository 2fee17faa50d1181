"""Texts that lie beside the modules which read them."""

from importlib.resources import files


def text_of(package: str, name: str) -> str:
    """Return ``name.txt`` of a package."""
    return files(package).joinpath(f"{name}.txt").read_text(encoding="utf-8")
