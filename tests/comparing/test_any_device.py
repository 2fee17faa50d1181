"""Two lives of a node beside each other, where which device a container gets is chance."""

from dataclasses import replace

import pytest

from numa_conformance.comparing.differing import differing
from numa_conformance.judging.files import DEVICE_FILE
from numa_conformance.machine import Device, load_machine
from numa_conformance.wire.history.history import Head, History, Step

NIC = "example.com/nic"
MACHINE = replace(
    load_machine("two-nodes-devices"),
    devices=(*(Device(NIC, f"nic-{n}", (n // 2,)) for n in range(4)), Device(NIC, "nic-4")),
    preferred_allocation={},
)
POD = {"metadata": {"uid": "p"}, "spec": {"containers": [{"name": "c", "resources": {"limits": {NIC: "1"}}}]}}
INIT = {"name": "i", "resources": {"limits": {NIC: "1"}}}
RUN = Step("node.run", {"uid": "p"}, {"result": "started", "default_cpuset": "0-3"})
OTHERWISE = Step("node.run", {"uid": "p"}, {"result": "started", "default_cpuset": "0-2"})


def admitted(*ids, affinity=(0,), pod=POD, cpus=""):
    holding = {"cpus": cpus, "affinity": {"nodes": list(affinity), "preferred": True}, "devices": {NIC: list(ids)}}
    return Step("node.admit", {"pod": pod}, {"result": "admitted", "containers": {"c": holding}})


def between(one, other, machine=MACHINE, **compared):
    head = Head("test", "", 0, machine, "1.36")
    return differing(History(head, tuple(one)), History(head, tuple(other)), **compared)


def test_another_device_of_the_same_numa_node_is_no_difference_and_the_life_goes_on():
    assert between([admitted("nic-0"), RUN], [admitted("nic-1"), RUN]) is None
    found = between([admitted("nic-0"), RUN], [admitted("nic-1"), OTHERWISE])
    assert found is not None
    assert found.step == 1


def test_devices_of_another_node_of_the_affinity_are_chance_and_what_follows_is_not_compared():
    one, other = admitted("nic-0", affinity=(0, 1)), admitted("nic-2", affinity=(0, 1))
    assert between([one, RUN], [other, OTHERWISE]) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (admitted("nic-0"), admitted("nic-2")),
        (admitted("nic-0"), admitted("nic-4")),
        (admitted("nic-0"), admitted("nic-0", "nic-1")),
        (admitted("nic-0", cpus="0"), admitted("nic-1", cpus="1")),
        (admitted("nic-0"), admitted("nic-9")),
    ],
    ids=["another node", "no node", "more", "other CPUs", "no such device"],
)
def test_what_no_chance_explains_differs(one, other):
    assert between([one], [other]) is not None


def test_what_the_containers_after_it_have_follows_from_the_choice_of_one():
    def both(first, second, near):
        pod = {"metadata": {"uid": "p"}, "spec": {"containers": [*POD["spec"]["containers"], {"name": "d"}]}}
        step = admitted(first, affinity=(0, 1), pod=pod)
        after = {"cpus": "", "affinity": {"nodes": [near], "preferred": True}, "devices": {NIC: [second]}}
        step.answer["containers"]["d"] = after
        return step

    assert between([both("nic-0", "nic-2", 1)], [both("nic-2", "nic-0", 0)]) is None
    assert between([both("nic-0", "nic-2", 1)], [both("nic-1", "nic-0", 0)]) is not None


def test_a_plugin_that_prefers_a_device_is_heard():
    preferring = replace(MACHINE, preferred_allocation={NIC: "lowest-id"})
    assert between([admitted("nic-0")], [admitted("nic-1")], preferring) is not None


def test_which_devices_of_an_init_container_serve_again_no_plugin_says():
    preferring = replace(MACHINE, preferred_allocation={NIC: "lowest-id"})
    pod = {**POD, "spec": {**POD["spec"], "initContainers": [INIT]}}
    assert between([admitted("nic-0", pod=pod)], [admitted("nic-1", pod=pod)], preferring) is None


SHARED = replace(MACHINE, devices=(Device(NIC, "nic-0", (0,)), Device(NIC, "nic-1", (0, 1))))
SECOND = {"cpus": "", "affinity": {"nodes": [1], "preferred": True}, "devices": {NIC: ["nic-1"]}}
REFUSED = {"result": "rejected", "reason": "TopologyAffinityError"}


def in_two_containers(first, second):
    """Return the admission of a pod of two containers, the first on NUMA node 0."""
    pod = {**POD, "spec": {"containers": [*POD["spec"]["containers"], {"name": "d"}]}}
    step = admitted(first, pod=pod)
    step.answer["containers"]["d"] = second
    return step


def test_a_pod_may_be_refused_whose_first_container_took_what_the_second_needs():
    step = in_two_containers("nic-0", SECOND)
    refused = Step("node.admit", step.params, REFUSED)
    assert between([step], [refused], SHARED) is None
    assert between([refused], [step], SHARED) is None


@pytest.mark.parametrize(
    ("second", "machine"),
    [
        ({**SECOND, "devices": {}}, SHARED),
        (SECOND, replace(SHARED, devices=(Device(NIC, "nic-0", (0,)), Device(NIC, "nic-1", (1,))))),
        (SECOND, replace(SHARED, preferred_allocation={NIC: "lowest-id"})),
    ],
    ids=["the second needs none", "the first could have had no other", "a plugin chose"],
)
def test_a_pod_may_not_be_refused_where_no_other_choice_was(second, machine):
    step = in_two_containers("nic-0", second)
    assert between([step], [Step("node.admit", step.params, REFUSED)], machine) is not None


def refused_at_the_second(*hints, resource=NIC):
    """Return the refusal of a pod whose second container, after one with a device, is offered these NUMA nodes."""
    second = {"name": "d", "resources": {"limits": {resource: "1"}}}
    pod = {**POD, "spec": {"containers": [*POD["spec"]["containers"], second]}}
    offered = [{"nodes": list(nodes), "preferred": True} for nodes in hints]
    first = {"container": "c", "providers": [{NIC: [{"nodes": [0], "preferred": True}]}]}
    alignments = [first, {"container": "d", "providers": [{resource: offered}, None]}]
    return Step("node.admit", {"pod": pod}, {**REFUSED, "alignments": alignments})


def test_what_a_refused_container_is_offered_follows_from_the_choice_before_it():
    one, other = refused_at_the_second((0,)), refused_at_the_second()
    assert between([one], [other]) is None
    assert between([one], [other], replace(MACHINE, preferred_allocation={NIC: "lowest-id"})) is not None
    gpus = [refused_at_the_second(*hints, resource="example.com/gpu") for hints in ([(0,)], [])]
    assert between(gpus[:1], gpus[1:]) is not None, "nobody took any of these"


def after_init(init, *ids):
    """Return the admission of a pod whose container comes after an init container with devices of two NUMA nodes."""
    limits = [{"name": "i", "resources": {"limits": {NIC: "2"}}}]
    step = admitted(*ids, pod={**POD, "spec": {**POD["spec"], "initContainers": limits}})
    holding = {"cpus": "", "affinity": {"nodes": [0], "preferred": True}, "devices": {NIC: init}}
    step.answer["containers"]["i"] = holding
    return step


def test_of_what_an_init_container_had_any_may_serve_again():
    had = ["nic-0", "nic-2"]
    assert between([after_init(had, "nic-0")], [after_init(had, "nic-2")]) is None
    assert between([after_init(had, "nic-0")], [after_init(had, "nic-3")]) is not None, "another of that node"
    assert between([after_init(["nic-0"], "nic-0")], [after_init(["nic-2"], "nic-2")]) is not None, "the first is off"


def test_state_files_are_compared_by_the_nodes_of_devices():
    def files(node, id):
        entry = {"PodUID": "p", "ContainerName": "c", "ResourceName": NIC, "DeviceIDs": {node: [id]}}
        return Step("node.checkpoints", {}, {"checkpoints": {DEVICE_FILE: {"PodDeviceEntries": [entry]}}})

    assert between([files("0", "nic-0")], [files("0", "nic-1")], files=[DEVICE_FILE]) is None
    preferring = replace(MACHINE, preferred_allocation={NIC: "lowest-id"})
    assert between([files("0", "nic-0")], [files("0", "nic-1")], preferring, files=[DEVICE_FILE]) is not None
