"""Resizing in place: what is Infeasible, what is Deferred, and that what is not granted changes nothing."""

import pytest

from numa_conformance.asking.generators.workloads import burstable, container, guaranteed, kubelet, pod, static
from numa_conformance.errors import UsageError
from numa_conformance.machine import load_machine
from numa_conformance.reference.node import Node
from numa_conformance.sources.quirks import Quirks

MACHINE = load_machine("t1-one-socket-smt2")
TWO_NODES = load_machine("t2-two-sockets-interleaved")
MIB = 2**20
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
    assert (outcome.reason, outcome.placements) == ("Infeasible", {})
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


def test_a_resize_that_changes_nothing_is_granted_without_a_question():
    node = node_of(static(more=MEMORY), "1.33")
    node.admit(guaranteed("a", 2))
    assert node.resize(guaranteed("a", 2)).admitted


def test_what_eviction_keeps_free_is_no_part_of_what_the_node_never_has():
    node = node_of(static(kubeReserved={"memory": "256Mi"}), "1.35")
    node.admit(burstable("a", 1))
    has = MACHINE.total_memory - 256 * MIB
    assert node.resize(burstable("a", 1, str(has))).reason == "Deferred"
    outcome = node.resize(burstable("a", 1, str(has + 1)))
    assert outcome.reason == "Infeasible"
    assert outcome.message.endswith(f"memory, requested: {has + 1}, capacity: {has}")


GATES = {"InPlacePodVerticalScalingExclusiveCPUs": True, "InPlacePodVerticalScalingExclusiveMemory": True}


@pytest.mark.parametrize(
    ("version", "topology", "reason"),
    [
        ("1.34", "none", None),
        ("1.34", "best-effort", None),
        ("1.36", "restricted", "Deferred"),
        ("1.37", "restricted", None),
    ],
)
def test_behind_the_gates_a_container_keeps_the_cpus_and_memory_that_it_has(version, topology, reason):
    node = node_of(static(topology=topology, more=MEMORY, featureGates=GATES), version)
    node.admit(guaranteed("a", 2))
    before = node.state().pods["a"]["c"]
    assert node.resize(guaranteed("a", 3, "128Mi")).reason == reason
    after = node.state().pods["a"]["c"]
    assert (after.cpus, after.memory) == (before.cpus, before.memory)
    assert after.cpus.bit_count() == 2


def test_behind_a_gate_a_container_gets_exclusive_cpus_until_1_36():
    for version, count in (("1.36", 2), ("1.37", 0)):
        node = node_of(static(featureGates=GATES), version)
        node.admit(guaranteed("a", "1500m"))
        assert node.resize(guaranteed("a", 2)).placements["c"].cpus.bit_count() == count


def test_each_gate_lets_through_its_own_resource():
    for gate, cpu, memory in (("ExclusiveCPUs", 2, "128Mi"), ("ExclusiveMemory", 3, "64Mi")):
        node = node_of(static(more=MEMORY, featureGates={f"InPlacePodVerticalScaling{gate}": True}))
        node.admit(guaranteed("a", 2))
        assert node.resize(guaranteed("a", cpu, memory)).reason == "Infeasible"


def test_a_restart_may_refuse_a_pod_that_was_resized_behind_a_gate():
    node = node_of(static(topology="restricted", featureGates=GATES))
    node.admit(guaranteed("a", 2))
    assert node.resize(guaranteed("a", 3)).admitted
    (pod_again,) = node.restart().pods
    assert pod_again.reason == "TopologyAffinityError"


def test_since_1_37_the_hint_of_a_resized_pod_is_nobodys():
    for version, nodes in (("1.36", 0b01), ("1.37", 0b11)):
        node = Node(TWO_NODES, static(topology="best-effort"), kubernetes_version=version)
        node.admit(guaranteed("a", 2))
        assert node.resize(guaranteed("a", 2, "128Mi")).placements["c"].affinity.mask == nodes


def test_as_documented_a_resized_pod_stays_aligned_as_it_is():
    node = Node(TWO_NODES, static(topology="best-effort"), kubernetes_version="1.37", quirks=Quirks.none())
    node.admit(guaranteed("a", 2))
    assert node.resize(guaranteed("a", 2, "128Mi")).placements["c"].affinity.mask == 0b01
