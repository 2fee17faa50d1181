"""What is different for a pod on two nodes."""

import pytest

from numa_conformance.machine import load_machine, machine_from_dict, machine_to_dict
from numa_conformance.reference.advice.what_if import is_aligned, numa_nodes, pod_change
from numa_conformance.reference.managers.cpu import CpuHolding
from numa_conformance.reference.managers.device import DeviceHolding
from numa_conformance.reference.managers.memory import MemoryHolding, PinnedBlock
from numa_conformance.reference.node import AdmissionResult, NodePools, Placement

NODES = load_machine("t3-two-numa-per-socket").numa_bits
NIC = "vendor.example/nic"
MACHINE = machine_from_dict(
    {
        **machine_to_dict(load_machine("t3-two-numa-per-socket")),
        "devices": [
            {"resource": NIC, "id": "near-1", "numa": [1]},
            {"resource": NIC, "id": "near-0-and-1", "numa": [0, 1]},
            {"resource": NIC, "id": "anywhere"},
        ],
    },
    "machine",
)


def first(count, node=0):
    """The lowest CPUs of a NUMA node."""
    cpus, bits = NODES[node], 0
    for _ in range(count):
        bits |= cpus & -cpus
        cpus &= cpus - 1
    return bits


def placed(cpus=0, memory=None, devices=None):
    holdings = {"cpus": CpuHolding(cpus)}
    if memory is not None:
        holdings["memory"] = MemoryHolding((PinnedBlock(memory, "memory", 1 << 30),))
    if devices is not None:
        holdings["devices"] = DeviceHolding({NIC: devices} if devices else {})
    return Placement(None, holdings)


def admitted(**containers):
    return AdmissionResult("u", "Guaranteed", NodePools(()), placements=containers)


def refused(reason):
    return AdmissionResult("u", "Guaranteed", NodePools(()), reason=reason, message="m")


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        (admitted(c=placed(first(2))), admitted(c=placed(first(2))), ()),
        (admitted(c=placed()), admitted(c=placed(devices=())), ()),
        (refused("A"), refused("A"), ()),
        (refused("A"), refused("B"), ("reason",)),
        (refused("A"), admitted(c=placed()), ("admitted",)),
        (admitted(c=placed()), refused("A"), ("refused",)),
        (admitted(c=placed()), admitted(c=placed(first(2))), ("pinned",)),
        (admitted(c=placed(first(2))), admitted(c=placed()), ("unpinned",)),
        (admitted(c=placed(first(2))), admitted(c=placed(first(2), memory=(0,))), ("pinned",)),
        (admitted(c=placed(first(2))), admitted(c=placed(first(2, 1))), ("moved",)),
        (admitted(c=placed(first(1) | first(1, 1))), admitted(c=placed(first(2))), ("moved", "aligned")),
        (admitted(c=placed(first(2), memory=(0,))), admitted(c=placed(first(2), memory=(1,))), ("moved", "unaligned")),
        (admitted(a=placed(first(2)), b=placed()), admitted(a=placed(), b=placed(first(2))), ("pinned", "unpinned")),
    ],
)
def test_each_change_has_a_name(before, after, changes):
    assert pod_change(MACHINE, before, after).changes == changes


@pytest.mark.parametrize(
    ("container", "aligned", "nodes"),
    [
        (placed(), None, ""),
        (placed(devices=("anywhere",)), None, ""),
        (placed(first(2, 1), devices=("near-1",)), True, "1"),
        (placed(first(2), devices=("near-1",)), False, "0-1"),
        (placed(first(2), devices=("near-0-and-1",)), True, "0"),
        (placed(first(2, 2), devices=("near-0-and-1",)), False, "2"),
        (placed(first(2), memory=(0, 1)), False, "0-1"),
    ],
)
def test_what_comes_from_one_numa_node_is_aligned(container, aligned, nodes):
    assert is_aligned(MACHINE, {"c": container}) is aligned
    assert numa_nodes(MACHINE, container) == nodes


def test_containers_of_a_pod_may_be_aligned_to_different_nodes():
    assert is_aligned(MACHINE, {"a": placed(first(2)), "b": placed(first(2, 1)), "c": placed()}) is True
