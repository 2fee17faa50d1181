"""CPU Manager policy static without options: who gets exclusive CPUs, and how many."""

from __future__ import annotations

import pytest

from numa_conformance.cpuset import CpuSet
from numa_conformance.machine import Machine
from numa_conformance.suite.examples.node_run import NodeRun
from numa_conformance.suite.generators.workloads import container, guaranteed, pod, static

pytestmark = pytest.mark.surfaces("node")
requirement = pytest.mark.requirement


@requirement("cpu-manager/static/limits-alone-make-guaranteed")
def test_limits_alone_give_exclusive_cpus(node: NodeRun, machine: Machine) -> None:
    node.start(machine, static())
    got = node.admit(pod("a", [container("c", cpu="2", memory="200Mi")])).cpus()
    node.check(len(got) == 2, "requests do not default to limits", got=got, allowed="2 CPUs")


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


@requirement("cpu-manager/static/packs-few-numa-nodes")
def test_what_fits_one_numa_node_comes_from_one(node: NodeRun, machine: Machine) -> None:
    node.start(machine, static(reserved=_first_core(machine)))
    threads = len(CpuSet.from_bits(machine.core_bits[0]))
    got = node.admit(guaranteed("a", 2 * threads)).cpus()
    touched = [numa for numa, cpus in machine.numa_bits.items() if cpus & got.bits]
    node.check(len(touched) == 1, f"CPUs come from the NUMA nodes {touched}", got=got, allowed="one NUMA node")


def _first_core(machine: Machine) -> str:
    return str(CpuSet.from_bits(machine.core_bits[0]))
