"""The shared pool and the reservation."""

from __future__ import annotations

import pytest

from numa_conformance.machine import Machine
from numa_conformance.suite.examples.node_run import NodeRun, read_set
from numa_conformance.suite.generators.workloads import guaranteed, kubelet, static

pytestmark = pytest.mark.surfaces("node")
requirement = pytest.mark.requirement


@requirement("cpu-manager/shared-pool/holds-all-cpus-at-first")
def test_the_pool_holds_every_cpu_at_first(node: NodeRun, machine: Machine) -> None:
    node.start(machine, static())
    node.check(node.initial_pool == node.online, "the pool lacks CPUs", got=node.initial_pool, allowed=node.online)


@requirement("cpu-manager/shared-pool/regains-cpus-on-removal")
def test_removal_returns_the_cpus(node: NodeRun, machine: Machine) -> None:
    node.start(machine, static())
    node.admit(guaranteed("a", 2))
    node.admit(guaranteed("b", 1))
    node.remove("a")
    after = node.remove("b").pool
    node.check(after == node.initial_pool, "CPUs of removed pods are missing", got=after, allowed=node.initial_pool)


@requirement("cpu-manager/shared-pool/regains-cpus-on-removal")
def test_returned_cpus_can_be_given_again(node: NodeRun, machine: Machine) -> None:
    node.start(machine, static())
    free = len(node.initial_pool - node.reserved)
    node.admit(guaranteed("a", free))
    node.remove("a")
    node.admit(guaranteed("b", free))


@requirement("cpu-manager/shared-pool/loses-nothing")
def test_the_state_tells_what_the_answers_told(node: NodeRun, machine: Machine) -> None:
    node.start(machine, static())
    given = {name: str(node.admit(guaranteed(name, cpus)).cpus()) for name, cpus in (("a", 2), ("b", 1), ("c", 1))}
    pool = node.remove("b").pool
    del given["b"]
    state = node.state()
    told = {uid: str(read_set(held["c"].cpus, "cpus")) for uid, held in state.containers.items() if "c" in held}
    node.check(told == given, "the state tells of other CPUs than the answers", got=told, allowed=given)
    shared = read_set(state.default_cpuset, "default_cpuset")
    node.check(shared == pool, "the state tells of another shared pool", got=shared, allowed=pool)


@requirement("cpu-manager/reservation/is-never-exclusive", "cpu-manager/reservation/stays-in-the-shared-pool")
def test_reserved_cpus_are_never_given(node: NodeRun, machine: Machine) -> None:
    node.start(machine, static(reserved="0-1"))
    answer = node.admit(guaranteed("a", len(machine.cpus) - 2))
    node.check(not answer.cpus() & node.reserved, "reserved CPUs are exclusive", got=answer.cpus() & node.reserved)
    node.check(node.reserved <= answer.pool, "reserved CPUs left the pool", got=answer.pool, allowed=node.reserved)


@requirement("cpu-manager/reservation/explicit-list-is-taken")
def test_the_explicit_list_wins_over_quantities(node: NodeRun, machine: Machine) -> None:
    node.start(machine, static(reserved="1-2", kubeReserved={"cpu": "500m"}))
    node.check(str(node.reserved) == "1-2", "other CPUs are reserved", got=node.reserved, allowed="1-2")


@requirement("cpu-manager/reservation/explicit-list-must-exist")
def test_refuses_reserved_cpus_that_are_not_online(node: NodeRun, machine: Machine) -> None:
    beyond = machine.cpus[-1].id + 7
    node.stays_down(machine, static(reserved=f"0,{beyond}"), allowed=f"refused: CPU {beyond} is no CPU")


@requirement("cpu-manager/reservation/must-be-positive")
@pytest.mark.parametrize("quantities", [{}, {"kubeReserved": {"cpu": "0"}}], ids=["absent", "zero"])
def test_refuses_a_reservation_of_nothing(
    node: NodeRun, machine: Machine, quantities: dict[str, dict[str, str]]
) -> None:
    node.stays_down(machine, static(reserved="", more=quantities), allowed="refused: nothing is reserved")


@requirement("cpu-manager/reservation/rounds-up")
@pytest.mark.parametrize(("cpu", "count"), [("500m", 1), ("1", 1), ("1500m", 2), ("2100m", 3)])
def test_a_fraction_reserves_a_whole_cpu(node: NodeRun, machine: Machine, cpu: str, count: int) -> None:
    node.start(machine, static(reserved="", kubeReserved={"cpu": cpu}))
    node.check(len(node.reserved) == count, "the number of reserved CPUs is wrong", got=node.reserved, allowed=count)


@requirement("cpu-manager/reservation/adds-kube-and-system")
def test_kube_and_system_reservations_add_up(node: NodeRun, machine: Machine) -> None:
    node.start(machine, static(reserved="", kubeReserved={"cpu": "1"}, systemReserved={"cpu": "1500m"}))
    node.check(len(node.reserved) == 3, "the number of reserved CPUs is wrong", got=node.reserved, allowed=3)


@requirement("cpu-manager/policy/unknown-is-refused")
@pytest.mark.parametrize("policy", ["dynamic", "Static"])
def test_refuses_an_unknown_policy(node: NodeRun, machine: Machine, policy: str) -> None:
    node.stays_down(
        machine, kubelet(cpuManagerPolicy=policy, reservedSystemCPUs="0"), allowed=f"refused: no policy {policy!r}"
    )
