"""The Memory Manager rule by rule."""

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.errors import Refusal, StartError
from numa_conformance.kube import FeatureGates, KubeletConfiguration, Pod
from numa_conformance.machine import Machine, MemoryNode
from numa_conformance.managers.hint import NO_AFFINITY, Hint
from numa_conformance.managers.memory import (
    Block,
    Blocks,
    NodeMemory,
    NoneMemoryManager,
    StaticMemoryManager,
    make_memory_manager,
)
from numa_conformance.managers.quirks import quirks_for
from numa_conformance.suite.workloads import burstable, container, guaranteed, kubelet, pod

EXACT = quirks_for("1.32")
DOCUMENTED: frozenset[str] = frozenset()
GIB = 2**30
Totals = dict[int, dict[str, tuple[int, int]]]


def _made(machine: Machine, quirks: frozenset[str] = EXACT, **fields: Any) -> Any:
    config = KubeletConfiguration.from_dict(kubelet(memoryManagerPolicy="Static", **fields))
    return make_memory_manager(machine, config, FeatureGates.build("1.32", {}), quirks)


def _machine(*sizes: int, huge: int = 0) -> Machine:
    pages = {"1Gi": huge} if huge else {}
    return Machine("m", (), tuple(MemoryNode(node, size, pages) for node, size in enumerate(sizes)))


def _manager(*gib: int, huge: int = 0, quirks: frozenset[str] = EXACT) -> StaticMemoryManager:
    """Make a manager whose nodes have so many GiB of memory to give, beside huge pages of 1 GiB."""
    sizes = [(amount + huge) * GIB for amount in gib]
    sizes[-1] += 100 * 2**20
    reserved = [{"numaNode": len(gib) - 1, "limits": {"memory": "100Mi"}}]
    manager = _made(_machine(*sizes, huge=huge), quirks, reservedMemory=reserved)
    assert isinstance(manager, StaticMemoryManager)
    return manager


def _pod(uid: str, memory: int, **other: str) -> Pod:
    return Pod.from_dict(guaranteed(uid, 1, f"{memory}Gi", **other))


def _hints(manager: StaticMemoryManager, asked: Pod) -> list[tuple[int | None, bool]]:
    found = manager.hints(asked, asked.containers[0])
    assert found is not None
    return [tuple(hint) for hint in found["memory"]]


def _give(manager: StaticMemoryManager, asked: Pod, affinity: Hint = NO_AFFINITY) -> None:
    for one in asked.all_containers:
        manager.allocate(asked, one, affinity)


def _free(manager: StaticMemoryManager, resource: str = "memory") -> list[float]:
    return [node.tables[resource].free / GIB for node in manager.nodes.values()]


def _refusal(manager: StaticMemoryManager, asked: Pod, affinity: Hint) -> str:
    with pytest.raises(Refusal) as caught:
        _give(manager, asked, affinity)
    assert caught.value.reason == "UnexpectedAdmissionError"
    return caught.value.message


