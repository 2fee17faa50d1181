from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.cpuset import CpuSet, iter_bits
from numa_conformance.machine.model import KubeletView
from numa_conformance.reference.managers.cpu import CpuTopology
from numa_conformance.reference.managers.cpu.topology import lowest
from reference.managers.cpu.golden_machines import golden, view_of
from reference.managers.cpu.random_machines import regular_views, tangled_views, uneven_views
from reference.managers.cpu.workloads import bits

VIEWS = st.one_of(regular_views(), uneven_views(), tangled_views())


def test_averages_are_rounded_down() -> None:
    uneven = golden("T1", without=frozenset({7}))
    assert (uneven.cpus_per_core, uneven.cpus_per_socket, uneven.cpus_per_uncore) == (1, 7, 7)
    assert not uneven.even
    empty = CpuTopology(view_of([]))
    assert (empty.cpus_per_core, empty.cpus_per_socket, empty.cpus_per_uncore) == (0, 0, 0)


def test_equal_views_share_one_topology() -> None:
    view = golden("T1").view
    assert CpuTopology.of(view) is CpuTopology.of(view)


def test_nodes_lead_unless_there_are_more_of_them_than_sockets() -> None:
    assert golden("T2").numa_first
    assert golden("T5").numa_first
    assert not golden("T3").numa_first


def test_finds_the_cpus_of_hinted_nodes_and_of_their_sockets() -> None:
    machine = golden("T3")
    assert machine.cpus_in_nodes(0b10) == bits("4-7,20-23")
    assert machine.cpus_in_sockets_of(0b10) == bits("0-7,16-23")
    assert machine.cpus_in_nodes(1 << 9) == machine.cpus_in_sockets_of(1 << 9) == 0


def test_counts_threads_on_machines_with_four_per_core() -> None:
    wide = CpuTopology(view_of([(c, 0, 0, c % 2, 0) for c in range(8)]))
    assert [str(CpuSet.from_bits(cores)) for cores in wide.cores_by_free(bits("0-2,4"))] == ["", "1", "", "0", ""]


@given(VIEWS, st.data())
def test_counts_the_free_threads_of_every_core(view: KubeletView, data: st.DataObject) -> None:
    machine = CpuTopology(view)
    free = CpuSet(data.draw(st.sets(st.sampled_from([cpu.id for cpu in view.cpus])))).bits
    found = {
        core: count for count, cores in enumerate(machine.cores_by_free(free)) if count for core in iter_bits(cores)
    }
    assert found == {core: (free & mask).bit_count() for core, mask in machine.cores.items() if free & mask}
    touched = machine.cores_touched(free)
    assert set(iter_bits(touched)) == set(found)
    assert machine.threads_of(touched) == sum(mask for mask in machine.cores.values() if free & mask)
    assert machine.whole_cores(free) == sum(mask for mask in machine.cores.values() if free & mask == mask)


@given(st.sets(st.integers(0, 300), min_size=1), st.data())
def test_picks_the_lowest(ids: set[int], data: st.DataObject) -> None:
    count = data.draw(st.integers(0, len(ids)))
    assert lowest(CpuSet(ids).bits, count) == CpuSet(sorted(ids)[:count]).bits
