"""CPUs and devices that are not aligned, each by one requirement, beside those that are."""

from __future__ import annotations

import pytest

from numa_conformance.suite.checkers import alignment
from numa_conformance.suite.judge.world import Held, World
from numa_conformance.suite.workloads import guaranteed, static
from worlds import Case, admitted, breaks, held, judged_in, node, refused

TOPOLOGY = "topology-manager/"
GPU = "example.com/gpu"
WITH_TWO, WITH_THREE = (guaranteed("p", 2, **{GPU: number}) for number in "23")


def up(topology: str, pool: str | None = None) -> World:
    """Describe a node of two NUMA nodes, 0-3,8-11 and 4-7,12-15, with the devices gpu-0, gpu-1 and gpu-2, gpu-3."""
    return node("two-nodes-devices", static(topology=topology), pool=pool)


def gives(cpus: str, *gpus: int) -> Held:
    return held(cpus, devices={GPU: [f"gpu-{number}" for number in gpus]})


SINGLE, BEST_EFFORT = up("single-numa-node"), up("best-effort")
FRAGMENTED = up("restricted", pool="0,1,9,4-5")

CASES: dict[str, Case] = {
    TOPOLOGY + "admission/admits-what-one-node-holds": (
        refused(SINGLE, WITH_TWO),
        admitted(SINGLE, WITH_TWO, c=gives("1,9", 0, 1)),
    ),
    TOPOLOGY + "single-numa-node/refuses-what-no-node-holds": (
        admitted(SINGLE, WITH_THREE, c=gives("1,9", 0, 1, 2)),
        refused(SINGLE, WITH_THREE),
    ),
    TOPOLOGY + "restricted/refuses-what-nothing-prefers": (
        admitted(FRAGMENTED, guaranteed("p", 3), c=held("1,4,9")),
        refused(FRAGMENTED, guaranteed("p", 3)),
    ),
    TOPOLOGY + "admission/keeps-together-what-one-node-holds": (
        admitted(BEST_EFFORT, WITH_TWO, c=gives("1,9", 2, 3)),
        admitted(BEST_EFFORT, WITH_TWO, c=gives("4,12", 2, 3)),
    ),
}


@pytest.mark.parametrize("requirement", CASES)
def test_each_checker_bites_and_spares(requirement: str) -> None:
    wrong, right = CASES[requirement]
    assert (breaks(requirement, wrong), breaks(requirement, right)) == (True, False)


def test_every_checker_has_a_case() -> None:
    """What nodes tell beside their answers is broken in test_offered_hints."""
    beside = {TOPOLOGY + "admission/uses-the-merged-hint", TOPOLOGY + "admission/refuses-what-is-not-admitted"}
    assert CASES.keys() | beside == judged_in(alignment)
