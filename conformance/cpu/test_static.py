"""CPU Manager policy static without options: who gets exclusive CPUs, and how many."""

from __future__ import annotations

from typing import Any

import pytest

from numa_conformance.cpuset import CpuSet
from numa_conformance.machine import Machine
from numa_conformance.suite.examples.invariants import split_cores
from numa_conformance.suite.examples.node_run import NodeRun
from numa_conformance.suite.generators.workloads import best_effort, burstable, container, guaranteed, pod, static

pytestmark = pytest.mark.surfaces("node")
requirement = pytest.mark.requirement


@requirement("cpu-manager/static/integral-guaranteed-is-exclusive")
@pytest.mark.parametrize("cpu", ["1", "2", "3", "2000m"])
def test_an_integral_guaranteed_container_has_its_own_cpus(node: NodeRun, machine: Machine, cpu: str) -> None:
    node.start(machine, static())
    got = node.admit(guaranteed("a", cpu)).cpus()
    wanted = int(cpu.removesuffix("000m"))
    node.check(len(got) == wanted, "the number of exclusive CPUs is wrong", got=got, allowed=f"{wanted} CPUs")
    node.check(got <= node.online, "CPUs are given that are not online", got=got - node.online)


@requirement("cpu-manager/static/limits-alone-make-guaranteed")
def test_limits_alone_give_exclusive_cpus(node: NodeRun, machine: Machine) -> None:
    node.start(machine, static())
    got = node.admit(pod("a", [container("c", cpu="2", memory="200Mi")])).cpus()
    node.check(len(got) == 2, "requests do not default to limits", got=got, allowed="2 CPUs")


@requirement("cpu-manager/static/exclusive-cpus-leave-the-shared-pool")
def test_exclusive_cpus_are_not_shared(node: NodeRun, machine: Machine) -> None:
    node.start(machine, static())
    admitted = node.admit(guaranteed("a", 2))
    both = admitted.cpus() & admitted.pool
    node.check(not both, "exclusive CPUs are in the shared pool", got=both, allowed="none")


@requirement("cpu-manager/static/exclusive-cpus-belong-to-one-pod", "cpu-manager/shared-pool/loses-nothing")
def test_two_pods_share_no_exclusive_cpu(node: NodeRun, machine: Machine) -> None:
    node.start(machine, static())
    first, second = node.admit(guaranteed("a", 2)), node.admit(guaranteed("b", 3))
    both = first.cpus() & second.cpus()
    node.check(not both, "two pods have the same exclusive CPUs", got=both, allowed="none")
    together = second.pool | first.cpus() | second.cpus()
    node.check(together == node.online, "CPUs are lost", got=node.online - together, allowed="none")


@requirement("cpu-manager/static/fractional-guaranteed-is-shared")
@pytest.mark.parametrize("cpu", ["1500m", "300m", "2500m"])
def test_a_fractional_request_is_shared(node: NodeRun, machine: Machine, cpu: str) -> None:
    node.start(machine, static())
    _has_none(node, guaranteed("a", cpu))


@requirement("cpu-manager/static/fractional-guaranteed-is-shared")
def test_a_fractional_container_is_shared_beside_an_exclusive_one(node: NodeRun, machine: Machine) -> None:
    node.start(machine, static())
    mixed = pod("a", [container("whole", cpu="2", memory="64Mi"), container("part", cpu="1500m", memory="64Mi")])
    answer = node.admit(mixed)
    node.check(len(answer.cpus("whole")) == 2, "the integral container has other than 2 CPUs", got=answer.cpus("whole"))
    node.check(not answer.cpus("part"), "the fractional container has exclusive CPUs", got=answer.cpus("part"))


@requirement("cpu-manager/static/burstable-is-shared")
def test_a_burstable_pod_is_shared(node: NodeRun, machine: Machine) -> None:
    node.start(machine, static())
    _has_none(node, burstable("a", 2))


@requirement("cpu-manager/static/best-effort-is-shared")
def test_a_best_effort_pod_is_shared(node: NodeRun, machine: Machine) -> None:
    node.start(machine, static())
    _has_none(node, best_effort("a"))


def _has_none(node: NodeRun, subject: dict[str, Any]) -> None:
    answer = node.admit(subject)
    node.check(not answer.all_cpus, "the pod has exclusive CPUs", got=answer.all_cpus, allowed="none")
    node.check(
        answer.pool == node.initial_pool, "the shared pool has changed", got=answer.pool, allowed=node.initial_pool
    )


