"""Where the Memory Manager crashes the kubelet, and what comes of it by the documentation."""

import pytest

from numa_conformance.errors import KubeletCrashes
from numa_conformance.machine import Machine, MemoryNode
from numa_conformance.reference.managers.hint import NO_AFFINITY, Hint
from numa_conformance.reference.managers.memory import StaticMemoryManager
from reference.managers.memory.scenarios import EXACT, GIB, asking, give, made

RESERVED = [{"numaNode": 0, "limits": {"memory": "100Mi"}}]


def manager(*nodes: MemoryNode, without: str = "") -> StaticMemoryManager:
    quirks = EXACT.without(without) if without else EXACT
    made_manager = made(Machine("m", (), nodes), quirks, reservedMemory=RESERVED)
    assert isinstance(made_manager, StaticMemoryManager)
    return made_manager


def test_missing_page_size_crashes() -> None:
    nodes = MemoryNode(0, 4 * GIB), MemoryNode(1, 4 * GIB, {"1Gi": 2})
    asked = asking("a", 1, **{"hugepages-1Gi": "1Gi"})
    exact = manager(*nodes)
    for ask in (
        lambda: exact.hints(asked, asked.containers[0]),
        lambda: exact.pod_hints(asked),
        lambda: give(exact, asked),
    ):
        with pytest.raises(KubeletCrashes, match="NUMA node 0 does not know hugepages-1Gi") as raised:
            ask()
        assert raised.value.quirk == "missing-page-size-crashes"
    assert exact.blocks.by_pod == {}
    fixed = manager(*nodes, without="missing-page-size-crashes")
    give(fixed, asked, Hint(2, True))
    assert [block.nodes for block in fixed.blocks.of("a", "c")] == [(1,), (1,)]
    listed = manager(MemoryNode(0, 4 * GIB, {"1Gi": 0}), nodes[1])
    assert listed.hints(asked, asked.containers[0])


def test_memory_of_node_past_63_crashes() -> None:
    nodes = MemoryNode(0, 4 * GIB), MemoryNode(64, 4 * GIB)
    asked = asking("a", 1)
    with pytest.raises(KubeletCrashes, match="NUMA node 64 fits in no mask"):
        give(manager(*nodes), asked, NO_AFFINITY)
    fixed = manager(*nodes, without="memory-of-node-past-63-crashes")
    give(fixed, asked, NO_AFFINITY)
    assert [block.nodes for block in fixed.blocks.of("a", "c")] == [(0,)]


def test_restart_with_uneven_page_sizes_crashes() -> None:
    quirk = "restart-with-uneven-page-sizes-crashes"
    nodes = MemoryNode(0, 2 * GIB), MemoryNode(1, 4 * GIB, {"1Gi": 1})
    before = manager(*nodes)
    give(before, asking("a", 3), Hint(3, True))
    with pytest.raises(KubeletCrashes, match="NUMA node 0 does not know hugepages-1Gi, which node 1") as raised:
        manager(*nodes).restore(before.nodes, before.blocks)
    assert raised.value.quirk == quirk
    fixed = manager(*nodes, without=quirk)
    fixed.restore(before.nodes, before.blocks)
    assert fixed.nodes == before.nodes
    one_node = manager(*nodes)
    give(one_node, asking("a", 1), Hint(1, True))
    manager(*nodes).restore(one_node.nodes, one_node.blocks)
