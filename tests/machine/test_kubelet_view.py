import pytest
from hypothesis import given

from numa_conformance.asking.strategies import machines
from numa_conformance.machine import Cpu, Machine, MemoryNode, derive_view, load_machine


def uncore_ids(name, **options):
    return {row.uncore for row in derive_view(load_machine(name), **options).cpus}


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("aws-graviton4-48xlarge", {0, 1}),  # one L3 a node: the socket
        ("amd-siena-8434p-l3-as-numa", {0}),  # L3 = NUMA node: the socket, over all its nodes
        ("amd-naples-7451", set(range(16))),  # smaller than the node: itself
        ("snc2-small", {0, 1}),  # larger than the node: itself
        ("guest-socket-per-cpu", set(range(8))),  # no cache: the socket
        ("uneven-nodes", {0, 1}),  # node-wide ones fall together with cache 0
    ],
)
def test_the_kubelet_sees_a_node_wide_cache_as_the_socket(name, seen):
    assert uncore_ids(name) == seen


def test_true_caches_are_the_hardware_s():
    assert uncore_ids("amd-siena-8434p-l3-as-numa", node_wide_cache_is_no_uncore_cache=False) == set(range(8))


@given(machine=machines())
def test_a_core_is_called_by_its_lowest_cpu(machine):
    view = derive_view(machine)
    for row in view.cpus:
        core = next(bits for bits in machine.core_bits if bits >> row.id & 1 and row.numa == _numa(machine, row.id))
        assert row.core == (core & -core).bit_length() - 1
    assert view.num_cpus == len(machine.cpus)
    assert view.num_cores == len(machine.core_bits)


def _numa(machine, cpu):
    return next(one.numa for one in machine.cpus if one.id == cpu)


def test_a_cpu_of_unknown_core_is_skipped():
    machine = Machine("m", (Cpu(0, None, 0, 0), Cpu(1, 0, 0, 0)), (MemoryNode(0, None),))
    assert [row.id for row in derive_view(machine).cpus] == [1]
