"""Names are nouns of the field: they say what a thing is, not what happened to it."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "numa_conformance"  # a wheel has other folders beside the rooms
RIDDLES = {"told", "asked", "given", "own", "one", "beside", "whose", "said", "seen", "found", "kept", "fates", "tells"}
"""Participles and pronouns. What was told, to whom, of what? ``text``, ``request``, ``allocation`` say it."""
EXCEPTIONS = {"report/case.py:asked": "a field of report.json, which readers know"}
"""A file below the package, a colon and the name, to the reason why it stays."""
MOST_ONCE = 50
"""Public class names that may occur more than once: each side of a door has its own ``Pod``."""


def names(tree: ast.AST) -> Iterator[str]:
    """Yield every name that is defined, assigned, or an argument."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield name


def riddles(text: str) -> set[str]:
    """Return the names in a text of Python that are riddles."""
    return {name for name in names(ast.parse(text)) if name.strip("_").lower() in RIDDLES}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def _told(x): ...", {"_told"}),
        ("for one, cpu in pairs: given = cpu", {"one", "given"}),
        ("class Asked: ...", {"Asked"}),
        ("def answer(request, *, text): reservation = text", set()),
    ],
)
def test_what_is_a_riddle(text, expected):
    assert riddles(text) == expected


def test_no_name_is_a_riddle():
    found = {
        f"{file.relative_to(PACKAGE).as_posix()}:{name}"
        for file in PACKAGE.rglob("*.py")
        for name in riddles(file.read_text(encoding="utf-8"))
    }
    assert found == EXCEPTIONS.keys()


def test_no_file_is_named_by_a_riddle():
    assert [file.name for file in PACKAGE.rglob("*.py") if file.stem.strip("_") in RIDDLES] == []


def test_few_names_of_classes_occur_twice():
    classes = Counter(
        node.name
        for file in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert len([name for name, number in classes.items() if number > 1]) <= MOST_ONCE


def test_few_rooms_stand_at_the_top():
    rooms = {folder.name for folder in PACKAGE.iterdir() if (folder / "__init__.py").is_file()}
    assert len(rooms) <= 14, sorted(rooms)