@requirement("cpu-manager/static/sidecars-and-init-containers-are-eligible")
@pytest.mark.parametrize("sidecar", [False, True], ids=["init", "sidecar"])
def test_init_containers_have_their_own_cpus(node: NodeRun, machine: Machine, sidecar: bool) -> None:
    node.start(machine, static())
    early = container("i", cpu="1", memory="64Mi", sidecar=sidecar)
    answer = node.admit(pod("a", [container("c", cpu="2", memory="64Mi")], init=[early]))
    node.check(len(answer.cpus("i")) == 1, "the init container has other than 1 CPU", got=answer.cpus("i"))
    node.check(len(answer.cpus("c")) == 2, "the app container has other than 2 CPUs", got=answer.cpus("c"))


@requirement("cpu-manager/static/sidecars-and-init-containers-are-eligible")
def test_a_sidecar_shares_no_cpu_with_the_app(node: NodeRun, machine: Machine) -> None:
    node.start(machine, static())
    sidecar = container("s", cpu="1", memory="64Mi", sidecar=True)
    answer = node.admit(pod("a", [container("c", cpu="2", memory="64Mi")], init=[sidecar]))
    both = answer.cpus("s") & answer.cpus("c")
    node.check(not both, "a sidecar and the app it runs beside have the same exclusive CPUs", got=both, allowed="none")


@requirement("cpu-manager/static/init-cpus-serve-later-containers")
def test_an_app_may_use_what_its_init_container_leaves(node: NodeRun, machine: Machine) -> None:
    node.start(machine, static())
    free = len(node.initial_pool - node.reserved)
    init, app = container("i", cpu=str(free), memory="64Mi"), container("c", cpu=str(free), memory="64Mi")
    answer = node.try_admit(pod("a", [app], init=[init]))
    node.check(answer.admitted, "CPUs of an ended init container do not serve the app", got=answer.message)
    got = answer.cpus("c")
    node.check(len(got) == free, "the app has other than what it asked for", got=got, allowed=f"{free} CPUs")


@requirement("cpu-manager/static/refuses-what-is-not-free")
def test_refuses_more_than_is_free(node: NodeRun, machine: Machine) -> None:
    node.start(machine, static())
    free = len(node.initial_pool - node.reserved)
    answer = node.try_admit(guaranteed("a", free + 1))
    node.check(not answer.admitted, "a pod is admitted that needs more CPUs than are free", got=answer.answer)
    node.check(answer.pool == node.initial_pool, "a refused pod holds CPUs", got=answer.pool, allowed=node.initial_pool)


@requirement("cpu-manager/static/refuses-what-is-not-free")
def test_a_pod_refused_half_way_holds_nothing(node: NodeRun, machine: Machine) -> None:
    node.start(machine, static())
    free = len(node.initial_pool - node.reserved)
    second = container("b", cpu=str(free), memory="64Mi")
    answer = node.try_admit(pod("a", [container("c", cpu="1", memory="64Mi"), second]))
    node.check(not answer.admitted, "a pod is admitted that needs more CPUs than are free", got=answer.answer)
    after = node.admit(best_effort("after")).pool
    node.check(after == node.initial_pool, "a refused pod holds CPUs", got=after, allowed=node.initial_pool)


@requirement("cpu-manager/static/refuses-what-is-not-free")
def test_gives_out_the_last_free_cpu(node: NodeRun, machine: Machine) -> None:
    node.start(machine, static())
    free = node.initial_pool - node.reserved
    got = node.admit(guaranteed("a", len(free))).cpus()
    node.check(got == free, "not every free CPU can be given out", got=got, allowed=free)


@requirement("cpu-manager/static/packs-whole-cores")
def test_whole_cores_are_given_whole(node: NodeRun, machine: Machine) -> None:
    node.start(machine, static(reserved=_first_core(machine)))
    threads = len(CpuSet.from_bits(machine.core_bits[0]))
    got = node.admit(guaranteed("a", 2 * threads)).cpus()
    node.check(
        not split_cores(machine, got),
        "cores are split between pods on an empty machine",
        got=got,
        allowed="whole cores",
    )


@requirement("cpu-manager/static/packs-few-numa-nodes")
def test_what_fits_one_numa_node_comes_from_one(node: NodeRun, machine: Machine) -> None:
    node.start(machine, static(reserved=_first_core(machine)))
    threads = len(CpuSet.from_bits(machine.core_bits[0]))
    got = node.admit(guaranteed("a", 2 * threads)).cpus()
    touched = [numa for numa, cpus in machine.numa_bits.items() if cpus & got.bits]
    node.check(len(touched) == 1, f"CPUs come from the NUMA nodes {touched}", got=got, allowed="one NUMA node")


def _first_core(machine: Machine) -> str:
    return str(CpuSet.from_bits(machine.core_bits[0]))
