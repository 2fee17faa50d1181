"""For each quirk one input on which it matters: what the kubelet does, and what is documented."""

import pytest

from numa_conformance.cpuset import format_bits
from numa_conformance.errors import KubeletFails, Refusal, StartError
from numa_conformance.kube import FeatureGates, Pod
from numa_conformance.machine.catalogue import load_machine
from numa_conformance.machine.model import Cpu, Machine, MemoryNode, derive_view
from numa_conformance.reference.managers.cpu import CpuAllocator, CpuTopology
from numa_conformance.reference.managers.hint import Hint
from numa_conformance.sources.options import StaticOptions
from numa_conformance.sources.quirks import Quirks
from numa_conformance.sources.quirks.areas import CpuQuirks, NodeQuirks
from numa_conformance.sources.versions import KubernetesVersion
from reference.managers.cpu.golden_machines import golden, view_of
from reference.managers.cpu.workloads import DOCUMENTED, EXACT, admit, bits, pod, static


def without(quirk: str) -> CpuQuirks:
    assert quirk in EXACT.showing()
    return EXACT.without(quirk)


def picks(machine: CpuTopology, options: StaticOptions, available: str, count: int, quirk: str) -> tuple[str, str]:
    """Return what is taken with the quirk, and without it."""
    exact, fixed = (
        format_bits(CpuAllocator.of(quirks)(machine, options).allocate(bits(available), count))
        for quirks in (EXACT, without(quirk))
    )
    return exact, fixed


def test_reservation_by_allocator() -> None:
    uneven = golden("T2", without=frozenset({1}))
    quirk = "reservation-by-allocator"
    amount = {"kubeReserved": {"cpu": "2"}}
    assert format_bits(static(uneven, **amount).reserved) == "3,7"
    assert format_bits(static(uneven, quirks=without(quirk), **amount).reserved) == "0,6"


def test_zero_reservation_undetermined() -> None:
    with pytest.raises(StartError, match=r"\[cpumanager\] unable to determine reserved CPU resources"):
        static(golden("T1"))
    with pytest.raises(StartError, match=r"\[cpumanager\] the static policy requires .* to be greater than zero"):
        static(golden("T1"), quirks=without("zero-reservation-undetermined"))


@pytest.mark.parametrize("other", ["distribute-cpus-across-cores", "distribute-cpus-across-numa"])
def test_undocumented_incompatible_options(other: str) -> None:
    options = "prefer-align-cpus-by-uncorecache", other
    with pytest.raises(StartError, match=f"{options[0]} and {other} can not be used at the same time"):
        static(golden("T3"), *options, reserved="0")
    fixed = static(golden("T3"), *options, reserved="0", quirks=without("undocumented-incompatible-options"))
    assert admit(fixed, pod("a", 4))["c0"]


def test_spread_by_cpu_id() -> None:
    spread = StaticOptions(distribute_cpus_across_cores=True)
    assert picks(golden("T7"), spread, "2-7", 2, "spread-by-cpu-id") == ("2-3", "2,4")
    assert picks(golden("T2"), spread, "1-11", 6, "spread-by-cpu-id") == ("1,3,5,7,9,11", "1-6")


def test_full_by_machine_average() -> None:
    machine = golden("T1", without=frozenset({7}))
    assert picks(machine, StaticOptions(), "1-6", 2, "full-by-machine-average") == ("0,4", "1,5")


def test_overlapping_groups_taken_twice() -> None:
    tangled = CpuTopology(view_of([(0, 1, 0, 0, 0), (1, 2, 0, 1, 0), (2, 1, 2, 2, 0), (3, 1, 1, 3, 0)]))
    exact, fixed = picks(tangled, StaticOptions(), "0-3", 3, "overlapping-groups-taken-twice")
    assert exact == "0-1"
    assert len(fixed.split("-")) > 1
    assert bits(fixed).bit_count() == 3


def test_cores_gathered_across_nodes() -> None:
    """Node 0 has 8 cores of one thread and node 1 has 8 of two: the kubelet begins with the smaller one."""
    rows = [(cpu, 0, 0, cpu, 0) for cpu in range(8)] + [(cpu, 1, 1, 8 + cpu % 8, 1) for cpu in range(8, 24)]
    topology = CpuTopology(view_of(rows))
    exact, fixed = picks(topology, StaticOptions(), "0-23", 10, "cores-gathered-across-nodes")
    assert (exact, fixed) == ("0-8,16", "8-12,16-20")


