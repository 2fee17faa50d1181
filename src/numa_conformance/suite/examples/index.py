"""Which tests of the suite check which requirement, read from their marks without running them."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from ...machine.data_files import data_folder

__all__ = ["asked_by", "index_of_tests", "surfaces_of_tests"]


@cache
def index_of_tests() -> dict[str, tuple[str, ...]]:
    """Return requirement id to its tests: ``cpu/test_static.py::test_name``, parameters left out."""
    root = Path(str(data_folder("conformance")))
    by_requirement: dict[str, list[str]] = {}
    for path in sorted(root.rglob("test_*.py")):
        for name, test in vars(_module(path)).items():
            if name.startswith("test_"):
                for requirement in dict.fromkeys(_requirements(test)):
                    by_requirement.setdefault(requirement, []).append(f"{path.relative_to(root).as_posix()}::{name}")
    return {requirement: tuple(tests) for requirement, tests in by_requirement.items()}


def asked_by(requirement: str) -> tuple[str, ...]:
    """Return how a requirement is asked: by an ``example``, by a ``search`` at random, by ``conversations``."""
    folders = {test.partition("/")[0] for test in index_of_tests().get(requirement, ())}
    by_hand = folders - _BY_FOLDER.keys()
    return tuple(sorted({_BY_FOLDER[folder] for folder in folders & _BY_FOLDER.keys()} | {"example" for _ in by_hand}))


_BY_FOLDER = {"histories": "conversations", "searches": "search"}
"""What is not written out by hand, by its folder of the suite."""


@cache
def surfaces_of_tests() -> dict[str, frozenset[str]]:
    """Return requirement id to the surfaces that its tests ask, generated conversations not among them."""
    root = Path(str(data_folder("conformance")))
    surfaces: dict[str, frozenset[str]] = {}
    for path in sorted(root.rglob("test_*.py")):
        module = vars(_module(path))
        marks = module.get("pytestmark", [])
        asked = {
            name
            for mark in (marks if isinstance(marks, list) else [marks])
            if mark.name == "surfaces"
            for name in mark.args
        }
        for name, test in module.items():
            for requirement in _requirements(test) if name.startswith("test_") else ():
                surfaces[requirement] = surfaces.get(requirement, frozenset()) | asked
    return surfaces


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"numa_conformance_suite_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _requirements(test: Any) -> Iterator[str]:
    for mark in getattr(test, "pytestmark", ()):
        if mark.name == "requirement":
            yield from mark.args
        elif mark.name == "parametrize":
            for row in mark.args[1]:
                for inner in getattr(row, "marks", ()):
                    if inner.name == "requirement":
                        yield from inner.args
