"""Topology Manager: policies, scopes, admission."""

from __future__ import annotations

from typing import Any

import pytest

from numa_conformance.cpuset import CpuSet
from numa_conformance.machine import Machine, load_machine
from numa_conformance.suite.examples.node_run import NodeRun, PodOnNode
from numa_conformance.suite.generators.workloads import best_effort, container, guaranteed, kubelet, pod, static

pytestmark = pytest.mark.surfaces("node")
requirement = pytest.mark.requirement

QUAD = "t3-two-numa-per-socket"
"""Four NUMA nodes of 8 CPUs; with CPUs 0 and 16 reserved node 0 has 6 free, the others 8."""


def quad(policy: str, scope: str = "container", **fields: Any) -> dict[str, Any]:
    """Return a static configuration for the four-node machine."""
    return static(reserved="0,16", topology=policy, scope=scope, **fields)


def numa_nodes(machine: Machine, cpus: CpuSet) -> list[int]:
    """Return the NUMA nodes that a set of CPUs touches."""
    return [numa for numa, bits in machine.numa_bits.items() if bits & cpus.bits]


@pytest.fixture
def quad_machine() -> Machine:
    return load_machine(QUAD)


@requirement("topology-manager/restricted/admits-what-needs-several-nodes")
@pytest.mark.parametrize(("cpu", "most"), [(10, 2), (16, 2), (18, 3)])
def test_restricted_admits_what_no_node_could_hold(node: NodeRun, quad_machine: Machine, cpu: int, most: int) -> None:
    node.start(quad_machine, quad("restricted"))
    got = node.admit(guaranteed("a", cpu)).cpus()
    touched = numa_nodes(quad_machine, got)
    node.check(len(touched) <= most, f"CPUs come from the NUMA nodes {touched}", got=got, allowed=f"at most {most}")


@requirement("topology-manager/scope/container/aligns-each-container-alone")
def test_containers_may_go_to_different_nodes(node: NodeRun, quad_machine: Machine) -> None:
    node.start(quad_machine, quad("single-numa-node", "container"))
    answer = node.admit(pod("a", [container(name, cpu="6", memory="64Mi") for name in ("x", "y")]))
    for name in ("x", "y"):
        _on_one_node(node, answer.cpus(name))


@requirement("topology-manager/scope/pod/refuses-by-the-total")
def test_a_pod_too_large_for_one_node_is_refused_in_pod_scope(node: NodeRun, quad_machine: Machine) -> None:
    node.start(quad_machine, quad("single-numa-node", "pod"))
    both = pod("a", [container(name, cpu="6", memory="64Mi") for name in ("x", "y")])
    _topology_refusal(node, node.try_admit(both))


@requirement("topology-manager/scope/pod/counts-the-larger-of-init-and-app-containers")
def test_init_and_app_containers_are_not_added(node: NodeRun, quad_machine: Machine) -> None:
    node.start(quad_machine, quad("single-numa-node", "pod"))
    apps = [container(name, cpu="3", memory="64Mi") for name in ("x", "y")]
    node.admit(pod("a", apps, init=[container("i", cpu="8", memory="64Mi")]))


@requirement("topology-manager/scope/pod/counts-the-larger-of-init-and-app-containers")
def test_a_too_large_init_container_is_refused(node: NodeRun, quad_machine: Machine) -> None:
    node.start(quad_machine, quad("single-numa-node", "pod"))
    large = container("i", cpu="9", memory="64Mi")
    _topology_refusal(node, node.try_admit(pod("a", [container("x", cpu="1", memory="64Mi")], init=[large])))


def _on_one_node(node: NodeRun, cpus: CpuSet) -> None:
    touched = numa_nodes(node.machine, cpus)
    node.check(len(touched) == 1, f"CPUs come from the NUMA nodes {touched}", got=cpus, allowed="one NUMA node")


def _topology_refusal(node: NodeRun, answer: PodOnNode) -> None:
    node.check(not answer.admitted, "the pod is admitted", got=answer.answer, allowed="refused")
    expected = "TopologyAffinityError"
    node.check(answer.reason == expected, "the reason is wrong", got=answer.reason, allowed=expected)


DEVICES = {"example.com/gpu": "1"}


@requirement("topology-manager/admission/all-classes-pass-the-manager")
def test_a_pod_of_devices_alone_is_aligned(node: NodeRun) -> None:
    machine = load_machine("two-nodes-devices")
    node.start(machine, kubelet(topologyManagerPolicy="single-numa-node"))
    many = node.try_admit(best_effort("b", **{"example.com/gpu": "3"}))
    node.check(not many.admitted, "devices of two NUMA nodes are given", got=many.answer, allowed="refused")
    two = node.try_admit(best_effort("a", **{"example.com/gpu": "2"}))
    node.check(two.admitted, "two devices of one NUMA node are refused", got=two.answer)
    places = {numa for one in machine.devices if one.id in two.devices("example.com/gpu") for numa in one.numa}
    node.check(len(places) == 1, "devices come from several NUMA nodes", got=sorted(places), allowed="one NUMA node")


@requirement("topology-manager/admission/fractional-cpus-align-devices-only")
def test_a_fractional_pod_has_its_device_and_no_cpus(node: NodeRun) -> None:
    machine = load_machine("two-nodes-devices")
    node.start(machine, static(topology="single-numa-node"))
    answer = node.admit(guaranteed("a", "300m", **DEVICES))
    node.check(not answer.cpus(), "a fractional request has exclusive CPUs", got=answer.cpus(), allowed="none")
    node.check(len(answer.devices("example.com/gpu")) == 1, "the device is missing", got=answer.answer)
