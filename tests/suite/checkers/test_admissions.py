"""Sentences of other chapters, until their pairs stand beside them."""

from __future__ import annotations

import pytest

from numa_conformance.suite.generators.workloads import guaranteed, static
from worlds import Case, admitted, breaks, held, node, refused

SINGLE = node("t3-two-numa-per-socket", static(topology="single-numa-node"))
WHOLE_CORES = node("t3-two-numa-per-socket", static("full-pcpus-only"))

CASES: dict[str, Case] = {
    "cpu-manager/full-pcpus-only/refuses-a-partial-core": (
        admitted(WHOLE_CORES, guaranteed("p", 3), c=held("1-2,17")),
        refused(WHOLE_CORES, guaranteed("p", 3)),
    ),
    "topology-manager/single-numa-node/gives-one-node": (
        admitted(SINGLE, guaranteed("p", 2), c=held("1,4")),
        admitted(SINGLE, guaranteed("p", 2), c=held("1,17")),
    ),
}


@pytest.mark.parametrize("requirement", CASES)
def test_each_checker_bites_and_spares(requirement: str) -> None:
    wrong, right = CASES[requirement]
    assert (breaks(requirement, wrong), breaks(requirement, right)) == (True, False)
