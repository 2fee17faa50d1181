"""Which tests of the suite check which requirement, read from their marks without running them."""

import importlib.util
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from ...files import data_folder


@cache
def index_of_tests() -> dict[str, tuple[str, ...]]:
    """Return requirement id to its tests: ``host/test_reconcile.py::test_name``, parameters left out."""
    tests: dict[str, dict[str, None]] = {}
    for file, name, requirement, _ in _rows():
        tests.setdefault(requirement, {})[f"{file}::{name}"] = None
    return {requirement: tuple(names) for requirement, names in tests.items()}


def asked_by(requirement: str) -> tuple[str, ...]:
    """Return how a requirement is asked: by an ``example``, by ``histories``."""
    folders = {test.partition("/")[0] for test in index_of_tests().get(requirement, ())}
    return tuple(sorted({"histories" if folder == "histories" else "example" for folder in folders}))


@cache
def surfaces_of_tests() -> dict[str, frozenset[str]]:
    """Return requirement id to the surfaces that its tests ask, generated conversations not among them."""
    surfaces: dict[str, frozenset[str]] = {}
    for _, _, requirement, surfaces_of_test in _rows():
        surfaces[requirement] = surfaces.get(requirement, frozenset()) | surfaces_of_test
    return surfaces


@cache
def _rows() -> tuple[tuple[str, str, str, frozenset[str]], ...]:
    """Return file, test, requirement, and the surfaces that the file is marked with, of all tests."""
    root = Path(str(data_folder("conformance")))
    return tuple(
        (path.relative_to(root).as_posix(), name, requirement, _surfaces(module))
        for path in sorted(root.rglob("test_*.py"))
        for module in (vars(_module(path)),)
        for name, test in module.items()
        if name.startswith("test_")
        for requirement in _requirements(test)
    )


def _surfaces(module: Mapping[str, Any]) -> frozenset[str]:
    marks = module.get("pytestmark", [])
    arguments = (mark.args for mark in (marks if isinstance(marks, list) else [marks]) if mark.name == "surfaces")
    return frozenset(name for names in arguments for name in names)


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
