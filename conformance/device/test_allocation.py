"""Device Manager."""

from __future__ import annotations

import pytest

from numa_conformance.machine import Machine, load_machine
from numa_conformance.suite.examples.node_run import NodeRun
from numa_conformance.suite.generators.workloads import best_effort, guaranteed, kubelet, static

pytestmark = pytest.mark.surfaces("node")
requirement = pytest.mark.requirement

GPU, NIC = "example.com/gpu", "example.com/nic"
"""On the machine: two gpus on each of two NUMA nodes and an unhealthy one on node 0; three nics: one on both nodes,
two without topology."""


@pytest.fixture
def gpus() -> Machine:
    return load_machine("two-nodes-devices")


@requirement("device-manager/allocation/returns-devices-on-removal")
def test_removal_returns_the_devices(node: NodeRun, gpus: Machine) -> None:
    node.start(gpus, kubelet())
    for name in ("a", "b"):
        node.admit(best_effort(name, **{GPU: "4"}))
        node.remove(name)


@requirement("device-manager/topology/aligns-with-cpus")
@pytest.mark.parametrize("count", [1, 2])
def test_devices_are_on_the_numa_node_of_the_cpus(node: NodeRun, gpus: Machine, count: int) -> None:
    node.start(gpus, static(topology="single-numa-node"))
    for name in ("a", "b"):
        answer = node.admit(guaranteed(name, 2, **{GPU: str(count)}))
        cpus = [numa for numa, bits in gpus.numa_bits.items() if bits & answer.cpus().bits]
        near = [set(one.numa) for one in gpus.devices if one.id in answer.devices(GPU) and one.resource == GPU]
        far = [sorted(nodes) for nodes in near if not nodes & set(cpus)]
        node.check(not far, f"devices are far from the CPUs on {cpus}", got=far, allowed=cpus)


@requirement("device-manager/topology/aligns-with-cpus")
def test_devices_follow_the_cpus_to_another_numa_node(node: NodeRun, gpus: Machine) -> None:
    node.start(gpus, static(topology="single-numa-node"))
    held = node.admit(guaranteed("filler", 6)).cpus()
    answer = node.admit(guaranteed("a", 4, **{GPU: "1"}))
    cpus = [numa for numa, bits in gpus.numa_bits.items() if bits & answer.cpus().bits]
    node.check(not answer.cpus() & held, "CPUs are given twice", got=answer.cpus())
    near = [set(one.numa) for one in gpus.devices if one.id in answer.devices(GPU) and one.resource == GPU]
    far = [sorted(nodes) for nodes in near if not nodes & set(cpus)]
    node.check(not far, f"a device is far from the CPUs on {cpus}", got=far, allowed=cpus)


@requirement("device-manager/topology/a-device-may-have-several-nodes")
def test_a_device_of_two_nodes_suits_either(node: NodeRun) -> None:
    gpus = load_machine("two-nodes-shared-device")
    node.start(gpus, static(topology="single-numa-node"))
    node.admit(guaranteed("filler", 7))
    node.admit(guaranteed("a", 6, **{NIC: "1"}))


@requirement("device-manager/topology/no-numa-nodes-means-no-preference")
def test_a_device_without_topology_suits_every_node(node: NodeRun, gpus: Machine) -> None:
    node.start(gpus, static(topology="single-numa-node"))
    for name in ("a", "b"):
        node.admit(guaranteed(name, 6, **{"example.com/usb": "1"}))


@requirement("device-manager/preferred-allocation/is-followed")
def test_the_plugins_preference_is_followed(node: NodeRun) -> None:
    gpus = load_machine("two-nodes-preferring-plugin")
    node.start(gpus, kubelet())
    got = node.admit(best_effort("a", **{GPU: "2"})).devices(GPU)
    wanted = sorted(one.id for one in gpus.devices if one.resource == GPU)[:2]
    node.check(sorted(got) == wanted, "the plugin prefers the lowest ids", got=got, allowed=wanted)