def _sizes(manager: StaticMemoryManager, uid: str) -> dict[str, list[int]]:
    return {name: [one.size // GIB for one in blocks] for name, blocks in manager.blocks.given.get(uid, {}).items()}


def test_a_request_that_one_node_can_hold_prefers_one_node():
    assert _hints(_manager(10, 10), _pod("a", 4)) == [(1, True), (2, True), (3, False)]


def test_a_group_is_offered_as_a_whole_and_never_preferred_to_a_small_request():
    manager = _manager(10, 10)
    large = _pod("large", 12)
    assert _hints(manager, large) == [(3, True)]
    _give(manager, large, Hint(3, True))
    assert _free(manager) == [0, 8]
    assert [node.cells for node in manager.nodes.values()] == [(0, 1), (0, 1)]
    assert _hints(manager, _pod("small", 1)) == [(3, False)]


def test_a_node_in_use_alone_joins_no_group():
    manager = _manager(10, 10, 10)
    _give(manager, _pod("a", 1), Hint(1, True))
    assert _hints(manager, _pod("large", 12)) == [(6, True)]


def test_what_is_preferred_depends_on_the_empty_machine():
    manager = _manager(10, 10)
    _give(manager, _pod("a", 6), Hint(1, True))
    assert _hints(manager, _pod("b", 5)) == [(2, True)]
    assert _hints(_manager(4, 10), _pod("c", 5)) == [(2, True), (3, False)]


def test_all_resources_of_a_container_are_held_together_and_have_the_same_hints():
    manager = _manager(4, 8, huge=2)
    asked = _pod("a", 1, **{"hugepages-1Gi": "2Gi"})
    _give(manager, _pod("b", 1, **{"hugepages-1Gi": "1Gi"}), Hint(1, True))
    found = manager.hints(asked, asked.containers[0])
    assert found is not None
    assert found["memory"] == found["hugepages-1Gi"] == [Hint(2, True)]


def test_only_guaranteed_pods_have_their_memory_pinned():
    manager = _manager(4, 4)
    shared = Pod.from_dict(burstable("a", 1, "1Gi"))
    assert manager.hints(shared, shared.containers[0]) is None
    assert manager.pod_hints(shared) is None
    _give(manager, shared, Hint(1, True))
    assert manager.blocks.given == {}


def test_a_container_that_has_memory_is_offered_what_it_has():
    manager = _manager(10, 10)
    asked = _pod("a", 4)
    _give(manager, asked, Hint(2, True))
    assert _hints(manager, asked) == [(2, True)]
    changed = _pod("a", 5)
    assert manager.hints(changed, changed.containers[0]) is None


def test_a_pod_of_two_containers_that_have_memory_gets_no_hint():
    manager = _manager(10, 10)
    asked = Pod.from_dict(pod("a", [container(name, cpu="1", memory="1Gi") for name in ("c", "d")]))
    found = manager.pod_hints(asked)
    assert found is not None
    assert found["memory"] == [Hint(1, True), Hint(2, True), Hint(3, False)]
    _give(manager, asked, Hint(1, True))
    assert manager.pod_hints(asked) is None


def test_a_page_size_that_no_node_has_fits_nowhere():
    manager = _manager(4, 4)
    asked = _pod("a", 1, **{"hugepages-2Mi": "2Mi"})
    assert manager.hints(asked, asked.containers[0]) == {}


def test_nodes_are_filled_one_after_the_other():
    manager = _manager(3, 5)
    _give(manager, _pod("a", 6), Hint(3, True))
    assert _free(manager) == [0, 2]
    assert [node.assignments for node in manager.nodes.values()] == [1, 1]
    assert manager.blocks.of("a", "c") == [Block((0, 1), "memory", 6 * GIB)]


def test_without_affinity_the_best_hint_is_taken():
    manager = _manager(2, 8)
    _give(manager, _pod("a", 4))
    assert manager.blocks.of("a", "c")[0].nodes == (1,)


def test_an_affinity_without_room_is_extended():
    manager = _manager(10, 10)
    _give(manager, _pod("a", 12), Hint(1, False))
    assert manager.blocks.of("a", "c")[0].nodes == (0, 1)


def _used(*pods: tuple[int, int]) -> StaticMemoryManager:
    """Two nodes of 10 GiB, with pods of so many GiB on masks."""
    manager = _manager(10, 10)
    for index, (memory, mask) in enumerate(pods):
        _give(manager, _pod(f"before{index}", memory), Hint(mask, True))
    return manager


@pytest.mark.parametrize(
    ("before", "memory", "affinity", "said"),
    [
        ([], 21, NO_AFFINITY, "failed to get the default NUMA affinity, no NUMA nodes with enough memory is available"),
        ([(12, 3)], 1, Hint(None, True), "failed to find the default preferred hint"),
        ([(9, 1)], 4, Hint(1, False), "failed to find NUMA nodes to extend the current topology hint"),
        ([(12, 3)], 1, Hint(1, True), "failed to find the extended preferred hint"),
        ([(1, 1)], 4, Hint(3, False), "preferred hint violates NUMA node allocation"),
    ],
)
def test_why_an_allocation_is_refused(before: list[tuple[int, int]], memory: int, affinity: Hint, said: str):
    manager = _used(*before)
    books = deepcopy(manager.nodes)
    message = _refusal(manager, _pod("a", memory), affinity)
    assert message == f"Allocate failed due to [memorymanager] {said}, which is unexpected"
    assert manager.nodes == books


def test_a_block_on_one_node_is_never_refused_for_a_group():
    manager = _used((12, 3))
    _give(manager, _pod("a", 1), Hint(2, False))
    assert [node.cells for node in manager.nodes.values()] == [(0, 1), (1,)]


def test_apps_reuse_what_init_containers_leave():
    manager = _manager(10, 10)
    asked = Pod.from_dict(
        pod(
            "a",
            [container("app-a", cpu="1", memory="6Gi"), container("app-b", cpu="1", memory="4Gi")],
            init=[container("init", cpu="1", memory="8Gi")],
        )
    )
    charged = []
    for one in asked.all_containers:
        manager.allocate(asked, one, Hint(1, True))
        charged.append((manager.nodes[0].tables["memory"].reserved // GIB, _sizes(manager, "a")["init"]))
    assert charged == [(8, [8]), (8, [2]), (10, [0])]
    assert _sizes(manager, "a") == {"init": [0], "app-a": [6], "app-b": [4]}
    assert manager.container_starts(asked, asked.containers[0])
    assert "init" not in _sizes(manager, "a")


def test_a_sidecar_takes_but_leaves_nothing():
    manager = _manager(10, 10)
    init = [container("init", cpu="1", memory="4Gi"), container("side", cpu="1", memory="3Gi", sidecar=True)]
    asked = Pod.from_dict(pod("a", [container("app", cpu="1", memory="3Gi")], init=init))
    _give(manager, asked, Hint(1, True))
    assert manager.nodes[0].tables["memory"].reserved == 6 * GIB
    manager.container_starts(asked, asked.containers[0])
    assert set(_sizes(manager, "a")) == {"side", "app"}


def test_reuse_needs_the_same_mask():
    manager = _manager(10, 10)
    described = pod("a", [container("app", cpu="1", memory="4Gi")], init=[container("init", cpu="1", memory="4Gi")])
    asked = Pod.from_dict(described)
    manager.allocate(asked, asked.init_containers[0], Hint(1, True))
    manager.allocate(asked, asked.containers[0], Hint(2, True))
    assert _free(manager) == [6, 6]


def test_memory_of_another_pod_may_return_to_another_node_of_the_group():
    manager = _manager(10, 10)
    _give(manager, _pod("a", 12), Hint(3, True))
    _give(manager, _pod("b", 3), Hint(3, False))
    manager.release("a", "c")
    assert sum(_free(manager)) == 17
    assert [node.cells for node in manager.nodes.values()] == [(0, 1), (0, 1)]
    manager.release("b", "c")
    assert _free(manager) == [10, 10]
    assert [node.cells for node in manager.nodes.values()] == [(0,), (1,)]


def test_only_containers_that_are_gone_lose_their_memory():
    manager = _used((4, 1), (2, 2))
    assert manager.remove_stale(lambda uid, name: uid == "before1")
    assert _free(manager) == [10, 8]
    assert not manager.remove_stale(lambda uid, name: uid == "before1")


def _over_groups(nodes: dict[int, NodeMemory]) -> Totals:
    """Per node, what is free and reserved over its group."""
    return {
        node: {
            name: (
                sum(nodes[cell].tables[name].free for cell in memory.cells),
                sum(nodes[cell].tables[name].reserved for cell in memory.cells),
            )
            for name in memory.tables
        }
        for node, memory in nodes.items()
    }


@given(st.lists(st.integers(1, 12), max_size=5), st.integers(1, 12))
def test_allocate_and_release_leave_the_books_as_they_were(before: list[int], memory: int):
    manager = _manager(6, 6, 6)
    empty = deepcopy(manager.nodes)
    given_out = []
    for index, amount in enumerate(before):
        try:
            _give(manager, _pod(f"p{index}", amount))
            given_out.append(f"p{index}")
        except Refusal:
            continue
    was = deepcopy(manager.nodes)
    try:
        _give(manager, _pod("last", memory))
    except Refusal:
        assert manager.nodes == was
    for node in manager.nodes.values():
        assert all(table.allocatable == table.reserved + table.free for table in node.tables.values())
    manager.release("last", "c")
    assert [node.assignments for node in manager.nodes.values()] == [node.assignments for node in was.values()]
    assert _over_groups(manager.nodes) == _over_groups(was)
    for uid in given_out:
        manager.release(uid, "c")
    assert manager.nodes == empty
    assert manager.blocks == Blocks()


def test_a_state_that_fits_is_taken_over():
    manager, other = _used((12, 3)), _manager(10, 10)
    assert not other.restore(manager.nodes, manager.blocks)
    assert other.nodes == manager.nodes
    assert _manager(10, 10).restore({}, Blocks())


def _start_error(manager: StaticMemoryManager, nodes: dict[int, NodeMemory], blocks: Blocks) -> str:
    with pytest.raises(StartError) as caught:
        manager.restore(nodes, blocks)
    assert caught.value.stage == "memorymanager-start"
    return caught.value.message.removeprefix("[memorymanager] ")


@pytest.mark.parametrize(
    ("block", "said"),
    [
        (Block((7,), "memory", 1), "(pod: x, container: c) the memory assignment uses the NUMA that does not exist"),
        (
            Block((0,), "hugepages-2Mi", 1),
            "(pod: x, container: c) the memory assignment uses memory resource that does not exist",
        ),
        (Block((0,), "memory", 1), "the expected machine state is different from the real one"),
    ],
)
def test_a_state_with_a_block_that_does_not_fit_is_refused(block: Block, said: str):
    manager = _used((4, 1))
    manager.blocks.give("x", "c", [block])
    assert _start_error(_manager(10, 10), manager.nodes, manager.blocks) == said


def test_blocks_without_machine_state_are_refused():
    said = _start_error(_manager(10, 10), {}, _used((4, 1)).blocks)
    assert said == "machine state can not be empty when it has memory assignments"


@pytest.mark.parametrize("field", ["total", "system_reserved", "allocatable", "reserved", "free"])
def test_every_column_of_the_books_is_compared(field: str):
    manager = _used((4, 1))
    setattr(manager.nodes[1].tables["memory"], field, 5)
    assert "different from the real one" in _start_error(_manager(10, 10), manager.nodes, manager.blocks)


def test_bytes_may_have_moved_within_a_group():
    manager = _used((12, 3))
    for node, moved in ((0, GIB), (1, -GIB)):
        manager.nodes[node].tables["memory"].free += moved
        manager.nodes[node].tables["memory"].reserved -= moved
    assert not _manager(10, 10).restore(manager.nodes, manager.blocks)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (
            {"reservedMemory": [{"numaNode": 5, "limits": {"memory": "100Mi"}}]},
            "the reserved memory configuration references a NUMA node 5 that does not exist on this machine",
        ),
        (
            {"reservedMemory": [{"numaNode": 0, "limits": {"memory": "1Gi"}}]},
            'the total amount "1Gi" of type "memory" is not equal to the value "100Mi" '
            "determined by Node Allocatable feature",
        ),
        (
            {},
            'the total amount "0" of type "memory" is not equal to the value "100Mi" '
            "determined by Node Allocatable feature",
        ),
        (
            {"evictionHard": {"memory.available": "0"}},
            "[memorymanager] you should specify the system reserved memory",
        ),
        (
            {
                "evictionHard": {"memory.available": "0"},
                "kubeReserved": {"memory": "1.5Gi"},
                "reservedMemory": [{"numaNode": 0, "limits": {"memory": "1.5Gi"}}],
            },
            "could not covert a variable of type Quantity to int64",
        ),
    ],
)
def test_why_a_reservation_is_refused(fields: dict[str, Any], said: str):
    config = kubelet(memoryManagerPolicy="Static") | fields
    with pytest.raises(StartError) as caught:
        make_memory_manager(
            _machine(8 * GIB, 8 * GIB), KubeletConfiguration.from_dict(config), FeatureGates.build("1.32", {}), EXACT
        )
    assert caught.value.message == said


def test_the_reservation_of_the_documentation_is_split_over_nodes():
    reserved = [{"numaNode": 0, "limits": {"memory": "400Mi"}}, {"numaNode": 1, "limits": {"memory": "323Mi"}}]
    manager = _made(
        _machine(GIB, GIB),
        kubeReserved={"memory": "500Mi"},
        systemReserved={"memory": "123Mi"},
        reservedMemory=reserved,
    )
    assert [node.tables["memory"].allocatable // 2**20 for node in manager.nodes.values()] == [624, 701]


def test_policy_none_has_no_opinion_and_keeps_no_books():
    config = KubeletConfiguration.from_dict(kubelet())
    manager = make_memory_manager(_machine(GIB), config, FeatureGates.build("1.32", {}), EXACT)
    asked = _pod("a", 1)
    assert isinstance(manager, NoneMemoryManager)
    assert manager.hints(asked, asked.containers[0]) is None
    assert (manager.nodes, manager.blocks.given) == ({}, {})


@pytest.mark.parametrize(("quirks", "found"), [(EXACT, {}), (DOCUMENTED, {"memory": []})])
def test_no_memory_anywhere_is_no_opinion(quirks: frozenset[str], found: dict[str, list[Hint]]):
    asked = _pod("a", 21)
    assert _manager(10, 10, quirks=quirks).hints(asked, asked.containers[0]) == found


def test_huge_pages_cannot_be_reserved():
    limits = {"memory": "100Mi", "hugepages-1Gi": "1Gi"}
    reserved = [{"numaNode": 0, "limits": limits}]
    with pytest.raises(StartError, match='"1Gi" of type "hugepages-1Gi" is not equal to the value "0"'):
        _made(_machine(8 * GIB, huge=2), reservedMemory=reserved)
    manager = _made(_machine(8 * GIB, huge=2), DOCUMENTED, reservedMemory=reserved)
    assert manager.nodes[0].tables["hugepages-1Gi"].allocatable == GIB


@pytest.mark.parametrize(("quirks", "left"), [(EXACT, 2**64 - 50 * 2**20), (DOCUMENTED, 0)])
def test_memory_reservation_wraps(quirks: frozenset[str], left: int):
    reserved = [{"numaNode": 0, "limits": {"memory": "100Mi"}}]
    manager = _made(_machine(50 * 2**20, GIB), quirks, reservedMemory=reserved)
    assert manager.nodes[0].tables["memory"].allocatable == left
