"""Memory over a node's life: pods come and go, and what must hold is checked after every step."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.machine import load_machine
from numa_conformance.pytest_plugin.run import Run
from numa_conformance.suite.examples.node_run import NodeRun, PodOnNode
from numa_conformance.suite.generators.workloads import guaranteed, static_memory

pytestmark = pytest.mark.surfaces("node")
requirement = pytest.mark.requirement

MI, HUGE = 1 << 20, "hugepages-2Mi"
MACHINE = load_machine("two-nodes-hugepages")
RESERVED = 356
"""In MiB, on NUMA node 0: 256 for kubeReserved and 100 for the eviction threshold."""
ROOM = {0: {"memory": (8192 - 512 - RESERVED) * MI, HUGE: 512 * MI}, 1: {"memory": (8192 - 512) * MI, HUGE: 512 * MI}}
"""What each NUMA node can give, in bytes: huge pages are no ordinary memory."""

Step = tuple[int, int, int]
"""Which pod to remove (counted from the end; 0: none), and the MiB of memory and of huge pages of the pod to admit."""


def steps(most: int) -> st.SearchStrategy[list[Step]]:
    """Return a strategy of lives in which pods of up to ``most`` quarters of a GiB come and go."""
    sizes = st.integers(1, most).map(lambda quarters: quarters * 256)
    huge = st.one_of(st.just(0), st.integers(1, 300).map(lambda pages: 2 * pages))
    return st.lists(st.tuples(st.integers(0, 3), sizes, huge), min_size=1, max_size=14)


@pytest.fixture
def huge_pages(conformance: Run) -> bool:
    """Return whether the target claims huge pages."""
    return "memory-manager/hugepages" in conformance.features


def only_memory(life: Sequence[Step], huge_pages: bool) -> list[Step]:
    """Return a life without huge pages, unless these may be asked for."""
    return [(gone, memory, huge if huge_pages else 0) for gone, memory, huge in life]


def live(node: NodeRun, policy: str, life: Sequence[Step], seen: Callable[[PodOnNode, dict[str, int]], None]) -> None:
    """Let pods come and go; ``seen`` is told each answer and the bytes asked for, or a removal as an empty request."""
    node.start(MACHINE, static_memory(policy, RESERVED))
    there: list[str] = []
    for index, (gone, memory, huge) in enumerate(life):
        if 0 < gone <= len(there):
            seen(node.remove(there.pop(-gone)), {})
        asked = {"memory": memory * MI, **({HUGE: huge * MI} if huge else {})}
        pages = {HUGE: f"{huge}Mi"} if huge else {}
        answer = node.try_admit(guaranteed(f"p{index}", "100m", f"{memory}Mi", **pages))
        if answer.admitted:
            there.append(answer.uid)
        seen(answer, asked)


@requirement("memory-manager/static/refuses-what-does-not-fit")
@given(life=steps(24))
def test_a_pod_is_admitted_just_when_one_numa_node_holds_it(
    new_node: Callable[[], NodeRun], huge_pages: bool, life: list[Step]
) -> None:
    node = new_node()
    free = {numa: dict(room) for numa, room in ROOM.items()}
    held: dict[str, tuple[int, dict[str, int]]] = {}

    def seen(answer: PodOnNode, asked: dict[str, int]) -> None:
        if not asked:
            numa, given_back = held.pop(answer.uid)
            for kind, amount in given_back.items():
                free[numa][kind] += amount
            return
        fits = [numa for numa, room in free.items() if all(amount <= room[kind] for kind, amount in asked.items())]
        why = f"{asked} is {'admitted' if answer.admitted else 'refused'} where {free} is free"
        node.check(answer.admitted == bool(fits), why, got=answer.answer, allowed="admitted" if fits else "refused")
        if answer.admitted:
            blocks = answer.memory()
            got = answer.amounts()
            node.check(got == asked, "the blocks are not what was asked for", got=got, allowed=asked)
            nodes = {numa for one in blocks for numa in one.nodes}
            node.check(len(nodes) == 1 and nodes <= set(fits), "the blocks are elsewhere", got=nodes, allowed=fits)
            (numa,) = nodes
            held[answer.uid] = (numa, asked)
            for kind, amount in asked.items():
                free[numa][kind] -= amount

    live(node, "single-numa-node", only_memory(life, huge_pages), seen)


@requirement("memory-manager/static/keeps-groups-apart")
@pytest.mark.departs("single-node-blocks-break-groups")
@given(life=steps(56))
def test_a_numa_node_serves_alone_or_in_one_group(
    new_node: Callable[[], NodeRun], huge_pages: bool, life: list[Step]
) -> None:
    node = new_node()
    held: dict[str, list[tuple[int, ...]]] = {}

    def seen(answer: PodOnNode, asked: dict[str, int]) -> None:
        held.pop(answer.uid, None)
        if asked and answer.admitted:
            held[answer.uid] = [tuple(sorted(one.nodes)) for one in answer.memory()]
        groups = sorted({nodes for blocks in held.values() for nodes in blocks})
        overlap = [(one, other) for one in groups for other in groups if one < other and set(one) & set(other)]
        node.check(not overlap, "NUMA nodes serve in several groups", got=overlap, allowed="none")

    live(node, "restricted", only_memory(life, huge_pages), seen)
