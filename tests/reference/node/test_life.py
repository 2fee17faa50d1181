"""A node's life around its pods: restarts, boots, shutdowns."""

from dataclasses import replace
from typing import Any

import pytest

from numa_conformance.asking.generators.workloads import guaranteed, static, static_memory
from numa_conformance.errors import StartError
from numa_conformance.kube import Pod
from numa_conformance.machine import Machine, load_machine, machine_from_dict, machine_to_dict
from numa_conformance.machine.hostfs import MemoryStore
from numa_conformance.machine.model import Device
from numa_conformance.reference.node import Node
from numa_conformance.sources.quirks import Quirks
from numa_conformance.sources.versions import KubernetesVersion

GPU, CHECKPOINT = "example.com/gpu", "kubelet_internal_checkpoint"
PLAIN = load_machine("t1-one-socket-smt2")
GPUS = tuple(Device(GPU, f"gpu{number}", (0,)) for number in range(2))
NOT_BACK = f"Allocate failed due to no healthy devices present; cannot allocate unhealthy devices {GPU}"


def node(version: str = "1.37", machine: Machine | None = None, **config: Any) -> Node:
    machine = machine or replace(PLAIN, devices=GPUS)
    return Node(machine, {**static(), **config}, kubernetes_version=version, resource_fit=True)


def on_gpus(uid: str, number: int = 1) -> dict[str, Any]:
    return guaranteed(uid, 1, **{GPU: str(number)})


def outcome(result: Any) -> dict[str, str | None]:
    return {each.uid: each.reason for each in result.pods}


# A boot


@pytest.mark.parametrize("version", ["1.27", "1.31", "1.37"])
def test_a_boot_refuses_pods_with_devices_before_their_plugin_is_back(version: str) -> None:
    up = node(version)
    up.admit(on_gpus("gpu"))
    up.admit(guaranteed("cpu", 1))
    cpus = up.state().pods["cpu"]["c"].cpus
    again = up.reboot()
    assert outcome(again) == {"gpu": "UnexpectedAdmissionError", "cpu": None}
    assert NOT_BACK in str(again.pods[0].message)
    assert up.state().pods["cpu"]["c"].cpus == cpus
    assert up.admit(on_gpus("next", 2)).admitted, "plugins have registered by then, and what it had is free"


def test_up_to_1_27_1_it_keeps_what_it_has() -> None:
    up = node("1.27.1")
    up.admit(on_gpus("gpu"))
    assert outcome(up.reboot()) == {"gpu": None}


def test_a_restart_leaves_running_pods_alone() -> None:
    up = node()
    up.admit(on_gpus("gpu"))
    assert outcome(up.restart()) == {"gpu": None}


def test_without_the_state_file_a_pod_starts_without_its_devices() -> None:
    up = node()
    up.admit(on_gpus("gpu"))
    up.write_files({CHECKPOINT: None})
    assert outcome(up.reboot()) == {"gpu": None}
    assert up.state().pods["gpu"]["c"].devices == {}


@pytest.mark.parametrize(("whole", "reason"), [(True, None), (False, "TopologyAffinityError")])
def test_before_plugins_are_back_devices_give_no_hints(whole: bool, reason: str | None) -> None:
    """CPUs are on one NUMA node and the device on another, which the policy of the next start would refuse."""
    machine = load_machine("t3-two-numa-per-socket")
    far = replace(machine, devices=(Device(GPU, "far", (machine.numa_ids[-1],)),))
    up = Node(far, static(topology="best-effort"), resource_fit=whole)
    for number, wanted in enumerate((7, 8, 8, 8)):
        assert up.admit(guaranteed(f"p{number}", wanted)).admitted
    assert up.remove("p0")
    assert up.admit(on_gpus("gpu")).admitted
    assert outcome(up.restart(static(topology="single-numa-node")))["gpu"] == reason


def test_of_the_managers_alone_plugins_register_first() -> None:
    up = Node(replace(PLAIN, devices=GPUS), static())
    up.admit(on_gpus("gpu"))
    assert outcome(up.reboot()) == {"gpu": None}


def test_after_a_boot_nothing_runs() -> None:
    up = node()
    up.admit(guaranteed("cpu", 1))
    up.run("cpu")
    assert up.reconcile().handled == 1
    up.reboot()
    assert up.reconcile().handled == 0


