"""One allocation of the static policy in a state that the question brings along. For allocators that keep no state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.cpuset import CpuSet
from numa_conformance.machine import Machine, load_machine, machine_to_dict
from numa_conformance.protocol import Client
from numa_conformance.protocol.messages.allocate import Allocate, Allocated, AllocationRefused, PolicyRefused
from numa_conformance.protocol.values import HintValue, PriorState
from numa_conformance.suite.examples.node_run import read_set
from numa_conformance.suite.examples.questions import ChoiceOfCpus
from numa_conformance.suite.generators.workloads import best_effort, burstable, container, guaranteed, pod, static
from numa_conformance.suite.strategies.machines import machines

pytestmark = [pytest.mark.surfaces("allocate"), pytest.mark.beside_node]
requirement = pytest.mark.requirement

RESERVED = "0"
STATIC = "cpu-manager/static/"


class Allocator(ChoiceOfCpus):
    """Asks the target for the CPUs of one container, beside those that another pod has."""

    def allocate(self, machine: Machine, subject: Mapping[str, Any], **state: Any) -> CpuSet:
        """Return the CPUs, which must be given; what holds for every answer is checked."""
        choice = self.try_allocate(machine, subject, **state)
        if isinstance(choice, AllocationRefused):
            raise self.finding("no CPUs are given", got=choice.message, allowed="CPUs")
        got = self.got = read_set(choice.cpus, "cpus")
        shared = read_set(choice.default_cpuset, "default_cpuset")
        self.judge(not got & self.taken, "CPUs of another pod are given", f"none of {self.taken}")
        self.judge(not got & CpuSet.parse(RESERVED), "reserved CPUs are given", f"none of {RESERVED}")
        self.judge(not got & shared, "exclusive CPUs stay in the shared pool", "a pool without them")
        self.judge(shared <= self._shared, f"the shared pool {shared} has gained CPUs", f"some of {self._shared}")
        return got

    def try_allocate(
        self,
        machine: Machine,
        subject: Mapping[str, Any],
        *options: str,
        taken: CpuSet | None = None,
        init: CpuSet | None = None,
        affinity: HintValue | None = None,
    ) -> Allocated | AllocationRefused:
        """Ask for the container ``c``. ``init``: those of the pod's init container ``i``, free for reuse."""
        uid = subject["metadata"]["uid"]
        self.asked_on(machine, taken or CpuSet())
        self._shared = CpuSet.from_bits(machine.online_bits) - self.taken - (init or CpuSet())
        assignments = {"other": {"c": str(self.taken)}} if self.taken else {}
        if init:
            assignments[uid] = {"i": str(init)}
        state = PriorState(str(self._shared), assignments, {uid: str(init)} if init else {})
        kubelet = static(*options, reserved=RESERVED)
        reply = self.ask(Allocate(machine_to_dict(machine), kubelet, state, dict(subject), "c", affinity))
        if isinstance(reply, PolicyRefused):
            raise self.finding("the policy is refused", got=reply.message, allowed="it is not")
        return reply

    def refused(self, choice: Allocated | AllocationRefused) -> str | None:
        """Return the reason of a refusal, and raise a finding where CPUs are given."""
        if isinstance(choice, Allocated):
            raise self.finding("CPUs are given", got=choice.cpus, allowed="a refusal")
        return choice.reason


@pytest.fixture
def allocator(target: Client, requirements: tuple[str, ...]) -> Allocator:
    return Allocator(target, requirements)


def free(machine: Machine, taken: CpuSet) -> CpuSet:
    """Return what can be given."""
    return CpuSet.from_bits(machine.online_bits) - taken - CpuSet.parse(RESERVED)


