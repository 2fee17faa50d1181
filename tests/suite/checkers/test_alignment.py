"""CPUs and devices that are not aligned, each by one requirement, beside those that are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from numa_conformance.suite.chapters import alignment
from numa_conformance.suite.generators.workloads import guaranteed, static, static_memory
from numa_conformance.suite.history.values import Affinity, Aligned, Block
from numa_conformance.suite.judge.node_subjects import Admission
from numa_conformance.suite.judge.world import Held, World
from worlds import Case, admitted, breaks, held, judged_in, node, refused, resident

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

WIDE = guaranteed("p", 17, "30Gi")
"""CPUs and memory of two NUMA nodes: each has 16 CPUs, and 32 GiB of which 4 and 8 are huge pages."""


def pinned(topology: str) -> World:
    return node("two-nodes-hugepages-devices", static_memory(topology=topology))


def in_use(topology: str, *nodes: int) -> World:
    """Describe the same with a pod of 1 GiB on some NUMA nodes alone."""
    there = [resident(guaranteed(f"p{one}", 1, "1Gi"), c=narrow(one)) for one in nodes]
    return node("two-nodes-hugepages-devices", static_memory(topology=topology), *there)


def spread(*nodes: int) -> Held:
    return held("1-17", memory=[Block("memory", 30 << 30, sum(1 << one for one in nodes))])


def narrow(*nodes: int) -> Held:
    return held("1", memory=[Block("memory", 1 << 30, sum(1 << one for one in nodes))])


def unaligned(world: World, wanted: dict[str, Any]) -> Admission:
    return replace(refused(world, wanted), reason="TopologyAffinityError")


def on_node_0(admission: Admission) -> Admission:
    """Tell that nobody preferred NUMA node 0, to which the pod was aligned."""
    return replace(admission, alignments=(Aligned("c", (), Affinity(1, False), admit=True),))


LARGE = guaranteed("p", 1, "30Gi")
"""Memory of two NUMA nodes."""

CASES: dict[str, Case] = {
    TOPOLOGY + "best-effort/admits-unaligned-pods": (
        on_node_0(refused(pinned("best-effort"), LARGE)),
        on_node_0(admitted(pinned("best-effort"), LARGE, c=spread(0, 1))),
    ),
    TOPOLOGY + "restricted/admits-what-several-nodes-hold": (
        refused(pinned("restricted"), WIDE),
        admitted(pinned("restricted"), WIDE, c=spread(0, 1)),
    ),
    "memory-manager/static/uses-the-fewest-numa-nodes": (
        admitted(pinned("restricted"), guaranteed("p", 1, "1Gi"), c=narrow(0, 1)),
        admitted(pinned("restricted"), guaranteed("p", 1, "1Gi"), c=narrow(1)),
    ),
    TOPOLOGY + "admission/admits-what-one-node-holds": (
        refused(SINGLE, WITH_TWO),
        admitted(SINGLE, WITH_TWO, c=gives("1,9", 0, 1)),
    ),
    TOPOLOGY + "single-numa-node/refuses-what-no-node-holds": (
        admitted(SINGLE, WITH_THREE, c=gives("1,9", 0, 1, 2)),
        unaligned(SINGLE, WITH_THREE),
    ),
    TOPOLOGY + "restricted/refuses-what-nothing-prefers": (
        admitted(FRAGMENTED, guaranteed("p", 3), c=held("1,4,9")),
        unaligned(FRAGMENTED, guaranteed("p", 3)),
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


@pytest.mark.parametrize(
    ("world", "wanted"),
    [
        (pinned("best-effort"), guaranteed("p", 1, "60Gi")),
        (pinned("best-effort"), guaranteed("p", 33, "30Gi")),
        (pinned("restricted"), LARGE),
        (in_use("best-effort", 1), LARGE),
    ],
    ids=["nowhere", "no CPUs", "another policy", "the other NUMA node serves alone"],
)
def test_best_effort_may_refuse_memory_that_cannot_be_had(world: World, wanted: dict[str, Any]) -> None:
    assert breaks(TOPOLOGY + "best-effort/admits-unaligned-pods", on_node_0(refused(world, wanted))) is None


@pytest.mark.parametrize(("gib", "asked"), [("1", None), ("30", False), ("60", None)])
def test_what_needs_several_nodes_is_no_question_of_one(gib: str, asked: bool | None) -> None:
    """Memory of one NUMA node beside CPUs of two, and more memory than there is, may be refused."""
    wanted = guaranteed("p", 17, f"{gib}Gi")
    assert (
        breaks(TOPOLOGY + "restricted/admits-what-several-nodes-hold", admitted(pinned("restricted"), wanted)) is asked
    )


def test_memory_in_use_on_every_set_that_is_narrow_enough_is_refused() -> None:
    there = [
        resident(guaranteed(f"p{on}", 1, "20Gi"), c=held(memory=[Block("memory", 20 << 30, 1 << on)])) for on in (0, 1)
    ]
    full = node("two-nodes-hugepages-devices", static_memory(topology="restricted"), *there)
    wrong = admitted(full, guaranteed("q", 1, "10Gi"), c=held("1", memory=[Block("memory", 10 << 30, 3)]))
    assert breaks(TOPOLOGY + "restricted/refuses-what-nothing-prefers", wrong) is True


@pytest.mark.parametrize(
    ("world", "wanted", "requirement"),
    [
        (SINGLE, WITH_THREE, "single-numa-node/refuses-what-no-node-holds"),
        (FRAGMENTED, guaranteed("p", 3), "restricted/refuses-what-nothing-prefers"),
    ],
)
def test_what_cannot_be_aligned_is_refused_for_that(world: World, wanted: dict[str, Any], requirement: str) -> None:
    other = replace(refused(world, wanted), reason="UnexpectedAdmissionError")
    assert breaks(TOPOLOGY + requirement, other) is True


def test_more_than_the_node_has_may_be_refused_for_that() -> None:
    other = replace(refused(SINGLE, guaranteed("p", 2, **{GPU: "5"})), reason="UnexpectedAdmissionError")
    assert breaks(TOPOLOGY + "single-numa-node/refuses-what-no-node-holds", other) is False


def test_memory_is_narrow_where_nothing_is_aligned_too() -> None:
    requirement = "memory-manager/static/uses-the-fewest-numa-nodes"
    one, several = guaranteed("p", 1, "1Gi"), guaranteed("p", 1, "1Gi")
    several["spec"]["containers"].append({**several["spec"]["containers"][0], "name": "d"})
    assert breaks(requirement, admitted(pinned("none"), one, c=narrow(0, 1))) is True
    assert breaks(requirement, admitted(pinned("none"), several, c=narrow(0), d=narrow(1))) is None


def test_every_checker_has_a_case() -> None:
    """What nodes tell beside their answers is broken in test_offered_hints."""
    names = ("uses-the-merged-hint", "refuses-what-is-not-admitted", "aligns-init-containers-first")
    beside = {f"{TOPOLOGY}admission/{name}" for name in names}
    assert CASES.keys() | beside == judged_in(alignment)
