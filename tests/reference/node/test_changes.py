"""What versions do otherwise, each change on both sides of its version."""

import json
from contextlib import nullcontext
from dataclasses import replace

import pytest

from numa_conformance.asking.generators.workloads import container, guaranteed, pod, static
from numa_conformance.errors import StartError
from numa_conformance.kube import FeatureGates, KubeletConfiguration, NodeObject, Pod
from numa_conformance.machine import load_machine
from numa_conformance.machine.model import Device
from numa_conformance.reference.managers.cpu import CpuState
from numa_conformance.reference.managers.cpu import state_file as cpu_file
from numa_conformance.reference.managers.memory import MemoryBlocks
from numa_conformance.reference.managers.memory import state_file as memory_file
from numa_conformance.reference.managers.state_file import CheckpointError, FileStyle
from numa_conformance.reference.node import Node, NodeFacts
from numa_conformance.sources.changes import CHANGES, Changes
from numa_conformance.sources.quirks import Quirks
from numa_conformance.sources.rules import RULES
from numa_conformance.sources.versions import SUPPORTED, KubernetesVersion


def up(version, machine="t2-two-sockets-interleaved", config=None, **more):
    whole = KubeletConfiguration.from_dict(config or static(**more))
    return Node(load_machine(machine), whole, kubernetes_version=version)


@pytest.mark.parametrize("change", CHANGES.values(), ids=lambda change: change.id)
def test_a_change_names_rules_and_holds_from_its_version_on(change):
    assert all(rule in RULES for rule in change.rule.split(", "))
    flag = change.id.replace("-", "_")
    assert [version for version in SUPPORTED if getattr(Changes.of(version), flag)] == [
        version for version in SUPPORTED if version >= change.since
    ]
    assert not getattr(Changes(), flag)


def test_hints_for_devices_name_nodes_that_have_one_since_1_36():
    """DEV-HINT-11, finding B."""
    assert hinted("1.35", (0,)) == {0b01, 0b11}
    assert hinted("1.36", (0,)) == {0b01}


@pytest.mark.parametrize("version", ["1.35", "1.36"])
def test_a_device_without_topology_suits_nodes_that_have_no_device(version):
    assert hinted(version, (0,), (), quirks=Quirks()) == {0b01, 0b10, 0b11}


def hinted(version, *nodes, quirks=None):
    """Return the masks offered to a container that asks for one of the devices, a device for each tuple of nodes."""
    asked = Pod.from_dict(pod("p", [container("c", other={"example.com/gpu": "1"})]))
    machine = load_machine("two-nodes-devices")
    near = tuple(Device("example.com/gpu", f"gpu-{index}", numa) for index, numa in enumerate(nodes))
    config = KubeletConfiguration.from_dict(static())
    node = Node(replace(machine, devices=near), config, kubernetes_version=version, quirks=quirks)
    return {hint.mask for hint in node.providers["devices"].hints(asked, asked.containers[0])["example.com/gpu"]}


@pytest.mark.parametrize(("version", "said"), [("1.32", "Topology Manager Policy Beta"), ("1.33", "topology manager")])
def test_refused_topology_options_are_told_in_lower_case_since_1_33(version, said):
    """TOPO-OPT-01, finding K."""
    options = {"max-allowable-numa-nodes": "9"}
    more = {"topologyManagerPolicy": "restricted", "topologyManagerPolicyOptions": options}
    with pytest.raises(StartError, match=said):
        up(version, **more, featureGates={"TopologyManagerPolicyBetaOptions": False})


def test_under_policy_none_options_are_read_in_1_27_only():
    """TOPO-OPT-06."""
    more = {"topologyManagerPolicyOptions": {"unknown": "1"}, "featureGates": {"TopologyManagerPolicyOptions": True}}
    up("1.28", **more)
    with pytest.raises(StartError, match="unknown Topology Manager Policy option"):
        up("1.27", **more)


@pytest.mark.parametrize(("version", "qos"), [("1.28", "Guaranteed"), ("1.29", "BestEffort")])
def test_a_class_told_in_the_status_counts_since_1_29(version, qos):
    """ADM-QOS-08."""
    asking = Pod.from_dict({**guaranteed("p", "2"), "status": {"qosClass": "BestEffort"}})
    assert asking.under_gates(FeatureGates.build(version), Quirks.of(KubernetesVersion.parse(version)).node).qos == qos


