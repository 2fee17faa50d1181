"""Memory hints, allocation, reuse and release, rule by rule."""

from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.asking.generators.workloads import burstable, container, pod
from numa_conformance.errors import Refusal
from numa_conformance.kube import Pod
from numa_conformance.reference.managers.hint import NO_AFFINITY, Hint
from numa_conformance.reference.managers.memory import MemoryBlocks, NodeMemory, PinnedBlock, StaticMemoryManager
from numa_conformance.reference.managers.memory.charging import pod_amounts
from reference.managers.memory.scenarios import DOCUMENTED, GIB, asking, give, make_manager, used

Totals = dict[int, dict[str, tuple[int, int]]]


def _hints(manager: StaticMemoryManager, asked: Pod) -> list[tuple[int | None, bool]]:
    found = manager.hints(asked, asked.containers[0])
    assert found is not None
    return [tuple(hint) for hint in found["memory"]]


def _free(manager: StaticMemoryManager, resource: str = "memory") -> list[float]:
    return [node.tables[resource].free / GIB for node in manager.nodes.values()]


def _refusal(manager: StaticMemoryManager, asked: Pod, affinity: Hint) -> str:
    with pytest.raises(Refusal) as caught:
        give(manager, asked, affinity)
    assert caught.value.reason == "UnexpectedAdmissionError"
    return caught.value.message