def test_a_boot_with_other_memory_ends_the_kubelet() -> None:
    config = static_memory()
    up = Node(PLAIN, config, resource_fit=True)
    (memory,) = PLAIN.memory
    assert memory.memory
    with pytest.raises(StartError, match="the expected machine state is different from the real one"):
        up.reboot(replace(PLAIN, memory=(replace(memory, memory=memory.memory - 4096),)))
    up.write_files({"memory_manager_state": None})
    assert up.reboot().pods == ()


@pytest.mark.parametrize("lacking", [1, 0])
def test_a_boot_with_other_cpus_ends_the_kubelet(lacking: int) -> None:
    fewer = replace(PLAIN, cpus=PLAIN.cpus[: len(PLAIN.cpus) - 1], offline=(PLAIN.cpus[-1].id,))
    before, after = (PLAIN, fewer) if lacking else (fewer, PLAIN)
    up = Node(before, static(), resource_fit=True)
    with pytest.raises(StartError, match="CPUs"):
        up.reboot(after)


@pytest.mark.parametrize(
    ("version", "reason"), [("1.27.1", None), ("1.27.2", "UnexpectedAdmissionError"), ("1.27.6", None), ("1.37", None)]
)
def test_four_patches_refuse_running_pods_before_their_plugin_is_back(version: str, reason: str | None) -> None:
    up = node(version)
    up.admit(on_gpus("gpu"))
    assert outcome(up.restart()) == {"gpu": reason}
    quirks = Quirks.of(KubernetesVersion.parse(version)).without("running-containers-need-their-plugin")
    without = Node(up.machine, static(), kubernetes_version=version, quirks=quirks, resource_fit=True)
    without.admit(on_gpus("gpu"))
    assert outcome(without.restart()) == {"gpu": None}


def test_a_machine_with_other_plugins_is_the_one_of_before_when_they_come_back() -> None:
    up = node()
    before = up.machine
    up.change_plugins({GPU: "empty", "example.com/nic": "fails"})
    assert (up.machine.devices, dict(up.machine.preferred_allocation)) == ((), {GPU: None, "example.com/nic": "fails"})
    up.change_plugins({GPU: "registered", "example.com/nic": "unregistered"})
    assert up.machine == before


# Containers that ended and were started again


def started_again(count: int) -> dict[str, Any]:
    return {**on_gpus("gpu"), "status": {"containerStatuses": [{"name": "c", "restartCount": count}]}}


@pytest.mark.parametrize(
    ("version", "count", "reason"),
    [("1.33", 2, "UnexpectedAdmissionError"), ("1.33", 0, None), ("1.34.10", 2, None), ("1.37", 2, None)],
)
def test_the_id_that_ended_is_looked_up(version: str, count: int, reason: str | None) -> None:
    up = node(version)
    up.admit(started_again(count))
    assert outcome(up.restart()) == {"gpu": reason}


# The order and what is released


def aged(described: dict[str, Any], created: str, *, is_static: bool = False) -> dict[str, Any]:
    notes = {"kubernetes.io/config.source": "file"} if is_static else {}
    return {**described, "metadata": {**described["metadata"], "creationTimestamp": created, "annotations": notes}}


def test_pods_from_files_come_first_and_then_the_oldest() -> None:
    up = node()
    for described, created, is_static in (
        ("b", "2026-01-02", False),
        ("a", "2026-01-01", False),
        ("s", "2026-02-01", True),
    ):
        up.admit(aged(guaranteed(described, 1), f"{created}T00:00:00Z", is_static=is_static))
    assert list(outcome(up.restart())) == ["s", "a", "b"]


def test_what_a_gone_pod_held_is_not_there_while_the_kubelet_starts() -> None:
    """The pod that had nothing before asks for CPUs that only come free once all pods are known."""
    left = node()
    left.admit(guaranteed("gone", 5))
    store = MemoryStore()
    for name, text in left.checkpoints().items():
        store.write(name, text)
    other = Node(left.machine, static(), store=store, resource_fit=True)
    other._pods = {"new": Pod.from_dict(guaranteed("new", 5))}
    assert outcome(other.restart())["new"] == "UnexpectedAdmissionError"
    assert other.admit(guaranteed("later", 5)).admitted


