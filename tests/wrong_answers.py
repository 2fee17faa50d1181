"""Which requirements the tests of checkers show to break, by answers written down or by planted allocators."""

from __future__ import annotations

from collections.abc import Mapping

from numa_conformance.suite.chapters.pairs import pairs
from numa_conformance.suite.judge.chapter import CHECKERS
from suite.checkers import (
    test_admissions,
    test_alignment,
    test_allocations,
    test_beside,
    test_classes,
    test_cpu_choices,
    test_cpu_life,
    test_crashes,
    test_exclusive_cpus,
    test_hints,
    test_merges,
    test_offered_hints,
    test_pools,
    test_relations,
    test_scopes,
    test_scores,
    test_starts,
    test_state_files,
    test_wrong_starts,
)

_SUBJECTS = (
    test_admissions,
    test_alignment,
    test_cpu_choices,
    test_cpu_life,
    test_exclusive_cpus,
    test_scopes,
)
_PLANTED = (
    test_allocations,
    test_classes,
    test_hints,
    test_merges,
    test_offered_hints,
    test_relations,
    test_scores,
    test_state_files,
)

WRITTEN: Mapping[str, set[str]] = {
    "pairs": {check.requirement for check in CHECKERS if check.function in pairs()},
    **{tests.__name__.rpartition(".")[2]: set(tests.CASES) for tests in _SUBJECTS},
    **{tests.__name__.rpartition(".")[2]: {name for _, name in tests.PLANTED} for tests in _PLANTED},
    "test_starts": {name for name, *_ in (*test_starts.CASES, *test_starts.BESIDE_PLAIN)},
    "test_wrong_starts": set().union(*(names for _, names in test_wrong_starts.BROKEN)),
    "test_beside": set().union(*(names for _, names in (*test_beside.PHASES, *test_beside.MESSAGES))),
    "test_pools": set(test_pools.CASES.values()),
    "test_crashes": set().union(*(names for _, names in test_crashes.AFTER_A_CRASH)),
}
"""Module of tests/suite/chapters to requirement ids."""