def _sizes(manager: StaticMemoryManager, uid: str) -> dict[str, list[int]]:
    return {name: [one.bytes // GIB for one in blocks] for name, blocks in manager.blocks.by_pod.get(uid, {}).items()}


def test_a_request_that_one_node_can_hold_prefers_one_node():
    assert _hints(make_manager(10, 10), asking("a", 4)) == [(1, True), (2, True), (3, False)]


def test_a_group_is_offered_as_a_whole_and_never_preferred_to_a_small_request():
    manager = make_manager(10, 10)
    large = asking("large", 12)
    assert _hints(manager, large) == [(3, True)]
    give(manager, large, Hint(3, True))
    assert _free(manager) == [0, 8]
    assert [node.group for node in manager.nodes.values()] == [(0, 1), (0, 1)]
    assert _hints(manager, asking("small", 1)) == [(3, False)]


def test_a_node_in_use_alone_joins_no_group():
    manager = make_manager(10, 10, 10)
    give(manager, asking("a", 1), Hint(1, True))
    assert _hints(manager, asking("large", 12)) == [(6, True)]


def test_what_is_preferred_depends_on_the_empty_machine():
    manager = make_manager(10, 10)
    give(manager, asking("a", 6), Hint(1, True))
    assert _hints(manager, asking("b", 5)) == [(2, True)]
    assert _hints(make_manager(4, 10), asking("c", 5)) == [(2, True), (3, False)]


def test_all_resources_of_a_container_are_held_together_and_have_the_same_hints():
    manager = make_manager(4, 8, huge=2)
    asked = asking("a", 1, **{"hugepages-1Gi": "2Gi"})
    give(manager, asking("b", 1, **{"hugepages-1Gi": "1Gi"}), Hint(1, True))
    found = manager.hints(asked, asked.containers[0])
    assert found is not None
    assert found["memory"] == found["hugepages-1Gi"] == [Hint(2, True)]


def test_only_guaranteed_pods_have_their_memory_pinned():
    manager = make_manager(4, 4)
    shared = Pod.from_dict(burstable("a", 1, "1Gi"))
    assert manager.hints(shared, shared.containers[0]) is None
    assert manager.pod_hints(shared) is None
    give(manager, shared, Hint(1, True))
    assert manager.blocks.by_pod == {}


def test_a_container_that_has_memory_is_offered_what_it_has():
    manager = make_manager(10, 10)
    asked = asking("a", 4)
    give(manager, asked, Hint(2, True))
    assert _hints(manager, asked) == [(2, True)]
    changed = asking("a", 5)
    assert manager.hints(changed, changed.containers[0]) is None


def test_a_pod_of_two_containers_that_have_memory_gets_no_hint():
    manager = make_manager(10, 10)
    asked = Pod.from_dict(pod("a", [container(name, cpu="1", memory="1Gi") for name in ("c", "d")]))
    found = manager.pod_hints(asked)
    assert found is not None
    assert found["memory"] == [Hint(1, True), Hint(2, True), Hint(3, False)]
    give(manager, asked, Hint(1, True))
    assert manager.pod_hints(asked) is None


def test_a_page_size_that_no_node_has_fits_nowhere():
    manager = make_manager(4, 4, quirks=DOCUMENTED)
    asked = asking("a", 1, **{"hugepages-2Mi": "2Mi"})
    assert manager.hints(asked, asked.containers[0]) == {"memory": [], "hugepages-2Mi": []}


def test_nodes_are_filled_one_after_the_other():
    manager = make_manager(3, 5)
    give(manager, asking("a", 6), Hint(3, True))
    assert _free(manager) == [0, 2]
    assert [node.assignments for node in manager.nodes.values()] == [1, 1]
    assert manager.blocks.of("a", "c") == [PinnedBlock((0, 1), "memory", 6 * GIB)]


def test_without_affinity_the_best_hint_is_taken():
    manager = make_manager(2, 8)
    give(manager, asking("a", 4))
    assert manager.blocks.of("a", "c")[0].nodes == (1,)


def test_an_affinity_without_room_is_extended():
    manager = make_manager(10, 10)
    give(manager, asking("a", 12), Hint(1, False))
    assert manager.blocks.of("a", "c")[0].nodes == (0, 1)


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
    manager = used(*before)
    books = deepcopy(manager.nodes)
    message = _refusal(manager, asking("a", memory), affinity)
    assert message == f"Allocate failed due to [memorymanager] {said}, which is unexpected"
    assert manager.nodes == books


def test_a_block_on_one_node_is_never_refused_for_a_group():
    manager = used((12, 3))
    give(manager, asking("a", 1), Hint(2, False))
    assert [node.group for node in manager.nodes.values()] == [(0, 1), (1,)]


def test_apps_reuse_what_init_containers_leave():
    manager = make_manager(10, 10)
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
    manager = make_manager(10, 10)
    init = [container("init", cpu="1", memory="4Gi"), container("side", cpu="1", memory="3Gi", sidecar=True)]
    asked = Pod.from_dict(pod("a", [container("app", cpu="1", memory="3Gi")], init=init))
    give(manager, asked, Hint(1, True))
    assert manager.nodes[0].tables["memory"].reserved == 6 * GIB
    manager.container_starts(asked, asked.containers[0])
    assert set(_sizes(manager, "a")) == {"side", "app"}


def test_reuse_needs_the_same_mask():
    manager = make_manager(10, 10)
    described = pod("a", [container("app", cpu="1", memory="4Gi")], init=[container("init", cpu="1", memory="4Gi")])
    asked = Pod.from_dict(described)
    manager.allocate(asked, asked.init_containers[0], Hint(1, True))
    manager.allocate(asked, asked.containers[0], Hint(2, True))
    assert _free(manager) == [6, 6]


def test_memory_of_another_pod_may_return_to_another_node_of_the_group():
    manager = make_manager(10, 10)
    give(manager, asking("a", 12), Hint(3, True))
    give(manager, asking("b", 3), Hint(3, False))
    manager.release("a", "c")
    assert sum(_free(manager)) == 17
    assert [node.group for node in manager.nodes.values()] == [(0, 1), (0, 1)]
    manager.release("b", "c")
    assert _free(manager) == [10, 10]
    assert [node.group for node in manager.nodes.values()] == [(0,), (1,)]


def test_only_containers_that_are_gone_lose_their_memory():
    manager = used((4, 1), (2, 2))
    assert manager.remove_stale(lambda uid, name: uid == "before1")
    assert _free(manager) == [10, 8]
    assert not manager.remove_stale(lambda uid, name: uid == "before1")


def _over_groups(nodes: dict[int, NodeMemory]) -> Totals:
    """Per node, what is free and reserved over its group."""
    return {
        node: {
            name: (
                sum(nodes[cell].tables[name].free for cell in memory.group),
                sum(nodes[cell].tables[name].reserved for cell in memory.group),
            )
            for name in memory.tables
        }
        for node, memory in nodes.items()
    }


@given(st.lists(st.integers(1, 12), max_size=5), st.integers(1, 12))
def test_allocate_and_release_leave_the_books_as_they_were(before: list[int], memory: int):
    manager = make_manager(6, 6, 6)
    empty = deepcopy(manager.nodes)
    given_out = []
    for index, amount in enumerate(before):
        try:
            give(manager, asking(f"p{index}", amount))
            given_out.append(f"p{index}")
        except Refusal:
            continue
    was = deepcopy(manager.nodes)
    try:
        give(manager, asking("last", memory))
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
    assert manager.blocks == MemoryBlocks()


def test_what_only_init_containers_ask_for():
    """MEM-REQ-01, quirk init-only-types-are-dropped."""
    init = [container("init", memory="8Gi"), container("huge", memory="1Gi", other={"hugepages-2Mi": "2Mi"})]
    asked = Pod.from_dict(pod("a", [container("app", memory="4Gi"), container("idle", cpu="1")], init=init))
    assert pod_amounts(asked, drops_init_only=True) == {"memory": 8 * GIB}
    assert pod_amounts(asked, drops_init_only=False) == {"memory": 8 * GIB, "hugepages-2Mi": 2 << 20}
