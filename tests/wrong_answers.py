"""Which requirements the tests of checkers show to break, by answers written down or by planted allocators."""

from __future__ import annotations

from collections.abc import Mapping

from exported import test_judging
from numa_conformance.suite.chapters import REQUIREMENTS
from numa_conformance.suite.chapters.pairs import pairs
from numa_conformance.suite.judge.chapter import CHECKERS
from suite.checkers import (
    test_allocations,
    test_starts,
    test_wrong_starts,
)

_PLANTED = (test_allocations,)

WRITTEN: Mapping[str, set[str]] = {
    "test_judging": {
        id for id in REQUIREMENTS for part, _ in test_judging.FAULTS.values() if id.startswith(f"exporter/{part}/")
    },
    "pairs": {check.requirement for check in CHECKERS if check.function in pairs()},
    **{tests.__name__.rpartition(".")[2]: set(tests.CASES) for tests in _SUBJECTS},
    **{tests.__name__.rpartition(".")[2]: {name for _, name in tests.PLANTED} for tests in _PLANTED},
    "test_starts": {name for name, *_ in test_starts.CASES},
    "test_wrong_starts": set().union(*(names for _, names in test_wrong_starts.BROKEN)),
}
"""Module of tests/suite/chapters to requirement ids."""
