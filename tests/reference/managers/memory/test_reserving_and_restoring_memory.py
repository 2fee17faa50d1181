"""Memory reservations, restored states, policy None, and the quirks of the Memory Manager."""

from typing import Any

import pytest

from numa_conformance.asking.generators.workloads import container, guaranteed, kubelet, pod
from numa_conformance.errors import StartError
from numa_conformance.kube import FeatureGates, KubeletConfiguration, Pod
from numa_conformance.reference.managers.hint import Hint
from numa_conformance.reference.managers.memory import (
    MemoryBlocks,
    NodeMemory,
    NoneMemoryManager,
    PinnedBlock,
    StaticMemoryManager,
    make_memory_manager,
)
from numa_conformance.sources.quirks.areas import MemoryQuirks
from reference.managers.memory.scenarios import DOCUMENTED, EXACT, GIB, asking, machine, made, make_manager, used


def test_a_state_that_fits_is_taken_over():
    manager, other = used((12, 3)), make_manager(10, 10)
    assert not other.restore(manager.nodes, manager.blocks)
    assert other.nodes == manager.nodes
    assert make_manager(10, 10).restore({}, MemoryBlocks())


def _start_error(manager: StaticMemoryManager, nodes: dict[int, NodeMemory], blocks: MemoryBlocks) -> str:
    with pytest.raises(StartError) as caught:
        manager.restore(nodes, blocks)
    assert caught.value.stage == "memorymanager-start"
    return caught.value.message.removeprefix("[memorymanager] ")


@pytest.mark.parametrize(
    ("block", "said"),
    [
        (
            PinnedBlock((7,), "memory", 1),
            "(pod: x, container: c) the memory assignment uses the NUMA that does not exist",
        ),
        (
            PinnedBlock((0,), "hugepages-2Mi", 1),
            "(pod: x, container: c) the memory assignment uses memory resource that does not exist",
        ),
        (PinnedBlock((0,), "memory", 1), "the expected machine state is different from the real one"),
    ],
)
def test_a_state_with_a_block_that_does_not_fit_is_refused(block: PinnedBlock, said: str):
    manager = used((4, 1))
    manager.blocks.give("x", "c", [block])
    assert _start_error(make_manager(10, 10), manager.nodes, manager.blocks) == said


def test_blocks_without_machine_state_are_refused():
    said = _start_error(make_manager(10, 10), {}, used((4, 1)).blocks)
    assert said == "machine state can not be empty when it has memory assignments"


@pytest.mark.parametrize("field", ["total", "system_reserved", "allocatable", "reserved", "free"])
def test_every_column_of_the_books_is_compared(field: str):
    manager = used((4, 1))
    setattr(manager.nodes[1].tables["memory"], field, 5)
    assert "different from the real one" in _start_error(make_manager(10, 10), manager.nodes, manager.blocks)


def test_bytes_may_have_moved_within_a_group():
    manager = used((12, 3))
    for node, moved in ((0, GIB), (1, -GIB)):
        manager.nodes[node].tables["memory"].free += moved
        manager.nodes[node].tables["memory"].reserved -= moved
    assert not make_manager(10, 10).restore(manager.nodes, manager.blocks)


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
        ({"evictionHard": {"memory.available": "0"}}, "[memorymanager] you should specify the system reserved memory"),
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
            machine(8 * GIB, 8 * GIB), KubeletConfiguration.from_dict(config), FeatureGates.build("1.32", {}), EXACT
        )
    assert caught.value.message == said