# A plugin that offers nothing


@pytest.mark.parametrize(("version", "reason"), [("1.27.1", None), ("1.27.2", "UnexpectedAdmissionError")])
@pytest.mark.parametrize("number", [0, 1])
def test_a_plugin_that_offers_nothing_refuses(version: str, reason: str | None, number: int) -> None:
    machine = machine_from_dict({**machine_to_dict(PLAIN), "devicePlugins": {GPU: {}}})
    admission = node(version, machine).admit(on_gpus("gpu", number))
    if number and reason is None:
        reason = "UnexpectedAdmissionError"
    assert admission.reason == reason
    assert ("no healthy devices present" in str(admission.message)) == (version == "1.27.2")


# A shutdown


def prioritized(uid: str, priority: int, grace: int | None = None) -> dict[str, Any]:
    described = guaranteed(uid, 0.1)
    described["spec"]["priority"] = priority
    if grace is not None:
        described["spec"]["terminationGracePeriodSeconds"] = grace
    return described


def shut_down(*pods: dict[str, Any], version: str = "1.37", **config: Any) -> tuple[Node, list[Any]]:
    up = node(version, **config)
    for described in pods:
        assert up.admit(described).admitted
    return up, [(group.priority, group.seconds, dict(group.pods)) for group in up.shut_down()]


CRITICAL = 2_000_000_000
GATES = ("GracefulNodeShutdown", "GracefulNodeShutdownBasedOnPodPriority", "WindowsGracefulNodeShutdown")
TWO = {"shutdownGracePeriod": "50s", "shutdownGracePeriodCriticalPods": "20s"}


def test_ordinary_pods_end_before_critical_ones() -> None:
    pods = [prioritized("critical", CRITICAL), prioritized("plain", 0), prioritized("low", -5, grace=3)]
    up, groups = shut_down(*pods, **TWO)
    assert groups == [(0, 30, {"plain": 30, "low": 3}), (CRITICAL, 20, {"critical": 20})]
    assert not up.pods
    assert up.admit(guaranteed("late", 1)).reason == "NodeShutdown"
    assert outcome(up.reboot()) == {}
    assert up.admit(guaranteed("late", 1)).admitted


def test_a_node_without_pods_refuses_them_too() -> None:
    up, groups = shut_down(**TWO)
    assert (groups, up.admit(guaranteed("late", 1)).reason) == ([], "NodeShutdown")


def test_groups_end_by_priority_and_a_pod_between_two_is_in_the_lower() -> None:
    listed = [
        {"priority": 10, "shutdownGracePeriodSeconds": 5},
        {"priority": 0, "shutdownGracePeriodSeconds": 60},
        {"priority": 100, "shutdownGracePeriodSeconds": 1},
    ]
    pods = [prioritized(f"p{priority}", priority) for priority in (-1, 0, 9, 10, 99, CRITICAL)]
    _, groups = shut_down(*pods, shutdownGracePeriodByPodPriority=listed)
    assert groups == [
        (0, 60, {"p-1": 30, "p0": 30, "p9": 30}),
        (10, 5, {"p10": 5, "p99": 5}),
        (100, 1, {f"p{CRITICAL}": 1}),
    ]


@pytest.mark.parametrize(
    "config",
    [
        {},
        {**TWO, "featureGates": dict.fromkeys(GATES, False)},
        {"shutdownGracePeriod": "10s", "shutdownGracePeriodCriticalPods": "20s"},
    ],
)
def test_without_periods_nobody_ends_pods(config: dict[str, Any]) -> None:
    up, groups = shut_down(prioritized("a", 0), **config)
    assert groups == []
    assert list(up.pods) == ["a"]
    assert outcome(up.reboot()) == {"a": None}


def test_without_the_gate_of_priorities_the_two_periods_count() -> None:
    listed = [{"priority": 10, "shutdownGracePeriodSeconds": 5}]
    gates = {"GracefulNodeShutdownBasedOnPodPriority": False}
    _, groups = shut_down(prioritized("a", 0), shutdownGracePeriodByPodPriority=listed, featureGates=gates)
    assert groups == []