def test_uncore_odd_size_unaligned() -> None:
    uncore = StaticOptions(prefer_align_cpus_by_uncorecache=True)
    quirk = "uncore-odd-size-unaligned"
    assert picks(golden("T4"), uncore, "1-15,17-31", 7, quirk) == ("1-4,17-19", "4-7,20-22")
    at_1_34 = CpuAllocator.of(Quirks.of(KubernetesVersion(1, 34)).cpu)(golden("T4"), uncore)
    assert format_bits(at_1_34.allocate(bits("1-15,17-31"), 7)) == "4-7,20-22"


def test_an_even_size_of_cores_of_four_threads_leaves_no_thread_over() -> None:
    """As the kubelet of 1.34 answers: 6 of the 7 CPUs of two cores are not its exact step, 5 of 6 are."""
    topology = CpuTopology(derive_view(load_machine("four-sockets-smt4")))
    at_1_34 = CpuAllocator.of(Quirks.of(KubernetesVersion(1, 34)).cpu)(
        topology, StaticOptions(prefer_align_cpus_by_uncorecache=True)
    )
    assert format_bits(at_1_34.allocate(bits("1-63"), 6)) == "1-2,4-7"


@pytest.mark.parametrize(("minor", "taken"), [(33, "2-4"), (34, "4-6")])
def test_an_odd_size_leaves_a_thread_of_a_core_that_has_more_than_the_average(minor: int, taken: str) -> None:
    """Seven threads on two cores are three on average: one core is looked for, and has four."""
    cpus = tuple(Cpu(cpu, cpu // 4, 0, 0, cpu // 4) for cpu in range(1, 8))
    topology = CpuTopology(derive_view(Machine("m", cpus, (MemoryNode(0, 2**30),), offline=(0,))))
    uncore = StaticOptions(prefer_align_cpus_by_uncorecache=True)
    allocator = CpuAllocator.of(Quirks.of(KubernetesVersion(1, minor)).cpu)(topology, uncore)
    assert format_bits(allocator.allocate(bits("2-7"), 3)) == taken


def test_uncore_half_used_core_unaligned() -> None:
    uncore = StaticOptions(prefer_align_cpus_by_uncorecache=True)
    assert picks(golden("T4"), uncore, "1-15,18-31", 4, "uncore-half-used-core-unaligned") == ("4-5,20-21", "2-3,18-19")


def test_uncore_after_larger_groups() -> None:
    """Two caches of 8 and of 16 CPUs: the larger one can hold 16."""
    topology = CpuTopology(derive_view(load_machine("amd-ryzen-ai-9-hx-370"), node_wide_cache_is_no_uncore_cache=True))
    uncore = StaticOptions(prefer_align_cpus_by_uncorecache=True)
    exact, fixed = picks(topology, uncore, "0-23", 16, "uncore-after-larger-groups")
    assert (exact, fixed) == ("0-7,12-19", "4-11,16-23")


def test_node_wide_cache_is_no_uncore_cache() -> None:
    cpus = tuple(Cpu(id=c, core=c % 4, socket=0, numa=c // 4, uncore=c // 4) for c in range(8))
    machine = Machine("two nodes, a cache each", cpus, (MemoryNode(0, None), MemoryNode(1, None)))
    uncore = StaticOptions(prefer_align_cpus_by_uncorecache=True)
    taken = []
    for quirk in (True, False):
        topology = CpuTopology(derive_view(machine, node_wide_cache_is_no_uncore_cache=quirk))
        taken.append(format_bits(CpuAllocator.of(EXACT)(topology, uncore).allocate(bits("2-7"), 3)))
    assert taken == ["2-4", "4-6"]


def test_distribution_of_single_node_requests() -> None:
    across = StaticOptions(distribute_cpus_across_numa=True)
    quirk = "distribution-of-single-node-requests"
    assert picks(golden("T3"), across, "1-15,17-31", 4, quirk) == ("4-5,20-21", "1-2,17-18")


def test_distribution_aliasing() -> None:
    across = StaticOptions(distribute_cpus_across_numa=True)
    assert picks(golden("T6"), across, "0-31", 16, "distribution-aliasing") == ("0-11,28-31", "0-15")


def test_distribution_hang() -> None:
    rows = [(c, c // 6, c // 12, c // 2 * 2, c // 6) for c in range(24)]
    machine = CpuTopology(view_of(rows))
    options = "full-pcpus-only", "distribute-cpus-across-numa"
    exact = static(machine, *options, reserved="0,6")
    for uid in ("a", "b"):
        admit(exact, pod(uid, 2))
    before = exact.state.copy()
    with pytest.raises(KubeletFails, match="never answers"):
        admit(exact, pod("c", 14))
    assert exact.state == before
    fixed = static(machine, *options, reserved="0,6", quirks=without("distribution-hang"))
    for uid, count in (("a", 2), ("b", 2), ("c", 14)):
        assert bits(admit(fixed, pod(uid, count))["c0"]).bit_count() == count


def test_align_by_socket_leaves_hinted_nodes() -> None:
    quirk = "align-by-socket-leaves-hinted-nodes"
    on_node_1 = Hint(0b10, True)
    exact = static(golden("T3"), "align-by-socket", reserved="0,16")
    fixed = static(golden("T3"), "align-by-socket", reserved="0,16", quirks=without(quirk))
    assert admit(exact, pod("a", 4), on_node_1) == {"c0": "1-2,17-18"}
    assert admit(fixed, pod("a", 4), on_node_1) == {"c0": "4-5,20-21"}


def test_align_by_socket_only_adds_hints() -> None:
    def preferred(quirks: CpuQuirks) -> list[int | None]:
        one = pod("a", 10)
        manager = static(golden("T3"), "align-by-socket", reserved="0,16", quirks=quirks)
        answer = manager.hints(one, one.container("c0"))
        assert answer is not None
        return [hint.mask for hint in answer["cpu"] or [] if hint.preferred]

    assert preferred(EXACT) == [0b0011, 0b0101, 0b1001, 0b0110, 0b1010, 0b1100]
    assert preferred(without("align-by-socket-only-adds-hints")) == [0b0011, 0b1100]


def test_smt_check_by_machine_average() -> None:
    uneven = golden("T1", without=frozenset({7}))
    exact = static(uneven, "full-pcpus-only", reserved="0")
    fixed = static(uneven, "full-pcpus-only", reserved="0", quirks=DOCUMENTED)
    assert admit(exact, pod("a", 4))
    with pytest.raises(Refusal, match="SMT Alignment Error: not enough free physical CPUs"):
        admit(fixed, pod("b", 6))
    assert admit(fixed, pod("a", 3)) == {"c0": "1,3,5"}
    assert admit(fixed, pod("c", 2)) == {"c0": "2,6"}


def test_containers_side_by_side_get_whole_cores_each() -> None:
    uneven = golden("T1", without=frozenset({7}))  # one core has a single thread
    fixed = static(uneven, "full-pcpus-only", reserved="0", quirks=DOCUMENTED)
    hints = [fixed.pod_hints(each) for each in (pod("a", 1, 1), pod("b", 1, 2), pod("c", 1, init=[2]))]
    assert [bool(each and each["cpu"]) for each in hints] == [False, True, True]
    alone = static(uneven, "full-pcpus-only", reserved="3", quirks=DOCUMENTED)  # cores of two threads are left
    hints = [alone.pod_hints(pod("a", 2, init=[init])) for init in (3, 4)]
    assert [bool(each and each["cpu"]) for each in hints] == [False, True]


def test_smt_check_ignores_reusable() -> None:
    one = pod("a", 6, init=[6])
    with pytest.raises(Refusal, match="available physical CPUs = 0, requested CPUs = 6"):
        admit(static(golden("T1"), "full-pcpus-only", reserved="0"), one)
    fixed = static(golden("T1"), "full-pcpus-only", reserved="0", quirks=without("smt-check-ignores-reusable"))
    assert admit(fixed, one) == {"i0": "1-3,5-7", "c0": "1-3,5-7"}


def test_smt_check_before_own_cpus() -> None:
    quirk = "smt-check-before-own-cpus"
    for quirks, refused in ((EXACT, True), (without(quirk), False)):
        manager = static(golden("T1"), "full-pcpus-only", reserved="0", quirks=quirks)
        admit(manager, pod("a", 6))
        if refused:
            with pytest.raises(Refusal, match="available physical CPUs = 0"):
                admit(manager, pod("a", 6))
        else:
            assert admit(manager, pod("a", 6)) == {"c0": "1-3,5-7"}


def test_full_pcpus_only_takes_partial_cores() -> None:
    quirk = "full-pcpus-only-takes-partial-cores"
    on_node_0 = Hint(0b1, True)
    exact = static(golden("T3"), "full-pcpus-only", reserved="0")
    fixed = static(golden("T3"), "full-pcpus-only", reserved="0", quirks=without(quirk))
    assert admit(exact, pod("a", 8), on_node_0) == {"c0": "1-4,16-19"}
    assert admit(fixed, pod("a", 8), on_node_0) == {"c0": "1-4,17-20"}


def test_init_cpus_reused_by_chance() -> None:
    one = pod("a", 2, init=[1])
    exact = static(golden("T2"), reserved="0")
    fixed = static(golden("T2"), reserved="0", quirks=without("init-cpus-reused-by-chance"))
    assert admit(exact, one) == {"i0": "6", "c0": "2,8"}
    assert admit(fixed, one) == {"i0": "6", "c0": "2,6"}


def test_cores_of_init_containers_come_first_where_cores_differ_in_threads() -> None:
    cores = [0, 0, 1, 1, 2, 2, 3, 3, 4, 5]
    uneven = CpuTopology(view_of([(cpu, core // 2, core // 2, core, 0) for cpu, core in enumerate(cores)]))
    policy = static(uneven, "full-pcpus-only", reserved="8-9", quirks=DOCUMENTED)
    admit(policy, pod("first", 2))
    assert admit(policy, pod("a", 2, init=[4])) == {"i0": "4-7", "c0": "4-5"}


def test_strict_pool_may_empty() -> None:
    exact = static(golden("T1"), "strict-cpu-reservation", reserved="0")
    admit(exact, pod("a", 7))
    assert exact.state.default == 0
    with pytest.raises(StartError, match="default cpuset cannot be empty"):
        static(golden("T1"), "strict-cpu-reservation", reserved="0").restore(exact.state)
    fixed = static(golden("T1"), "strict-cpu-reservation", reserved="0", quirks=without("strict-pool-may-empty"))
    with pytest.raises(Refusal, match="not enough cpus available to satisfy request: requested=7, available=6"):
        admit(fixed, pod("a", 7))
    assert fixed.state.default == bits("1-7")


@pytest.mark.parametrize(("quirks", "keeps"), [(CpuQuirks(whole_pods_get_other_cpus=True), False), (DOCUMENTED, True)])
def test_whole_pods_get_other_cpus(quirks: CpuQuirks, keeps: bool) -> None:
    amounts = {"cpu": "2", "memory": "1Gi"}
    spec = {"resources": {"requests": amounts, "limits": amounts}, "containers": [{"name": "c"}]}
    whole = Pod.from_dict({"metadata": {"name": "p", "uid": "p"}, "spec": spec})
    whole = whole.under_gates(FeatureGates.build("1.36", {"PodLevelResourceManagers": True}), NodeQuirks())
    policy = static(golden("T1"), reserved="0", quirks=quirks)
    policy.allocate_pod(whole)
    first = policy.state.assignments["p"]["c"]
    policy.allocate_pod(whole)
    assert (policy.state.assignments["p"]["c"] == first) is keeps


def test_gone_pods_leave_cpus_to_reuse() -> None:
    left = {}
    for name, quirks in (("kubelet", EXACT), ("page", without("gone-pods-leave-cpus-to-reuse"))):
        policy = static(golden("T1"), reserved="0", quirks=quirks)
        for container in admit(policy, pod("a", 1, init=[3])):
            policy.release("a", container)
        left[name] = {uid: cpus.bit_count() for uid, cpus in policy.reusable.items()}
    assert left == {"kubelet": {"a": 2}, "page": {}}


def test_every_quirk_of_this_room_is_shown_here() -> None:
    shown = {name.removeprefix("test_").replace("_", "-") for name in globals() if name.startswith("test_")}
    assert {quirk.id for quirk in CpuQuirks.quirks("cpu")} <= shown