def test_the_reservation_of_the_documentation_is_split_over_nodes():
    reserved = [{"numaNode": 0, "limits": {"memory": "400Mi"}}, {"numaNode": 1, "limits": {"memory": "323Mi"}}]
    manager = made(
        machine(GIB, GIB), kubeReserved={"memory": "500Mi"}, systemReserved={"memory": "123Mi"}, reservedMemory=reserved
    )
    assert [node.tables["memory"].allocatable // 2**20 for node in manager.nodes.values()] == [624, 701]


def test_policy_none_has_no_opinion_and_keeps_no_books():
    config = KubeletConfiguration.from_dict(kubelet())
    manager = make_memory_manager(machine(GIB), config, FeatureGates.build("1.32", {}), EXACT)
    asked = asking("a", 1)
    assert isinstance(manager, NoneMemoryManager)
    assert manager.hints(asked, asked.containers[0]) is None
    assert (manager.nodes, manager.blocks.by_pod) == ({}, {})


@pytest.mark.parametrize(("quirks", "found"), [(EXACT, {}), (DOCUMENTED, {"memory": []})])
def test_no_memory_anywhere_is_no_opinion(quirks: MemoryQuirks, found: dict[str, list[Hint]]):
    asked = asking("a", 21)
    assert make_manager(10, 10, quirks=quirks).hints(asked, asked.containers[0]) == found


def test_huge_pages_cannot_be_reserved():
    limits = {"memory": "100Mi", "hugepages-1Gi": "1Gi"}
    reserved = [{"numaNode": 0, "limits": limits}]
    with pytest.raises(StartError, match='"1Gi" of type "hugepages-1Gi" is not equal to the value "0"'):
        made(machine(8 * GIB, huge=2), reservedMemory=reserved)
    manager = made(machine(8 * GIB, huge=2), DOCUMENTED, reservedMemory=reserved)
    assert manager.nodes[0].tables["hugepages-1Gi"].allocatable == GIB


@pytest.mark.parametrize(("quirks", "left"), [(EXACT, 2**64 - 50 * 2**20), (DOCUMENTED, 0)])
def test_memory_reservation_wraps(quirks: MemoryQuirks, left: int):
    reserved = [{"numaNode": 0, "limits": {"memory": "100Mi"}}]
    manager = made(machine(50 * 2**20, GIB), quirks, reservedMemory=reserved)
    assert manager.nodes[0].tables["memory"].allocatable == left


def wrapped() -> Any:
    """Make a manager whose first NUMA node has 50 MiB less than nothing to give, and the others 1 GiB each."""
    reserved = [{"numaNode": 0, "limits": {"memory": "100Mi"}}]
    return made(machine(50 * 2**20, GIB, GIB), EXACT, reservedMemory=reserved)


@pytest.mark.parametrize(
    ("mib", "masks"),
    [
        (900, [0b001, 0b010, 0b100, 0b011, 0b101, 0b110, 0b111]),
        (1500, [0b001, 0b110, 0b111]),
        (2000, [0b001, 0b110]),
        (2500, [0b001]),
    ],
)
def test_what_nodes_have_together_wraps_too(mib: int, masks: list[int]):
    asked = Pod.from_dict(guaranteed("a", 1, f"{mib}Mi"))
    hints = wrapped().hints(asked, asked.containers[0])["memory"]
    assert [hint.mask for hint in hints] == masks


@pytest.mark.parametrize(("quirks", "charged"), [(DOCUMENTED, 12), (EXACT, 4)])
def test_memory_given_back_is_charged_again(quirks: MemoryQuirks, charged: int) -> None:
    """An init container of 10 GiB has ended, and its pod of 2 GiB beside is admitted again before any other."""
    manager = make_manager(20, quirks=quirks)
    containers = [container("c", cpu="1", memory="2Gi")]
    wanted = Pod.from_dict(pod("p", containers, init=[container("i", cpu="1", memory="10Gi")]))
    init, app = wanted.all_containers
    manager.allocate(wanted, init, Hint(None, False))
    manager.allocate(wanted, app, Hint(0b1, True))
    manager.container_starts(wanted, app)
    manager.allocate(wanted, init, Hint(0b1, True))
    (memory,) = manager.nodes.values()
    assert memory.tables["memory"].reserved == charged * GIB
