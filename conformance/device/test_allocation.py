"""Device Manager."""

from __future__ import annotations

import pytest

from numa_conformance.machine import Machine, load_machine
from numa_conformance.suite.examples.node_run import NodeRun, held_after
from numa_conformance.suite.generators.workloads import best_effort, guaranteed, kubelet, static

pytestmark = pytest.mark.surfaces("node")
requirement = pytest.mark.requirement

GPU, NIC = "example.com/gpu", "example.com/nic"
"""On the machine: two gpus on each of two NUMA nodes and an unhealthy one on node 0; three nics: one on both nodes,
two without topology."""


@pytest.fixture
def gpus() -> Machine:
    return load_machine("two-nodes-devices")


@requirement("device-manager/allocation/gives-the-number-asked-for")
@pytest.mark.parametrize("count", [1, 2, 4])
def test_gives_the_number_asked_for(node: NodeRun, gpus: Machine, count: int) -> None:
    node.start(gpus, kubelet())
    got = node.admit(best_effort("a", **{GPU: str(count)})).devices(GPU)
    known = {one.id for one in gpus.devices if one.resource == GPU}
    node.check(len(set(got)) == count, "the number of devices is wrong", got=got, allowed=count)
    node.check(set(got) <= known, "devices are given that are not there", got=got, allowed=sorted(known))


@requirement("device-manager/allocation/shares-no-device", "device-manager/allocation/gives-healthy-devices-only")
def test_no_device_is_shared_or_unhealthy(node: NodeRun, gpus: Machine) -> None:
    node.start(gpus, kubelet())
    given: list[str] = []
    for index in range(4):
        given += node.admit(best_effort(f"p{index}", **{GPU: "1"})).devices(GPU)
    node.check(len(set(given)) == 4, "a device is given twice", got=given, allowed="4 different devices")
    sick = [one.id for one in gpus.devices if not one.healthy and one.id in given]
    node.check(not sick, "unhealthy devices are given", got=sick, allowed="none")


@requirement(
    "device-manager/allocation/gives-healthy-devices-only", "device-manager/allocation/refuses-what-is-not-there"
)
def test_refuses_what_only_unhealthy_devices_could_give(node: NodeRun, gpus: Machine) -> None:
    node.start(gpus, kubelet())
    answer = node.try_admit(best_effort("a", **{GPU: "5"}))
    node.check(not answer.admitted, "more devices are given than are healthy", got=answer.answer, allowed="refused")
    node.admit(best_effort("b", **{GPU: "4"}))


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


@requirement("device-manager/restart/keeps-devices")
def test_a_restart_keeps_the_devices(node: NodeRun, gpus: Machine) -> None:
    node.start(gpus, kubelet())
    before = sorted(node.admit(best_effort("a", **{GPU: "2"})).devices(GPU))
    containers = held_after(node.restart())["a"]
    after = sorted((containers["c"].devices or {}).get(GPU, []))
    node.check(after == before, "other devices after a restart", got=after, allowed=before)
