"""Which requirements the tests of checkers show to break, by answers written down or by planted allocators."""

from __future__ import annotations

from collections.abc import Mapping

from numa_conformance.suite.chapters.pairs import pairs
from numa_conformance.suite.judge.chapter import CHECKERS
from suite.checkers import (
    test_admissions,
    test_allocations,
    test_classes,
    test_device_alignment,
    test_memory_life,
    test_offered_hints,
    test_pools,
    test_scores,
    test_starts,
    test_wrong_starts,
)

_SUBJECTS = (
    test_admissions,
    test_device_alignment,
    test_memory_life,
)
_PLANTED = (
    test_allocations,
    test_classes,
    test_offered_hints,
    test_scores,
)

WRITTEN: Mapping[str, set[str]] = {
    "pairs": {check.requirement for check in CHECKERS if check.function in pairs()},
    **{tests.__name__.rpartition(".")[2]: set(tests.CASES) for tests in _SUBJECTS},
    **{tests.__name__.rpartition(".")[2]: {name for _, name in tests.PLANTED} for tests in _PLANTED},
    "test_starts": {name for name, *_ in test_starts.CASES},
    "test_wrong_starts": set().union(*(names for _, names in test_wrong_starts.BROKEN)),
    "test_pools": set(test_pools.CASES.values()),
}
"""Module of tests/suite/chapters to requirement ids."""
