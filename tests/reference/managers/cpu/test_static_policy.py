import pytest

from numa_conformance.cpuset import format_bits
from numa_conformance.errors import Refusal
from numa_conformance.reference.managers.cpu import CpuAllocator, StaticPolicy
from numa_conformance.reference.managers.hint import Hint
from numa_conformance.sources.options import StaticOptions
from numa_conformance.sources.quirks import Quirks
from numa_conformance.sources.versions import DEFAULT
from reference.managers.cpu.golden_machines import golden
from reference.managers.cpu.workloads import admit, bits, pod, static


def gone(manager: StaticPolicy, uid: str) -> None:
    manager.remove_stale(lambda other, container: other != uid)


def test_the_documented_scenario_end_to_end() -> None:
    manager = static(golden("T1"), kubeReserved={"cpu": "500m"})
    assert admit(manager, pod("a", 2)) == {"c0": "1,5"}
    assert admit(manager, pod("b", 1)) == {"c0": "4"}
    assert manager.cpus_of("c", "c0") == bits("0,2-3,6-7")
    assert admit(manager, pod("d", 3)) == {"c0": "2-3,6"}
    with pytest.raises(Refusal) as refused:
        admit(manager, pod("e", 2))
    assert refused.value.reason == "UnexpectedAdmissionError"
    assert refused.value.message == (
        "Allocate failed due to not enough cpus available to satisfy request: requested=2, available=1, "
        "which is unexpected"
    )
    gone(manager, "a")
    assert format_bits(manager.state.default) == "0-1,5,7"


def test_the_scenario_with_whole_cores() -> None:
    manager = static(golden("T1"), "full-pcpus-only", kubeReserved={"cpu": "500m"})
    assert admit(manager, pod("a", 2)) == {"c0": "1,5"}
    with pytest.raises(Refusal) as odd:
        admit(manager, pod("b", 1))
    assert odd.value.message == "SMT Alignment Error: requested 1 cpus not multiple cpus per core = 2"
    assert admit(manager, pod("d", 4)) == {"c0": "2-3,6-7"}
    with pytest.raises(Refusal) as full:
        admit(manager, pod("e", 2))
    assert (full.value.reason, full.value.message) == (
        "SMTAlignmentError",
        "SMT Alignment Error: not enough free physical CPUs: available physical CPUs = 0, requested CPUs = 2, "
        "CPUs per core = 2",
    )


@pytest.mark.parametrize(
    ("options", "count", "mask", "taken"),
    [
        ((), 4, 0b10, "4-5,20-21"),
        ((), 4, None, "1-2,17-18"),
        ((), 10, 0b10, "1,4-7,17,20-23"),
        ((), 10, 0b1100, "8-12,24-28"),
        (("align-by-socket",), 4, 0b10, "1-2,17-18"),
        (("distribute-cpus-across-numa",), 10, 0b11, "1-6,17-18,20-21"),
        (("distribute-cpus-across-numa",), 4, 0b11, "4-5,20-21"),
    ],
)
def test_takes_from_the_hinted_nodes_first(options: tuple[str, ...], count: int, mask: int | None, taken: str) -> None:
    manager = static(golden("T3"), *options, reserved="0,16")
    assert admit(manager, pod("a", count), Hint(mask, True)) == {"c0": taken}


def test_only_whole_cpus_of_guaranteed_pods_are_exclusive() -> None:
    manager = static(golden("T1"), reserved="0")
    assert admit(manager, pod("a", "1500m", "2000m", "2.0")) == {"c1": "1,5", "c2": "2,6"}


def test_a_container_keeps_its_cpus_when_admitted_again() -> None:
    manager = static(golden("T1"), reserved="0")
    first = admit(manager, pod("a", 2, init=[1]))
    gone(manager, "b")
    assert admit(manager, pod("a", 2, init=[1])) == first


def test_reusable_cpus_belong_to_one_pod_at_a_time() -> None:
    manager = static(golden("T2"), reserved="0")
    admit(manager, pod("a", 2, init=[1, 3]))
    assert manager.reusable["a"]
    admit(manager, pod("b", 1))
    assert manager.reusable == {"b": 0}


def test_cpus_of_a_sidecar_are_not_offered_again() -> None:
    manager = static(golden("T1"), reserved="0")
    taken = admit(manager, pod("a", 2, init=[2], sidecars=[2]))
    assert taken["i0"] == taken["s0"] == "1,5"
    assert taken["c0"] == "2,6"


def test_cpus_that_a_sibling_holds_are_not_released_twice() -> None:
    manager = static(golden("T1"), reserved="0")
    admit(manager, pod("a", 2, init=[2]))
    manager.release("a", "i0")
    assert manager.state.default == bits("0,2-4,6-7")
    manager.release("a", "c0")
    assert manager.state.default == bits("0-7")
    manager.release("a", "c0")
    assert manager.state.default == bits("0-7")


def test_the_trace_tells_the_order_in_which_groups_were_taken() -> None:
    def traced(machine: str, options: StaticOptions, available: str, count: int) -> list[str]:
        trace: list[str] = []
        CpuAllocator.of(Quirks.of(DEFAULT).cpu)(golden(machine), options).allocate(bits(available), count, trace)
        return trace

    assert traced("T3", StaticOptions(), "1-15,18-31", 11) == [
        "NUMA node 1 whole",
        "core 2",
        "CPU 1 of partly used core 1",
    ]
    assert traced("T4", StaticOptions(prefer_align_cpus_by_uncorecache=True), "1-15,17-31", 10) == [
        "uncore cache 1 whole",
        "part of uncore cache 0",
        "core 1",
    ]
    assert traced("T3", StaticOptions(distribute_cpus_across_numa=True), "0-31", 9) == [
        "4 CPUs from NUMA node 0",
        "core 0",
        "core 1",
        "4 CPUs from NUMA node 1",
        "core 4",
        "core 5",
        "1 CPU from NUMA node 0",
        "CPU 2 of core 2",
    ]
    assert traced("T7", StaticOptions(distribute_cpus_across_cores=True), "2-7", 2) == ["CPU 2", "CPU 3"]


def test_an_allocation_can_carry_its_trace() -> None:
    manager = static(golden("T3"), reserved="0,16")
    one = pod("a", 10)
    trace: list[str] = []
    manager.allocate(one, one.container("c0"), Hint(0b10, False), trace)
    assert trace == ["NUMA node 1 whole", "core 1"]
