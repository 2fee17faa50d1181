"""A copy of the repository that a test changes as CONTRIBUTING.md tells, and asks in processes of its own.

What a recipe adds is put behind what is there, wherever that stands by now: behind the last field of a class, the last
entry of a table. So these tests need no change when somebody follows a recipe in earnest.
"""

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from processes import PATIENCE

ROOT = Path(__file__).parents[2]
_FILE = re.compile(r"`((?:src|conformance|tests|docs|fixtures|go|tox|CHANGELOG|pyproject)[\w./<>-]*)`")
Find = Callable[[ast.Module], ast.AST]
"""Finds the node behind which something is added."""


class House:
    """The copy. ``touched`` holds what was written, relative to the root of the repository."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.touched: set[str] = set()
        half_written = shutil.ignore_patterns("*.pyc.*")  # bytecode spares a second: what is copied keeps its time
        for copied in ("src", "conformance", "fixtures", "tests"):
            shutil.copytree(ROOT / copied, folder / copied, ignore=half_written)
        for copied in ("CHANGELOG.md", "CONTRIBUTING.md", "pyproject.toml"):
            shutil.copy(ROOT / copied, folder)

    def add(self, path: str, text: str, behind: Find | None = None) -> None:
        """Add a text behind what is found in a file; at its end where nothing is looked for."""
        before = (self.folder / path).read_text()
        if behind is None:
            self.write(path, before + text)
            return
        node = behind(ast.parse(before))
        lines = before.splitlines(keepends=True)
        line = lines[node.end_lineno - 1].encode()
        lines[node.end_lineno - 1] = (
            line[: node.end_col_offset] + text.encode() + line[node.end_col_offset :]
        ).decode()
        self.write(path, "".join(lines))

    def write(self, path: str, text: str) -> None:
        """Write a file."""
        (self.folder / path).write_text(text)
        self.touched.add(path)

    def change(self, path: str, before: str, after: str) -> None:
        """Replace a text that stands once in a file."""
        text = (self.folder / path).read_text()
        assert text.count(before) == 1, f"{path} holds {text.count(before)} times: {before}"
        self.write(path, text.replace(before, after))

    def run(self, *arguments: str) -> str:
        """Run Python on the changed tree; returns its output."""
        done = self._run(*arguments)
        assert done.returncode == 0, f"exit {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
        return done.stdout

    def complaint(self, *arguments: str) -> str:
        """Run what must be refused as wrong input; returns what it says of it."""
        done = self._run(*arguments)
        assert done.returncode == 2, f"exit {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
        return done.stderr

    def ask(self, *requirements: str, level: str = "documented", more: tuple[str, ...] = ()) -> str:
        """Ask the changed reference for requirements; returns what is printed."""
        named = [argument for requirement in requirements for argument in ("--numa-requirement", requirement)]
        return self.run(
            "-m", "pytest", "--numa-conformance", "--numa-level", level, *named, "-q", "-p", "no:cacheprovider", *more
        )

    def test(self, *arguments: str) -> str:
        """Run tests of ours in the changed tree; returns what is printed."""
        return self.run("-m", "pytest", *arguments, "-q", "-p", "no:cacheprovider")

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("COV_", "PYTEST_"))}
        environment |= {"PYTHONPATH": str(self.folder / "src"), "NO_COLOR": "1", "COLUMNS": "120"}
        return subprocess.run(
            [sys.executable, *arguments],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
            cwd=self.folder,
            env=environment,
        )


def last_method(name: str) -> Find:
    """Find the last method of a class."""
    return lambda tree: [node for node in _class(tree, name).body if isinstance(node, ast.FunctionDef)][-1]


def last_import(tree: ast.Module) -> ast.AST:
    """Find the last line of imports."""
    return [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)][-1]


def last_function(tree: ast.Module) -> ast.AST:
    """Find the last function."""
    return [node for node in tree.body if isinstance(node, ast.FunctionDef)][-1]


def last_entry(name: str) -> Find:
    """Find the last entry of the table that is given a name: the value of a dict, the element of a tuple."""

    def find(tree: ast.Module) -> ast.AST:
        value = next(
            node.value
            for node in tree.body
            if isinstance(node, ast.Assign | ast.AnnAssign)
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Name) and target.id == name
        )
        table = next(node for node in ast.walk(value) if isinstance(node, ast.Dict | ast.Tuple))
        return table.values[-1] if isinstance(table, ast.Dict) else table.elts[-1]

    return find


def last_argument(first: str) -> Find:
    """Find the last argument of the call that begins with a text."""
    return lambda tree: next(
        node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args and _is(node.args[0], first)
    ).args[-1]


def last_keyword(first: str) -> Find:
    """Find the last named argument of the call that begins with a text."""
    return lambda tree: next(
        node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args and _is(node.args[0], first)
    ).keywords[-1]


def _class(tree: ast.Module, name: str) -> ast.ClassDef:
    return next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)


def _is(node: ast.expr, text: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == text


def files_of_recipe(heading: str) -> list[str]:
    """Return the files that a recipe of CONTRIBUTING.md names, in its order; ``<option>`` stands for any name."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    section = text.split(f"\n### {heading}\n", 1)[1].split("\n### ", 1)[0].split("\n## ", 1)[0]
    return _FILE.findall(section.strip().split("\n\n", 1)[0])


def is_named(path: str, named: list[str]) -> bool:
    """Tell whether a recipe names a file."""
    return any(re.fullmatch(re.sub(r"<\w+>", r"[\\w-]+", name.replace(".", r"\.")), path) for name in named)
