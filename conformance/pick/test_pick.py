"""The narrow waist: choose so many of these CPUs. For allocators that keep no pods of their own."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.cpuset import CpuSet
from numa_conformance.errors import CpuSetSyntaxError
from numa_conformance.machine import Machine, load_machine, machine_to_dict
from numa_conformance.protocol import Client
from numa_conformance.protocol.messages.pick import Pick, Picked, PickRefused
from numa_conformance.protocol.values import HintValue
from numa_conformance.suite.examples.invariants import split_cores
from numa_conformance.suite.examples.questions import ChoiceOfCpus
from numa_conformance.suite.strategies.machines import machines

pytestmark = [pytest.mark.surfaces("pick"), pytest.mark.beside_node]
requirement = pytest.mark.requirement
departs = pytest.mark.departs

FULL, NUMA = "full-pcpus-only", "distribute-cpus-across-numa"
CORES, UNCORE = "distribute-cpus-across-cores", "prefer-align-cpus-by-uncorecache"


class Picker(ChoiceOfCpus):
    """Asks the target to choose CPUs of a machine, and judges the choice."""

    word = "picked"

    def pick(
        self,
        machine: Machine,
        available: CpuSet,
        count: int,
        *options: str,
        affinity: HintValue | None = None,
    ) -> CpuSet:
        """Return the choice, which must be made; what holds for every choice is checked."""
        reply = self.try_pick(machine, available, count, *options, affinity=affinity)
        if isinstance(reply, PickRefused):
            raise self.finding("no CPUs are chosen", got=reply.message, allowed=f"{count} CPUs")
        try:
            self.asked_on(machine, CpuSet.from_bits(machine.online_bits) - available)
            self.got = CpuSet.parse(reply.cpus)
        except CpuSetSyntaxError as error:
            raise self.finding(f"cpus: {error}", got=reply.cpus, allowed="a list of CPUs such as 0-3,8") from error
        self.judge(self.got <= available, "CPUs are chosen that are not available", f"some of {available}")
        self.judge(len(self.got) == count, "the number of CPUs is wrong", f"{count} CPUs")
        return self.got

    def try_pick(
        self,
        machine: Machine,
        available: CpuSet,
        count: int,
        *options: str,
        affinity: HintValue | None = None,
    ) -> Picked | PickRefused:
        """Ask for a choice, which may be refused."""
        wanted = dict.fromkeys(options, True)
        return self.ask(Pick(machine_to_dict(machine), str(available), count, wanted, affinity))


@pytest.fixture
def picker(target: Client, requirements: tuple[str, ...]) -> Picker:
    return Picker(target, requirements)


def whole(machine: Machine) -> CpuSet:
    """Return all online CPUs."""
    return CpuSet.from_bits(machine.online_bits)


def touched(groups: Iterable[int], cpus: CpuSet) -> list[str]:
    """Return the groups (cores, NUMA nodes, caches) that some of the CPUs lie in."""
    return [str(CpuSet.from_bits(group)) for group in groups if group & cpus.bits]


def threads(machine: Machine) -> int:
    """Return the threads of a core."""
    return machine.core_bits[0].bit_count()


@requirement("cpu-manager/static/integral-guaranteed-is-exclusive")
@given(data=st.data(), machine=machines(max_cpus=32, max_nodes=4, sane=True, devices=False))
def test_chooses_so_many_of_what_is_available(picker: Picker, data: st.DataObject, machine: Machine) -> None:
    choose_some(picker, data, machine)


@requirement("cpu-manager/static/integral-guaranteed-is-exclusive")
@departs("overlapping-groups-taken-twice")
@given(data=st.data(), machine=machines(max_cpus=32, max_nodes=4, devices=False))
def test_chooses_so_many_on_odd_machines(picker: Picker, data: st.DataObject, machine: Machine) -> None:
    choose_some(picker, data, machine)


def choose_some(picker: Picker, data: st.DataObject, machine: Machine) -> None:
    """Ask for any number of any CPUs."""
    taken = CpuSet(data.draw(st.sets(st.sampled_from(list(whole(machine)))), label="taken"))
    available = whole(machine) - taken
    picker.pick(machine, available, data.draw(st.integers(0, len(available)), label="count"))


@requirement("cpu-manager/static/refuses-what-is-not-free")
@pytest.mark.parametrize("available", ["", "1", "1-3"])
def test_refuses_more_than_is_available(picker: Picker, machine: Machine, available: str) -> None:
    reply = picker.try_pick(machine, CpuSet.parse(available), len(CpuSet.parse(available)) + 1)
    if isinstance(reply, Picked):
        raise picker.finding("CPUs are chosen though too few are available", got=reply.cpus, allowed="a refusal")


@requirement("cpu-manager/static/packs-whole-cores")
@pytest.mark.parametrize("cores", [1, 2, 3])
def test_whole_cores_are_chosen_whole(picker: Picker, machine: Machine, cores: int) -> None:
    got = picker.pick(machine, whole(machine), cores * threads(machine))
    split = list(map(str, split_cores(machine, got)))
    picker.judge(not split, f"the cores {split} are split", "whole cores")


@requirement("cpu-manager/static/packs-few-numa-nodes")
@pytest.mark.parametrize("cores", [1, 2, 3])
def test_what_fits_one_numa_node_comes_from_one(picker: Picker, machine: Machine, cores: int) -> None:
    got = picker.pick(machine, whole(machine), cores * threads(machine))
    nodes = touched(machine.numa_bits.values(), got)
    picker.judge(len(nodes) == 1, f"CPUs come from {len(nodes)} NUMA nodes", "one NUMA node")


@requirement("cpu-manager/full-pcpus-only/gives-whole-cores")
@pytest.mark.parametrize("cores", [1, 2, 5])
def test_whole_cores_beside_half_taken_ones(picker: Picker, cores: int) -> None:
    machine = load_machine("t3-two-numa-per-socket")
    halves = CpuSet.from_bits(sum(1 << (core.bit_length() - 1) for core in machine.core_bits[::3]))
    got = picker.pick(machine, whole(machine) - halves, cores * threads(machine), FULL)
    split = list(map(str, split_cores(machine, got)))
    picker.judge(not split, f"the cores {split} are split", "whole cores")


@requirement("cpu-manager/full-pcpus-only/gives-whole-cores")
@given(data=st.data())
def test_whole_cores_wherever_enough_are_left(picker: Picker, data: st.DataObject) -> None:
    machine = load_machine("t3-two-numa-per-socket")
    available = whole(machine) - CpuSet(data.draw(st.sets(st.sampled_from(list(whole(machine)))), label="taken"))
    free = [core for core in machine.core_bits if core & available.bits == core]
    if free:
        cpus = data.draw(st.integers(1, len(free)), label="cores") * threads(machine)
        got = picker.pick(machine, available, cpus, FULL)
        split = list(map(str, split_cores(machine, got)))
        picker.judge(not split, f"the cores {split} are split", "whole cores")


@requirement("cpu-manager/distribute-cpus-across-numa/spreads-evenly")
@pytest.mark.parametrize("cpus", [10, 12, 16])
def test_spreads_evenly_over_numa_nodes(picker: Picker, cpus: int) -> None:
    machine = load_machine("t3-two-numa-per-socket")
    got = picker.pick(machine, whole(machine), cpus, NUMA)
    shares = [count for bits in machine.numa_bits.values() if (count := (bits & got.bits).bit_count())]
    picker.judge(len(shares) > 1, "one NUMA node cannot hold this", "several NUMA nodes")
    picker.judge(max(shares) - min(shares) <= 1, f"the shares {shares} are uneven", "shares that differ by at most 1")


@requirement("cpu-manager/distribute-cpus-across-numa/keeps-one-node-where-one-suffices")
@pytest.mark.parametrize("cpus", [2, 4, 8])
def test_keeps_one_numa_node_where_one_suffices(picker: Picker, cpus: int) -> None:
    machine = load_machine("t3-two-numa-per-socket")
    nodes = touched(machine.numa_bits.values(), picker.pick(machine, whole(machine), cpus, NUMA))
    picker.judge(len(nodes) == 1, "a request that one NUMA node holds is divided", "one NUMA node")


@requirement("cpu-manager/distribute-cpus-across-cores/takes-separate-cores")
@pytest.mark.parametrize(
    "name", ["t1-one-socket-smt2", pytest.param("t7-adjacent-siblings", marks=departs("spread-by-cpu-id"))]
)
@pytest.mark.parametrize("cpus", [2, 3])
def test_takes_separate_cores(picker: Picker, name: str, cpus: int) -> None:
    machine = load_machine(name)
    cores = touched(machine.core_bits, picker.pick(machine, whole(machine), cpus, CORES))
    picker.judge(len(cores) == cpus, f"CPUs share cores: {len(cores)} cores for {cpus} CPUs", f"{cpus} cores")


@requirement("cpu-manager/distribute-cpus-across-cores/takes-separate-cores")
@departs("spread-by-cpu-id")
@given(data=st.data())
def test_takes_separate_cores_of_those_with_a_free_cpu(picker: Picker, data: st.DataObject) -> None:
    machine = load_machine("t1-one-socket-smt2")
    available = whole(machine) - CpuSet(data.draw(st.sets(st.sampled_from(list(whole(machine)))), label="taken"))
    open_cores = touched(machine.core_bits, available)
    cpus = data.draw(st.integers(0, len(open_cores)), label="cpus")
    cores = touched(machine.core_bits, picker.pick(machine, available, cpus, CORES))
    picker.judge(len(cores) == cpus, f"CPUs share cores: {len(cores)} cores for {cpus} CPUs", f"{cpus} cores")


@requirement("cpu-manager/prefer-align-cpus-by-uncorecache/stays-in-one-cache")
@given(data=st.data())
def test_what_fits_the_free_cores_of_a_cache_comes_from_one(picker: Picker, data: st.DataObject) -> None:
    machine = load_machine("t4-four-uncores")
    taken = sum(data.draw(st.sets(st.sampled_from(machine.core_bits)), label="taken cores"))
    available = whole(machine) - CpuSet.from_bits(taken)
    largest = max((cache & available.bits).bit_count() for cache in machine.uncore_bits.values())
    if largest:
        cpus = data.draw(st.integers(1, largest // threads(machine)), label="cores") * threads(machine)
        caches = touched(machine.uncore_bits.values(), picker.pick(machine, available, cpus, UNCORE))
        picker.judge(len(caches) == 1, f"CPUs come from {len(caches)} uncore caches", "one uncore cache")


@requirement("cpu-manager/prefer-align-cpus-by-uncorecache/stays-in-one-cache")
@pytest.mark.parametrize("cpus", [2, 4, 6, pytest.param(7, marks=departs("uncore-odd-size-unaligned")), 8])
def test_what_fits_a_cache_comes_from_one(picker: Picker, cpus: int) -> None:
    machine = load_machine("t4-four-uncores")
    caches = touched(machine.uncore_bits.values(), picker.pick(machine, whole(machine), cpus, UNCORE))
    picker.judge(len(caches) == 1, f"CPUs come from {len(caches)} uncore caches", "one uncore cache")


@requirement("cpu-manager/prefer-align-cpus-by-uncorecache/stays-in-one-cache")
def test_a_cache_that_is_free_is_taken_before_what_is_left_of_another(picker: Picker) -> None:
    machine = load_machine("t4-four-uncores")
    first = CpuSet.from_bits(next(iter(machine.uncore_bits.values())))
    available = whole(machine) - CpuSet(list(first)[::2])
    caches = touched(machine.uncore_bits.values(), picker.pick(machine, available, len(first), UNCORE))
    picker.judge(len(caches) == 1, f"CPUs come from {len(caches)} uncore caches", "one uncore cache")


@requirement("cpu-manager/prefer-align-cpus-by-uncorecache/never-refuses")
def test_what_fits_no_cache_is_chosen_all_the_same(picker: Picker) -> None:
    machine = load_machine("t4-four-uncores")
    picker.pick(machine, whole(machine), 13, UNCORE)


@requirement("topology-manager/best-effort/aligns-when-possible")
@given(data=st.data())
def test_what_the_affinity_can_hold_comes_from_there(picker: Picker, data: st.DataObject) -> None:
    machine = load_machine("t3-two-numa-per-socket")
    nodes = data.draw(
        st.lists(st.sampled_from(machine.numa_ids), min_size=1, max_size=2, unique=True), label="affinity"
    )
    available = whole(machine) - CpuSet(data.draw(st.sets(st.sampled_from(list(whole(machine)))), label="taken"))
    near = available & CpuSet.from_bits(sum(machine.numa_bits[node] for node in nodes))
    cpus = data.draw(st.integers(0, len(near)), label="cpus")
    got = picker.pick(machine, available, cpus, affinity=HintValue(sorted(nodes), True))
    picker.judge(got <= near, "CPUs come from elsewhere than the affinity", f"some of {near}")
