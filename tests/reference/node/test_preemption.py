"""Whom a kubelet ends for a critical pod where resources lack (ADM-PRED-02)."""

from typing import Any

import pytest

from numa_conformance.asking.generators.workloads import best_effort, burstable, container, guaranteed, pod, static
from numa_conformance.kube import Pod
from numa_conformance.machine import load_machine
from numa_conformance.reference.node import Node
from numa_conformance.sources.versions import SUPPORTED

CRITICAL = 2_000_000_000
FAILED = (
    "Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to "
    "preempt: no set of running pods found to reclaim resources: "
)


def node(version: str = "1.37", **config: Any) -> Node:
    machine = load_machine("t1-one-socket-smt2")
    return Node(machine, {"maxPods": 5, **config}, kubernetes_version=version, resource_fit=True)


def filled(*described: dict[str, Any], **config: Any) -> Node:
    up = node(**config)
    for each in described:
        assert up.admit(Pod.from_dict(each)).admitted
    return up


def critical(described: dict[str, Any], priority: int = CRITICAL, **spec: Any) -> Pod:
    return Pod.from_dict({**described, "spec": {**described["spec"], "priority": priority, **spec}})


@pytest.mark.parametrize("version", SUPPORTED, ids=str)
def test_a_critical_pod_ends_a_lower_one_that_takes_its_place(version):
    up = node(str(version))
    up.admit(Pod.from_dict(burstable("app", 6)))
    admission = up.admit(critical(burstable("agent", 3)))
    assert (admission.reason, admission.preempted, list(up.pods)) == (None, ("app",), ["agent"])


@pytest.mark.parametrize(
    ("marks", "ends"),
    [
        ({"spec": {"priority": CRITICAL - 1}}, False),
        ({"spec": {"priority": CRITICAL}}, True),
        ({"spec": {"priorityClassName": "system-cluster-critical"}}, True),
        ({"spec": {"priorityClassName": "mine"}}, False),
        ({"annotations": {"kubernetes.io/config.source": "file"}}, True),
        ({"annotations": {"kubernetes.io/config.source": "http"}}, True),
        ({"annotations": {"kubernetes.io/config.source": "api"}}, False),
        ({"annotations": {"kubernetes.io/config.mirror": "x"}}, True),
    ],
)
def test_critical_are_static_and_mirror_pods_and_those_of_high_priority(marks, ends):
    up, asking = filled(burstable("app", 6)), burstable("agent", 3)
    asking["spec"] |= marks.get("spec", {})
    asking["metadata"]["annotations"] = marks.get("annotations", {})
    admission = up.admit(Pod.from_dict(asking))
    assert (admission.reason, admission.preempted) == ((None, ("app",)) if ends else ("OutOfcpu", ()))


def test_a_critical_pod_that_fits_ends_nobody():
    assert filled(burstable("app", 6)).admit(critical(burstable("agent", 2))).preempted == ()


@pytest.mark.parametrize(
    ("there", "cpus", "ended"),
    [
        ((guaranteed("g", 3), burstable("b", 3)), 5, ("b",)),
        ((guaranteed("g", 3), burstable("b", 3)), 6, ("b", "g")),
        ((guaranteed("g", 5), burstable("b", 1)), 6, ("g",)),
        ((guaranteed("g", 3), burstable("b", 2)), 8, ("b", "g")),
        ((burstable("large", 5), burstable("small", 2)), 3, ("small",)),
        ((burstable("large", 5), burstable("small", 2)), 4, ("large",)),
        ((burstable("a", 2, "2Gi"), burstable("b", 2, "1Gi")), 5, ("b",)),
        ((burstable("first", 2), burstable("last", 2)), 5, ("last",)),
        ((best_effort("none"), burstable("app", 6)), 3, ("app",)),
    ],
)
def test_as_little_as_can_be_is_ended_by_class_and_then_by_what_it_leaves_missing(there, cpus, ended):
    assert filled(*there).admit(critical(burstable("agent", cpus))).preempted == ended


def test_a_place_is_a_resource_too_and_of_pods_best_effort_ones_end_first():
    there = (burstable("b", 1), best_effort("e"), guaranteed("g", 1))
    assert filled(*there, maxPods=3).admit(critical(best_effort("agent"))).preempted == ("e",)


def test_each_missing_resource_weighs_alike():
    """One leaves nothing of either missing; the other all memory."""
    both, cpu = burstable("both", 2, "2Gi"), burstable("cpu", 6, "1Mi")
    up = filled(cpu, both)
    assert up.admit(critical(burstable("agent", 2, "7Gi"))).preempted == ("both",)


def test_critical_pods_end_only_lower_ones_of_their_kind():
    up = filled(burstable("app", 1))
    assert up.admit(critical(burstable("first", 6))).preempted == ()
    told = up.admit(critical(burstable("same", 4)))
    assert (told.reason, told.message) == ("UnexpectedAdmissionError", f"{FAILED}[(res: cpu, q: 2000), ]")
    assert list(up.pods) == ["app", "first"]
    assert up.admit(critical(burstable("higher", 4), CRITICAL + 1)).preempted == ("first",)


def test_what_lacks_is_told_as_a_kubelet_lists_it():
    up = node(maxPods=1)
    up.admit(critical(burstable("first", 1)))
    told = up.admit(critical(burstable("agent", 8)))
    assert told.message == f"{FAILED}[(res: pods, q: 1), (res: cpu, q: 1000), ]"


