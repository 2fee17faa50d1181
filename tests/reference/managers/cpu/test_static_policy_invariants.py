"""What holds for every machine, option and sequence of pods."""

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import combinations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from numa_conformance.cpuset import CpuSet, iter_bits
from numa_conformance.errors import KubeletFails, Refusal, StartError
from numa_conformance.machine.model import KubeletView, ViewCpu
from numa_conformance.reference.managers.cpu import CpuAllocator, CpuTopology, NotEnoughCpus, StaticPolicy
from numa_conformance.reference.managers.cpu.options.full_pcpus_only import FullPcpusOnly
from numa_conformance.reference.managers.eligibility import exclusive_cpus
from numa_conformance.reference.managers.hint import Hint
from numa_conformance.sources.options import STATIC_OPTIONS, StaticOptions
from numa_conformance.sources.quirks.areas import CpuQuirks
from reference.managers.cpu.random_machines import regular_views, tangled_views, uneven_views
from reference.managers.cpu.workloads import DOCUMENTED, EXACT, admit, pod, static

OPTIONS = tuple(STATIC_OPTIONS)


@st.composite
def policies(draw: st.DrawFn, views: st.SearchStrategy[KubeletView], quirks: CpuQuirks) -> Callable[[], StaticPolicy]:
    """Draw a way to build one policy, again and again."""
    topology = CpuTopology(draw(views))
    options = draw(st.sets(st.sampled_from(OPTIONS), max_size=3), label="options")
    ids = list(iter_bits(topology.all))
    reserved = str(CpuSet(draw(st.sets(st.sampled_from(ids), min_size=1, max_size=3), label="reserved")))

    def build() -> StaticPolicy:
        return static(topology, *sorted(options), reserved=reserved, quirks=quirks)

    try:
        build()
    except StartError:
        assume(False)
    return build


def affinities(policy: StaticPolicy) -> st.SearchStrategy[Hint]:
    nodes = policy.topology.nodes.ids
    masks = st.sets(st.sampled_from(nodes), min_size=1).map(lambda chosen: sum(1 << node for node in chosen))
    return st.builds(Hint, st.none() | masks, st.booleans())


def check_pools(policy: StaticPolicy) -> None:
    """Pools are disjoint and together all CPUs (CPU-POOL-08)."""
    held = [(uid, cpus) for uid, own in policy.state.assignments.items() for cpus in own.values()]
    everything = policy.state.default
    for uid, cpus in held:
        assert not cpus & policy.state.default, uid
        assert not cpus & policy.reserved, uid
        everything |= cpus
    for (one, mine), (other, theirs) in combinations(held, 2):
        assert one == other or not mine & theirs
    strict = policy.options.strict_cpu_reservation
    assert everything == policy.topology.all & ~(policy.reserved if strict else 0)
    assert bool(policy.reserved & policy.state.default) is not strict


