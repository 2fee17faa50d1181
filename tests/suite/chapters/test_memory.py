"""What is judged of memory beyond the pairs of its chapters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from numa_conformance.suite.chapters.memory import hints as memory_hints
from numa_conformance.suite.chapters.memory import hints_pairs
from numa_conformance.suite.history.values import Affinity
from worlds import breaks


@pytest.mark.parametrize(
    ("offered", "broken"),
    [(None, True), ((Affinity(None, True),), True), ((Affinity(None, False),), False), ((), False)],
)
def test_neither_null_nor_any_node_says_that_too_little_memory_is_free(offered: Any, broken: bool):
    hints = replace(hints_pairs.guaranteed(20), offered={"memory": offered})
    assert breaks(memory_hints.every_type_counts, hints) is broken