@pytest.mark.parametrize(("version", "said"), [("1.28", "request, which"), ("1.29", "requested=9, available=7, which")])
def test_missing_cpus_are_numbered_since_1_29(version, said):
    """CPU-ALLOC-02."""
    node = up(version, "t1-one-socket-smt2", config=static(reserved="0"))
    assert said in node.admit(Pod.from_dict(guaranteed("p", "9"))).message


@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("1.28", 'Resource "memory" has an allocatable of 9316Mi, capacity of -1124Mi'),
        (
            "1.29",
            'Resource "memory" has a reservation of 9316Mi but capacity of 8Gi. Expected capacity >= reservation.',
        ),
    ],
)
def test_a_reservation_above_the_capacity_is_told_beside_it_since_1_29(version, said):
    """ADM-RSV-01."""
    machine, config = load_machine("t1-one-socket-smt2"), {"systemReserved": {"memory": "9Gi"}}
    Node(machine, config, kubernetes_version=version)
    with pytest.raises(StartError) as refused:
        Node(machine, config, kubernetes_version=version, resource_fit=True)
    assert refused.value.message == f"invalid Node Allocatable configuration. {said}"


@pytest.mark.parametrize(("reserved", "starts"), [("89Gi", True), ("91Gi", False)])
def test_disks_are_part_of_that_check_where_a_node_says_how_large_they_are(reserved, *, starts):
    """ADM-RSV-01."""
    described = {"metadata": {"name": "n"}, "status": {"capacity": {"ephemeral-storage": "100Gi"}}}
    config = {"kubeReserved": {"ephemeral-storage": reserved}}
    facts = NodeFacts.of(NodeObject.from_dict(described), KubeletConfiguration.from_dict(config))
    with (
        nullcontext()
        if starts
        else pytest.raises(StartError, match='"ephemeral-storage" has a reservation of 108447924384')
    ):
        Node(load_machine("t1-one-socket-smt2"), config, resource_fit=True, facts=facts)


@pytest.mark.parametrize(
    ("kind", "limits"),
    [("system-reserved", "System Reserved"), ("kube-reserved-compressible", "Kube Reserved Compressible")],
)
def test_limits_are_enforced_only_of_what_is_reserved(kind, limits):
    """ADM-RSV-02."""
    machine, field = load_machine("t1-one-socket-smt2"), kind.partition("-")[0]
    config = {"enforceNodeAllocatable": ["pods", kind], f"{field}ReservedCgroup": "/a.slice/b"}
    with pytest.raises(StartError) as refused:
        Node(machine, config, resource_fit=True)
    assert refused.value.message == (
        f'Failed to enforce {limits} Cgroup Limits on "/a.slice/b": ["a.slice" "b"] cgroup is not configured properly'
    )
    Node(machine, {**config, f"{field}Reserved": {"cpu": "1"}}, resource_fit=True)


@pytest.mark.parametrize(("version", "said"), [("1.31", "not multiple"), ("1.32", "available physical CPUs = 0")])
def test_a_full_node_is_told_as_such_since_1_32(version, said):
    """CPU-ADM-02."""
    node = up(version, "t1-one-socket-smt2", config=static("full-pcpus-only", reserved="0-3"))
    assert said in node.admit(Pod.from_dict(guaranteed("p", "2"))).message


@pytest.mark.parametrize(("version", "said"), [("1.35", "corrupted"), ("1.36", None), ("1.37", None)])
def test_a_memory_file_without_a_checksum_is_taken_since_1_36(version, said):
    """MEM-CKPT-02, finding E."""
    style = FileStyle.of(FeatureGates.build(version))
    text = json.dumps({"policyName": "Static", "machineState": {}, "checksum": 0})
    if said is None:
        assert memory_file.decode(text, "Static", style) == ({}, MemoryBlocks())
    else:
        with pytest.raises(CheckpointError, match=said):
            memory_file.decode(text, "Static", style)


@pytest.mark.parametrize(
    ("version", "owner"), [("1.35", "Checkpoint"), ("1.36", "CheckpointV1"), ("1.37", "CheckpointV2")]
)
def test_the_oldest_format_tells_what_is_wrong_since_1_36(version, owner):
    """CPU-CKPT-08, finding F."""
    with pytest.raises(CheckpointError, match=rf"CPUManager{owner}\.entries"):
        cpu_file.decode('{"policyName":"static","entries":5}', "static", FileStyle.of(FeatureGates.build(version)))


ENVELOPE = FileStyle.of(FeatureGates.build("1.37"))