def run(policy: StaticPolicy, data: st.DataObject) -> None:
    for uid in "abcd":
        most = max(policy.topology.num_cpus // 2, 1)
        amounts = st.lists(st.integers(1, most), min_size=1, max_size=2)
        one = pod(
            uid,
            *data.draw(amounts, label="containers"),
            init=data.draw(st.lists(st.integers(1, most), max_size=1), label="init"),
        )
        for container in one.all_containers:
            before = policy.state.copy()
            affinity = data.draw(affinities(policy), label="affinity")
            try:
                policy.allocate(one, container, affinity)
            except (Refusal, KubeletFails):
                assert policy.state == before
                for done in one.all_containers:
                    policy.release(uid, done.name)
                break
            own = policy.state.assignments[uid][container.name]
            assert own.bit_count() == exclusive_cpus(one, container)
            assert not own & before.default & policy.reserved
        check_pools(policy)


@given(policies(regular_views(), EXACT), st.data())
def test_the_kubelet_keeps_its_pools_apart_on_regular_machines(
    build: Callable[[], StaticPolicy], data: st.DataObject
) -> None:
    run(build(), data)


@given(policies(st.one_of(regular_views(), uneven_views(), tangled_views()), DOCUMENTED), st.data())
def test_without_quirks_pools_stay_apart_on_any_machine(build: Callable[[], StaticPolicy], data: st.DataObject) -> None:
    policy = build()
    run(policy, data)
    if policy.options.full_pcpus_only:
        for own in policy.state.assignments.values():
            for cpus in own.values():
                assert policy.topology.whole_cores(cpus) == cpus


@given(policies(st.one_of(regular_views(), uneven_views()), EXACT), st.data())
def test_a_release_undoes_an_allocation(build: Callable[[], StaticPolicy], data: st.DataObject) -> None:
    policy = build()
    fresh = policy.state.copy()
    most = max(policy.topology.num_cpus // 2, 1)
    one = pod("a", *data.draw(st.lists(st.integers(1, most), min_size=1, max_size=3), label="containers"))
    with suppress(Refusal, KubeletFails):
        admit(policy, one, data.draw(affinities(policy), label="affinity"))
    assume(not any(cpus & policy.reserved for own in policy.state.assignments.values() for cpus in own.values()))
    policy.remove_stale(lambda uid, container: False)
    assert policy.state == fresh


@given(policies(regular_views(), DOCUMENTED), st.data())
def test_a_restart_changes_nothing(build: Callable[[], StaticPolicy], data: st.DataObject) -> None:
    policy = build()
    one = pod("a", data.draw(st.integers(1, max(policy.topology.num_cpus // 2, 1)), label="count"))
    try:
        admit(policy, one)
    except Refusal:
        assume(False)
    again = build()
    again.restore(policy.state)
    assert again.state == policy.state
    admit(again, one)
    assert again.state == policy.state


def stretched(view: KubeletView) -> KubeletView:
    """Renumber CPUs, nodes, sockets and caches, keeping their order."""
    rows = tuple(
        ViewCpu(3 * c.id + 5, 2 * c.numa + 1, 2 * c.socket + 4, 3 * c.core + 5, 5 * c.uncore + 2) for c in view.cpus
    )
    nodes = tuple(2 * node + 1 for node in view.numa_ids)
    return KubeletView(rows, view.num_cpus, view.num_cores, view.num_sockets, nodes)


@given(st.one_of(regular_views(), uneven_views(), tangled_views()), st.sampled_from([EXACT, DOCUMENTED]), st.data())
def test_numbers_matter_only_by_their_order(view: KubeletView, quirks: CpuQuirks, data: st.DataObject) -> None:
    options = data.draw(
        st.builds(
            StaticOptions,
            distribute_cpus_across_numa=st.booleans(),
            distribute_cpus_across_cores=st.booleans(),
            prefer_align_cpus_by_uncorecache=st.booleans(),
        ),
        label="options",
    )
    ids = [cpu.id for cpu in view.cpus]
    free = data.draw(st.sets(st.sampled_from(ids), min_size=1), label="free")
    count = data.draw(st.integers(1, len(free)), label="count")
    plain = CpuAllocator.of(quirks)(CpuTopology(view), options)
    renumbered = CpuAllocator.of(quirks)(CpuTopology(stretched(view)), options)
    try:
        taken = plain.allocate(CpuSet(free).bits, count)
    except (NotEnoughCpus, KubeletFails) as fault:
        with pytest.raises(type(fault), match=re.escape(str(fault))):
            renumbered.allocate(CpuSet(3 * c + 5 for c in free).bits, count)
        return
    expected = CpuSet(3 * cpu + 5 for cpu in iter_bits(taken))
    assert CpuSet.from_bits(renumbered.allocate(CpuSet(3 * c + 5 for c in free).bits, count)) == expected


@given(st.one_of(regular_views(), uneven_views(), tangled_views()), st.data())
def test_a_documented_spread_uses_as_many_cores_as_it_can(view: KubeletView, data: st.DataObject) -> None:
    topology = CpuTopology(view)
    ids = [cpu.id for cpu in view.cpus]
    free = CpuSet(data.draw(st.sets(st.sampled_from(ids), min_size=1), label="free")).bits
    count = data.draw(st.integers(1, free.bit_count()), label="count")
    taken = CpuAllocator.of(DOCUMENTED)(topology, StaticOptions(distribute_cpus_across_cores=True)).allocate(
        free, count
    )
    assert not taken & ~free
    assert topology.cores_touched(taken).bit_count() == min(count, topology.cores_touched(free).bit_count())


@given(regular_views(), st.data())
def test_a_documented_request_that_fits_one_cache_stays_in_one(view: KubeletView, data: st.DataObject) -> None:
    topology = CpuTopology(view)
    ids = [cpu.id for cpu in view.cpus]
    free = CpuSet(data.draw(st.sets(st.sampled_from(ids), min_size=1), label="free")).bits
    largest = max((free & mask).bit_count() for mask in topology.uncores.masks)
    count = data.draw(st.integers(1, largest), label="count")
    taken = CpuAllocator.of(DOCUMENTED)(topology, StaticOptions(prefer_align_cpus_by_uncorecache=True)).allocate(
        free, count
    )
    assert sum(bool(taken & mask) for mask in topology.uncores.masks) == 1


@given(st.one_of(regular_views(), uneven_views()), st.booleans(), st.data())
def test_a_documented_request_uses_few_numa_nodes(view: KubeletView, whole_cores: bool, data: st.DataObject) -> None:
    """Where no core is partly in use, no smaller set of NUMA nodes has enough CPUs, or cores that add up to them."""
    by_core, by_node = members(view, "core"), members(view, "numa")
    cores = data.draw(st.sets(st.sampled_from(sorted(by_core)), min_size=1), label="free cores")
    free = {cpu for core in cores for cpu in by_core[core]}
    sums = reachable(by_core[core] for core in cores)
    count = data.draw(st.sampled_from(sorted(sums - {0})) if whole_cores else st.integers(1, len(free)), label="count")
    taken = picked(view, CpuSet(free), count, StaticOptions(full_pcpus_only=whole_cores))
    used = [node for node in by_node.values() if taken & node]
    assert len(taken) == count
    for fewer in combinations(by_node.values(), len(used) - 1):
        within = [by_core[core] for core in cores if by_core[core] <= set().union(*fewer)]
        assert not can_give(within, count, whole_cores=whole_cores)


@given(uneven_views(), st.data())
def test_a_documented_request_takes_few_cores_of_each_numa_node(view: KubeletView, data: st.DataObject) -> None:
    """Of a machine that nobody uses: which NUMA nodes, and how much of each, the page decides before cores."""
    count = data.draw(st.integers(1, len(view.cpus)), label="count")
    taken = picked(view, CpuSet(cpu.id for cpu in view.cpus), count, StaticOptions())
    for node in members(view, "numa").values():
        cores = [cpus & node for cpus in members(view, "core").values() if cpus & node]
        sizes = sorted(map(len, cores), reverse=True)
        few = next(number for number in range(len(sizes) + 1) if sum(sizes[:number]) >= len(taken & node))
        assert sum(1 for cpus in cores if cpus & taken) == few


@given(uneven_views(), st.booleans(), st.data())
def test_a_documented_request_uses_few_caches(view: KubeletView, whole_cores: bool, data: st.DataObject) -> None:
    """Caches are free as a whole or taken: no fewer of them have enough CPUs, or cores that add up to them."""
    by_core, by_cache = members(view, "core"), members(view, "uncore")
    if len({len(cpus) for cpus in by_cache.values()}) == 1 and not whole_cores:
        return
    caches = data.draw(st.sets(st.sampled_from(sorted(by_cache)), min_size=1), label="free caches")
    free = frozenset().union(*(by_cache[cache] for cache in caches))
    inside = [cpus for cpus in by_core.values() if cpus <= free]
    counts = sorted(reachable(inside) - {0}) if whole_cores else range(1, len(free) + 1)
    count = data.draw(st.sampled_from(list(counts)), label="count")
    options = StaticOptions(full_pcpus_only=whole_cores, prefer_align_cpus_by_uncorecache=True)
    taken = picked(view, CpuSet(free), count, options)
    used = [cpus for cpus in by_cache.values() if taken & cpus]
    assert len(taken) == count
    for fewer in combinations([by_cache[cache] for cache in caches], len(used) - 1):
        within = [cpus for cpus in inside if cpus <= frozenset().union(*fewer)]
        assert not (can_give(within, count, whole_cores=True) if whole_cores else sum(map(len, fewer)) >= count)


@given(uneven_views(), st.data())
def test_a_documented_distribution_stays_on_a_node_that_holds_it(view: KubeletView, data: st.DataObject) -> None:
    by_core, by_node = members(view, "core"), members(view, "numa")
    node = data.draw(st.sampled_from(sorted(by_node)), label="node")
    own = [cpus for cpus in by_core.values() if cpus <= by_node[node]]
    count = sum(len(cpus) for cpus in data.draw(st.lists(st.sampled_from(own), min_size=1, unique=True), label="cores"))
    options = StaticOptions(full_pcpus_only=True, distribute_cpus_across_numa=True)
    taken = picked(view, CpuSet(cpu.id for cpu in view.cpus), count, options)
    assert len(taken) == count
    assert sum(1 for cpus in by_node.values() if taken & cpus) == 1
    assert all(cpus <= taken or not cpus & taken for cpus in by_core.values())


@given(uneven_views(), st.booleans())
def test_full_pcpus_only_chooses_nothing_where_nothing_is_asked_for(view: KubeletView, distribute: bool) -> None:
    whole = FullPcpusOnly(CpuTopology(view), 0)
    options = StaticOptions(full_pcpus_only=True, distribute_cpus_across_numa=distribute)
    assert whole.choose([0, CpuSet(cpu.id for cpu in view.cpus).bits], 0, options) == 0


def members(view: KubeletView, level: str) -> dict[int, frozenset[int]]:
    found: dict[int, set[int]] = {}
    for cpu in view.cpus:
        found.setdefault(getattr(cpu, level), set()).add(cpu.id)
    return {group: frozenset(cpus) for group, cpus in found.items()}


def can_give(cores: list[frozenset[int]], count: int, *, whole_cores: bool) -> bool:
    """Tell by trying whether some cores, or CPUs of any cores, are so many."""
    if not whole_cores:
        return sum(map(len, cores)) >= count
    return count in reachable(cores)


def reachable(cores: Iterable[frozenset[int]]) -> set[int]:
    """The numbers of CPUs that some whole cores have together."""
    sums = {0}
    for core in cores:
        sums |= {reached + len(core) for reached in sums}
    return sums


def picked(view: KubeletView, free: CpuSet, count: int, options: StaticOptions) -> frozenset[int]:
    """Return what an allocator or, where cores differ in threads, ``full-pcpus-only`` itself chooses."""
    topology = CpuTopology(view)
    whole = FullPcpusOnly(topology, 0)
    if options.full_pcpus_only and whole.chooses:
        taken = whole.choose([free.bits], count, options)
    else:
        taken = CpuAllocator.of(DOCUMENTED)(topology, options).allocate(free.bits, count)
    return frozenset(iter_bits(taken))
