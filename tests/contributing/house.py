"""A copy of the source tree that a test changes as CONTRIBUTING.md tells, and asks in a process of its own."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
_FILE = re.compile(r"`((?:src|conformance|tests|docs|fixtures|CHANGELOG)[\w./<>-]*)`")


class House:
    """The copy. ``touched`` holds what was written, relative to the root of the repository."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.touched: set[str] = set()
        ignored = shutil.ignore_patterns("__pycache__", "*.pyc")
        shutil.copytree(ROOT / "src", folder / "src", ignore=ignored)
        for shipped in ("conformance", "fixtures"):
            shutil.copytree(ROOT / shipped, folder / shipped, ignore=ignored)

    def change(self, path: str, before: str, after: str) -> None:
        """Replace a text that stands once in a file."""
        text = (self.folder / path).read_text()
        assert text.count(before) == 1, f"{path} holds {text.count(before)} times: {before}"
        self.write(path, text.replace(before, after))

    def write(self, path: str, text: str) -> None:
        """Write a file."""
        (self.folder / path).write_text(text)
        self.touched.add(path)

    def run(self, *arguments: str) -> str:
        """Run Python on the changed tree; returns its output."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("COV_")}
        environment |= {"PYTHONPATH": str(self.folder / "src"), "NO_COLOR": "1", "COLUMNS": "120"}
        done = subprocess.run(
            [sys.executable, *arguments],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            cwd=self.folder,
            env=environment,
        )
        assert done.returncode == 0, f"exit {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
        return done.stdout


def files_of_recipe(heading: str) -> list[str]:
    """Return the files that a recipe of CONTRIBUTING.md names, in its order; ``<option>`` stands for any name."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    section = text.split(f"\n### {heading}\n", 1)[1].split("\n### ", 1)[0].split("\n## ", 1)[0]
    steps = [line for line in section.splitlines() if re.match(r"\d+\. ", line)]
    return [path for step in steps for path in _FILE.findall(step)]


def is_named(path: str, named: list[str]) -> bool:
    """Tell whether a recipe names a file."""
    return any(re.fullmatch(re.sub(r"<\w+>", r"[\\w-]+", name.replace(".", r"\.")), path) for name in named)
