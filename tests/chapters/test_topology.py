"""Where the pages of the Topology Manager leave open what becomes of a pod, or leave it no way out."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from numa_conformance.conformance.pairs.topology import GPU, THREE, TOGETHER, TWO_FREE_EACH, WIDE, WITH_THREE, up
from numa_conformance.conformance.pairs.worlds import admitted, aligned, block, held, node, refused, resident

from numa_conformance.asking.generators.workloads import guaranteed, static_memory
from numa_conformance.chapters.topology import admission as topology_admission
from numa_conformance.chapters.topology import none_and_best_effort, restricted, single_numa_node
from numa_conformance.judging.world import World
from numa_conformance.wire.history.values import MemoryBits, NodeBits
from worlds import breaks

TOPOLOGY = "topology-manager/"
LARGE = guaranteed("p", 1, "30Gi")
"""Memory of two NUMA nodes: each has 16 CPUs and 28 or 24 GiB that are not in huge pages."""


def pinned(topology: str, *gib: int) -> World:
    """Describe a node with a pod of so many GiB on each of its NUMA nodes."""
    there = [
        resident(guaranteed(f"p{number}", 1, f"{size}Gi"), c=held("1", memory=[block("memory", size, number)]))
        for number, size in enumerate(gib)
        if size
    ]
    return node("two-nodes-hugepages-devices", static_memory(topology=topology), *there)


@pytest.mark.parametrize(
    ("world", "wanted"),
    [
        (pinned("best-effort"), guaranteed("p", 1, "60Gi")),
        (pinned("best-effort"), guaranteed("p", 33, "30Gi")),
        (pinned("restricted"), LARGE),
        (pinned("best-effort", 0, 1), LARGE),
    ],
    ids=["nowhere", "no CPUs", "another policy", "the other NUMA node serves alone"],
)
def test_best_effort_may_refuse_memory_that_cannot_be_had(world: World, wanted: dict[str, Any]) -> None:
    refusal = aligned(refused(world, wanted), "c", preferred=False)
    assert breaks(none_and_best_effort.admits_what_is_elsewhere, refusal) is None


@pytest.mark.parametrize("world", [TOGETHER, pinned("none", 0, 1)], ids=["too little left", "the other serves alone"])
def test_policy_none_may_refuse_memory_that_no_numa_nodes_give(world: World) -> None:
    assert breaks(none_and_best_effort.none_admits_what_is_elsewhere, refused(world, LARGE)) is None


@pytest.mark.parametrize(
    ("wanted", "kept"), [(guaranteed("p", 17, "1Gi"), None), (WIDE, False), (guaranteed("p", 17, "60Gi"), None)]
)
def test_memory_of_one_numa_node_with_cpus_of_two_may_be_refused(wanted: dict[str, Any], kept: bool | None) -> None:
    admission = admitted(pinned("restricted"), wanted)
    assert breaks(restricted.admits_what_several_nodes_hold, admission) is kept


def test_memory_that_no_numa_nodes_have_may_be_refused() -> None:
    refusal = refused(pinned("restricted"), guaranteed("p", 17, "60Gi"))
    assert breaks(restricted.admits_what_several_nodes_hold, refusal) is None


def test_memory_in_use_on_every_set_that_is_narrow_enough_is_refused() -> None:
    on_both = held("1", memory=[MemoryBits("memory", 10 << 30, NodeBits(0b11))])
    admission = admitted(pinned("restricted", 20, 20), guaranteed("q", 1, "10Gi"), c=on_both)
    assert breaks(restricted.refuses_what_nothing_prefers, admission) is True


@pytest.mark.parametrize(
    ("world", "wanted", "requirement"),
    [
        (up("single-numa-node"), WITH_THREE, "single-numa-node/refuses-what-no-node-holds"),
        (TWO_FREE_EACH, THREE, "restricted/refuses-what-nothing-prefers"),
    ],
)
def test_what_cannot_be_aligned_is_refused_for_that(world: World, wanted: dict[str, Any], requirement: str) -> None:
    other = replace(refused(world, wanted), reason="UnexpectedAdmissionError")
    assert breaks(TOPOLOGY + requirement, other) is True


def test_more_than_the_node_has_may_be_refused_for_that() -> None:
    other = replace(
        refused(up("single-numa-node"), guaranteed("p", 2, **{GPU: "5"})), reason="UnexpectedAdmissionError"
    )
    assert breaks(single_numa_node.refuses_what_no_node_holds, other) is False


def test_memory_is_narrow_where_nothing_is_aligned_too() -> None:
    requirement = "memory-manager/static/uses-the-fewest-numa-nodes"
    one, several = guaranteed("p", 1, "1Gi"), guaranteed("p", 1, "1Gi")
    several["spec"]["containers"].append({**several["spec"]["containers"][0], "name": "d"})
    on_0, on_1, on_both = (held("1", memory=[MemoryBits("memory", 1 << 30, NodeBits(nodes))]) for nodes in (1, 2, 3))
    assert breaks(requirement, admitted(pinned("none"), one, c=on_both)) is True
    assert breaks(requirement, admitted(pinned("none"), several, c=on_0, d=on_1)) is None


@pytest.mark.parametrize(("phase", "wrong"), [("Terminated", False), (None, None)])
def test_a_phase_is_the_word_of_the_page_or_not_told(phase: str | None, wrong: bool | None) -> None:
    refusal = replace(refused(up("single-numa-node"), WITH_THREE), phase=phase)
    assert breaks(topology_admission.refused_pods_are_terminated, refusal) is wrong


def test_a_message_may_say_more() -> None:
    message = "p: resources cannot be allocated with topology locality on any NUMA node"
    refusal = replace(refused(up("single-numa-node"), WITH_THREE), reason="TopologyAffinityError", message=message)
    assert breaks(topology_admission.says_what_cannot_be_aligned, refusal) is False