@requirement(
    STATIC + "integral-guaranteed-is-exclusive",
    STATIC + "exclusive-cpus-leave-the-shared-pool",
    STATIC + "exclusive-cpus-belong-to-one-pod",
    "cpu-manager/reservation/is-never-exclusive",
)
@given(data=st.data(), machine=machines(max_cpus=32, max_nodes=4, sane=True, devices=False))
def test_gives_so_many_of_the_free_ones(allocator: Allocator, data: st.DataObject, machine: Machine) -> None:
    others = free(machine, CpuSet())
    taken = CpuSet(data.draw(st.sets(st.sampled_from(sorted(others))), label="taken")) if others else CpuSet()
    left = free(machine, taken)
    if left:
        count = data.draw(st.integers(1, len(left)), label="count")
        got = allocator.allocate(machine, guaranteed("a", count), taken=taken)
        allocator.judge(len(got) == count, "the number of CPUs is wrong", f"{count} CPUs")


@requirement(STATIC + "refuses-what-is-not-free")
@pytest.mark.parametrize("left", [0, 1, 3])
def test_refuses_more_than_is_free(allocator: Allocator, machine: Machine, left: int) -> None:
    taken = CpuSet(sorted(free(machine, CpuSet()))[left:])
    allocator.refused(allocator.try_allocate(machine, guaranteed("a", left + 1), taken=taken))


@pytest.mark.parametrize(
    "subject",
    [
        pytest.param(guaranteed("a", "1500m"), marks=requirement(STATIC + "fractional-guaranteed-is-shared")),
        pytest.param(burstable("a", 2), marks=requirement(STATIC + "burstable-is-shared")),
        pytest.param(best_effort("a"), marks=requirement(STATIC + "best-effort-is-shared")),
    ],
    ids=["fractional", "burstable", "best-effort"],
)
def test_others_use_the_shared_pool(allocator: Allocator, machine: Machine, subject: dict[str, Any]) -> None:
    got = allocator.allocate(machine, subject)
    allocator.judge(not got, "the container has CPUs of its own", "none")


@requirement(STATIC + "init-cpus-serve-later-containers")
def test_cpus_of_an_init_container_serve_the_next(allocator: Allocator, machine: Machine) -> None:
    some = sorted(free(machine, CpuSet()))
    init, taken = CpuSet(some[:2]), CpuSet(some[2:])
    subject = pod("a", [container("c", cpu="2", memory="64Mi")], init=[container("i", cpu="2", memory="64Mi")])
    got = allocator.allocate(machine, subject, taken=taken, init=init)
    allocator.judge(got == init, "CPUs that are free for reuse are not used", f"{init}, which is all there is")


@requirement("cpu-manager/full-pcpus-only/refuses-a-partial-core")
@pytest.mark.parametrize("cpus", [1, 3])
def test_refuses_a_partial_core(allocator: Allocator, machine: Machine, cpus: int) -> None:
    choice = allocator.try_allocate(machine, guaranteed("a", cpus), "full-pcpus-only")
    reason = allocator.refused(choice)
    allocator.check(reason == "SMTAlignmentError", "the reason is another", reason, "SMTAlignmentError")


@requirement("topology-manager/best-effort/aligns-when-possible")
@given(data=st.data())
def test_what_the_affinity_can_hold_comes_from_there(allocator: Allocator, data: st.DataObject) -> None:
    machine = load_machine("t3-two-numa-per-socket")
    nodes = data.draw(
        st.lists(st.sampled_from(machine.numa_ids), min_size=1, max_size=2, unique=True), label="affinity"
    )
    taken = CpuSet(data.draw(st.sets(st.sampled_from(sorted(free(machine, CpuSet())))), label="taken"))
    near = free(machine, taken) & CpuSet.from_bits(sum(machine.numa_bits[node] for node in nodes))
    if near:
        cpus = data.draw(st.integers(1, len(near)), label="cpus")
        affinity = HintValue(sorted(nodes), True)
        got = allocator.allocate(machine, guaranteed("a", cpus), taken=taken, affinity=affinity)
        allocator.judge(got <= near, "CPUs come from elsewhere than the affinity", f"some of {near}")