def test_state_files_of_1_37_hold_the_state_twice():
    """CPU-CKPT-17."""
    state = CpuState(0b1100, {"p": {"c": 0b0011}})
    text = cpu_file.encode("static", state, ENVELOPE)
    assert cpu_file.decode(text, "static", ENVELOPE) == state
    assert cpu_file.decode(text, "static") == state, "older kubelets read it"
    told = json.loads(text)
    assert json.loads(told["data"]) == {key: told[key] for key in ("policyName", "defaultCpuSet", "entries")}
    broken = json.dumps(told | {"data": told["data"].replace("0-1", "0-2")})
    with pytest.raises(CheckpointError, match="could not load v4 checkpoint: checkpoint is corrupted"):
        cpu_file.decode(broken, "static", ENVELOPE)


def test_memory_files_of_1_37_hold_the_state_twice():
    """MEM-CKPT-09."""
    text = memory_file.encode("None", {}, MemoryBlocks(), ENVELOPE)
    assert memory_file.decode(text, "None", ENVELOPE) == memory_file.decode(text, "None")
    with pytest.raises(CheckpointError, match="could not load v3 checkpoint: checkpoint is corrupted"):
        memory_file.decode(text.replace("machineState", "machinestate"), "None", ENVELOPE)


def test_a_file_of_an_older_kubelet_is_read_by_a_newer_one():
    state = CpuState(0b1100, {"p": {"c": 0b0011}})
    for old in ("1.32", "1.36"):
        style = FileStyle.of(FeatureGates.build(old))
        assert cpu_file.decode(cpu_file.encode("static", state, style), "static", ENVELOPE) == state


def test_the_gate_gives_cfs_quota_back_since_it_exists():
    """CPU-CFS-02, finding L."""
    gates = {"DisableCPUQuotaWithExclusiveCPUs": False}
    for version in ("1.33", "1.36"):
        (on,) = up(version).admit(Pod.from_dict(guaranteed("p", "2"))).placements.values()
        (off,) = up(version, featureGates=gates).admit(Pod.from_dict(guaranteed("p", "2"))).placements.values()
        assert (on.cpu_quota, off.cpu_quota) == (None, 200_000)


def test_a_distribution_keeps_to_a_socket_beside_align_by_socket_since_1_37():
    """CPU-DIST-18."""
    sockets = {}
    config = static("distribute-cpus-across-numa", "align-by-socket", reserved="0-2")
    for version in ("1.36", "1.37"):
        node = up(version, "t3-two-numa-per-socket", config=config)
        (given,) = node.admit(Pod.from_dict(guaranteed("p", 12))).placements.values()
        sockets[version] = {cpu.socket for cpu in node.machine.cpus if given.cpus >> cpu.id & 1}
    assert (len(sockets["1.36"]), len(sockets["1.37"])) == (2, 1)


def test_versions_beyond_the_newest_are_refused_with_those_known():
    with pytest.raises(Exception, match=r"1\.27 to 1\.37"):
        KubernetesVersion.supported("1.38")


WHOLE = {"requests": {"cpu": "2", "memory": "1Gi"}}


@pytest.mark.parametrize(
    ("limits", "qos"),
    [
        ([{"cpu": "2", "memory": "1Gi"}], "Guaranteed"),
        ([{"cpu": "1", "memory": "1Gi"}], "Guaranteed"),
        ([{"cpu": "1", "memory": "512Mi"}, {"cpu": "1", "memory": "512Mi"}], "Guaranteed"),
        ([{"cpu": "3", "memory": "1Gi"}], "Burstable"),
        ([{"cpu": "1", "memory": "1Gi"}, {"cpu": "1"}], "Burstable"),
    ],
    ids=str,
)
def test_limits_of_a_pod_follow_those_of_its_containers_since_1_37(limits, qos):
    """ADM-DEF-03."""
    requests = {"cpu": "1", "memory": "512Mi"}
    containers = [
        {"name": f"c{number}", "resources": {"limits": one, "requests": requests}} for number, one in enumerate(limits)
    ]
    asking = pod("p", containers)
    asking["spec"]["resources"] = WHOLE
    told = {}
    for version in ("1.36", "1.37"):
        seen = Pod.from_dict(asking).under_gates(
            FeatureGates.build(version), Quirks.of(KubernetesVersion.parse(version)).node
        )
        told[version] = seen.qos
        switched = FeatureGates.build(version, {"PodLevelResourcesFixDefaulting": False} if version == "1.37" else {})
        assert seen.under_gates(switched, Quirks.of(KubernetesVersion.parse(version)).node).qos == "Burstable"
    assert told == {"1.36": "Burstable", "1.37": qos}
