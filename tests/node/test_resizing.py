"""Resizing in place: what is Infeasible, what is Deferred, and that what is not granted changes nothing."""

import pytest

from numa_conformance.documentation.quirks import Quirks
from numa_conformance.errors import UsageError
from numa_conformance.machine import load_machine
from numa_conformance.node import Node
from numa_conformance.suite.generators.workloads import burstable, container, guaranteed, kubelet, pod, static

MACHINE = load_machine("t1-one-socket-smt2")
MEMORY = {
    "memoryManagerPolicy": "Static",
    "kubeReserved": {"memory": "256Mi"},
    "reservedMemory": [{"numaNode": 0, "limits": {"memory": "356Mi"}}],
}


def node_of(config, version="1.37", **more):
    return Node(MACHINE, config, kubernetes_version=version, **more)


@pytest.mark.parametrize(
    ("version", "cpu", "memory", "told"),
    [
        ("1.37", 3, "64Mi", 'CPU Manager policy "static"'),
        ("1.34", 2, "128Mi", 'Memory Manager policy "Static"'),
        ("1.33", 2, "128Mi", "CPU Manager static policy"),
    ],
)
def test_what_static_policies_manage_is_infeasible(version, cpu, memory, told):
    node = node_of(static(more=MEMORY), version)
    node.admit(guaranteed("a", 2))
    before = node.state()
    outcome = node.resize(guaranteed("a", cpu, memory))
    assert (outcome.reason, outcome.placements) == ("Infeasible", None)
    assert outcome.message == f"Resize is infeasible for Guaranteed Pods alongside {told}"
    assert node.state() == before


def test_memory_may_change_beside_static_cpus_from_1_34_on():
    for version, reason in (("1.33", "Infeasible"), ("1.34", None)):
        node = node_of(static(), version)
        node.admit(guaranteed("a", 2))
        assert node.resize(guaranteed("a", 2, "128Mi")).reason == reason


def test_a_limit_that_changes_changes_the_quota():
    node = node_of(kubelet(kubeReserved={"cpu": "1"}))
    node.admit(guaranteed("a", 2))
    assert node.resize(guaranteed("a", 3)).placements["c"].cpu_quota == 300_000


def test_what_may_become_possible_is_deferred():
    node = node_of(static())
    node.admit(burstable("a", 1))
    node.admit(burstable("b", 4))
    outcome = node.resize(burstable("a", 5))
    assert outcome.reason == "Deferred"
    assert outcome.message == "Node didn't have enough resource: cpu, requested: 5000, used: 4000, capacity: 7000"
    node.remove("b")
    assert node.resize(burstable("a", 5)).admitted


@pytest.mark.parametrize(("version", "reason"), [("1.35", "Infeasible"), ("1.36", "Deferred")])
def test_what_the_node_never_has_waits_since_1_36(version, reason):
    node = node_of(static(), version)
    node.admit(burstable("a", 1))
    assert node.resize(burstable("a", 9)).reason == reason
    documented = node_of(static(), version, quirks=Quirks.none())
    documented.admit(burstable("a", 1))
    assert documented.resize(burstable("a", 9)).reason == "Infeasible"


def test_without_the_gate_nothing_is_resized():
    node = node_of(kubelet(kubeReserved={"cpu": "1"}, featureGates={"InPlacePodVerticalScaling": False}), "1.33")
    node.admit(burstable("a", 1))
    assert node.resize(burstable("a", 2)).message == "InPlacePodVerticalScaling is disabled"


def test_a_restart_admits_what_was_resized():
    node = node_of(static())
    node.admit(burstable("a", 1))
    node.resize(burstable("a", 5))
    node.admit(burstable("b", 1))
    node.restart()
    assert node.resize(burstable("b", 3)).reason == "Deferred"


def test_a_pod_that_is_not_there_is_not_resized():
    assert node_of(static()).resize(burstable("a", 1)) is None


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (pod("a", [container("other", requests={"cpu": "1", "memory": "64Mi"})]), "other containers"),
        (guaranteed("a", 1), "from class Burstable to Guaranteed"),
        (pod("a", [container("c", requests={"cpu": "1"})]), "is taken away"),
        (
            pod("a", [container("c", requests={"cpu": "1", "memory": "64Mi"}, other={"example.com/gpu": "1"})]),
            "cannot be",
        ),
    ],
)
def test_what_the_api_server_refuses_is_wrong_usage(wanted, said):
    node = node_of(static())
    node.admit(burstable("a", 1))
    with pytest.raises(UsageError, match=said):
        node.resize(wanted)


def test_a_gate_whose_doing_is_not_reproduced_is_told():
    gates = {"InPlacePodVerticalScalingExclusiveCPUs": True}
    node = node_of(static(featureGates=gates))
    node.admit(guaranteed("a", 2))
    with pytest.raises(UsageError, match="is not reproduced"):
        node.resize(guaranteed("a", 3))