@pytest.mark.parametrize("spec", [{"nodeSelector": {"kubernetes.io/os": "bsd"}}, {"os": {"name": "windows"}}])
def test_nobody_is_ended_for_a_pod_that_something_else_refuses(spec):
    up = filled(burstable("app", 6))
    assert up.admit(critical(burstable("agent", 3), **spec)).reason in ("NodeAffinity", "PodOSNotSupported")
    assert list(up.pods) == ["app"]


def test_nobody_is_ended_where_a_manager_refused_first():
    up = filled(guaranteed("app", 6), **static(reserved="0"))
    refused = up.admit(critical(guaranteed("agent", 3)))
    assert (refused.reason, list(up.pods)) == ("UnexpectedAdmissionError", ["app"])


def test_what_the_managers_gave_before_stays_and_what_ends_gives_back():
    up = filled(guaranteed("app", 2), burstable("other", 5), **static(reserved="0"))
    admission = up.admit(critical(guaranteed("agent", 2)))
    assert admission.preempted == ("other",)
    assert not admission.placements["c"].cpus & up.state().pods["app"]["c"].cpus
    up.remove("agent")
    assert up.admit(Pod.from_dict(burstable("later", 5))).admitted


@pytest.mark.parametrize(
    ("version", "on", "ends"), [("1.35", False, True), ("1.37", False, True), ("1.37", True, False)]
)
def test_a_resize_of_a_critical_pod_ends_others_unless_the_scheduler_does(version, on, ends):
    gate = {"featureGates": {"InPlacePodVerticalScalingSchedulerPreemption": True}} if on else {}
    up = node(version, **gate)
    for each in (critical(burstable("agent", 1)), Pod.from_dict(burstable("app", 6))):
        up.admit(each)
    resized = up.resize(critical(burstable("agent", 3)))
    assert resized is not None
    assert (resized.reason, resized.preempted) == ((None, ("app",)) if ends else ("Deferred", ()))


def test_for_devices_nobody_is_ended_as_their_manager_refuses_first():
    machine = load_machine("two-nodes-devices")
    up = Node(machine, {}, resource_fit=True)
    gpus = sum(device.resource == "example.com/gpu" and device.healthy for device in machine.devices)
    asking = pod("app", [container("c", other={"example.com/gpu": str(gpus)})])
    assert up.admit(Pod.from_dict(asking)).admitted
    agent = critical({**asking, "metadata": {"name": "agent"}})
    assert up.admit(agent).reason == "UnexpectedAdmissionError"  # the Device Manager has none left
    assert list(up.pods) == ["app"]


@pytest.mark.parametrize(
    ("version", "short"),
    [("1.33", "(res: cpu, q: 1000), "), ("1.34", ""), ("1.36", ""), ("1.37", "(res: cpu, q: 500), ")],
)
def test_a_sidecar_counts_beside_the_other_containers_since_1_34(version, short):
    """Eight CPUs: the pod has one for its container and four for its sidecar, with overhead of half a CPU.

    At 1.37 the overhead counts twice (quirk), and comes free once.
    """
    app = burstable("app", 1)
    sidecar = {**container("s", requests={"cpu": "4"}), "restartPolicy": "Always"}
    app["spec"] |= {"initContainers": [sidecar], "overhead": {"cpu": "500m"}}
    up = node(version)
    assert up.admit(Pod.from_dict(app)).admitted
    told = up.admit(critical(burstable("agent", 8)))
    assert (told.message, told.preempted) == ((f"{FAILED}[{short}]", ()) if short else (None, ("app",)))


def test_overhead_comes_free_of_what_is_requested_alone():
    idle = best_effort("idle")
    idle["spec"]["overhead"] = {"cpu": "3"}
    up = node("1.36")
    assert up.admit(Pod.from_dict(idle)).admitted
    told = up.admit(critical(burstable("agent", 6)))
    assert told.message == f"{FAILED}[(res: cpu, q: 1000), ]"


@pytest.mark.parametrize(("version", "ends"), [("1.33", True), ("1.34", False), ("1.36", False), ("1.37", True)])
def test_of_a_pod_with_resources_of_its_own_these_come_free(version, ends):
    """From 1.34 to 1.36 it has the requests that are written, since 1.37 those of its containers for what it lacks."""
    app = burstable("app", 6 if version == "1.33" else 1, "6Gi")
    app["spec"]["resources"] = {"requests": {"cpu": "6"}}
    up = node(version)
    assert up.admit(Pod.from_dict(app)).admitted
    assert up.admit(critical(burstable("agent", 3, "7Gi"))).admitted is ends


def test_a_static_pod_without_a_priority_is_above_no_critical_one():
    here = static_pod(burstable("here", 6))
    assert filled(here).admit(Pod.from_dict(static_pod(burstable("agent", 6)))).reason == "UnexpectedAdmissionError"
    high = critical(burstable("high", 6), CRITICAL + 1)
    assert filled(here).admit(high).reason == "UnexpectedAdmissionError"


def static_pod(described: dict[str, Any]) -> dict[str, Any]:
    annotations = {"kubernetes.io/config.source": "file"}
    return {**described, "metadata": {**described["metadata"], "annotations": annotations}}


def test_of_equal_pods_the_last_is_taken_and_its_place_goes_to_the_next():
    here = [burstable(name, 2) for name in ("a", "b", "c", "d")]
    assert filled(*here).admit(critical(burstable("agent", 6))).preempted == ("d", "c", "b")
