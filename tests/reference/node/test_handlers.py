"""The handlers around the managers: each as a kubelet refuses and as it passes, by version (ADM-CHAIN-02)."""

from typing import Any

import pytest

from numa_conformance.errors import UsageError
from numa_conformance.kube import KubeletConfiguration, NodeObject, Pod
from numa_conformance.machine import load_machine
from numa_conformance.reference.node import Node, NodeFacts
from numa_conformance.reference.node.fit import ResourceFit
from numa_conformance.sources.changes import Changes
from numa_conformance.sources.handlers import HANDLERS, SAFE_SYSCTLS
from numa_conformance.sources.quirks import Quirks
from numa_conformance.sources.quirks.areas import SchedulerQuirks
from numa_conformance.sources.versions import SUPPORTED, KubernetesVersion

AFFINITY = "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector"
PORTS = "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports"
TAINTS = "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate"
STORAGE = "Node didn't have enough resource: ephemeral-storage, requested: 2147483648, used: 0, capacity: 1073741824"


def pod(
    name: str = "p", *, metadata: dict[str, Any] | None = None, c: dict[str, Any] | None = None, **spec: Any
) -> Pod:
    named = {"name": name, **(metadata or {})}
    return Pod.from_dict({"metadata": named, "spec": {"containers": [{"name": "c", **(c or {})}], **spec}})


def node(version: str = "1.37", facts: NodeFacts | None = None, **config: Any) -> Node:
    machine = load_machine("t1-one-socket-smt2")
    return Node(machine, config, kubernetes_version=version, resource_fit=True, facts=facts)


def seen(spec: dict[str, Any] | None = None, labels: dict[str, str] | None = None, **status: Any) -> NodeFacts:
    """Return what a Node says."""
    allocatable = {"cpu": "8", "ephemeral-storage": "1Gi"}
    described = {"spec": spec or {}, "status": {"allocatable": allocatable, **status}}
    named = NodeObject.from_dict({**described, "metadata": {"name": "worker", "labels": labels or {}}})
    return NodeFacts.of(named, KubeletConfiguration())


def answer(up: Node, *pods: Pod) -> tuple[str | None, str | None]:
    """Return reason and message of what becomes of the last pod."""
    admissions = [up.admit(each) for each in pods]
    return admissions[-1].reason, admissions[-1].message


def uses(up: Node, asking: Pod) -> list[str]:
    return [each.use for each in up.chain.unmodelled(asking)]


def sysctl(*names: str) -> dict[str, Any]:
    return {"securityContext": {"sysctls": [{"name": name, "value": "1"} for name in names]}}


def test_the_handlers_stand_in_the_order_of_the_kubelet():
    assert list(HANDLERS) == [
        "resize",
        "eviction pressure",
        "sysctls",
        "managers",
        "node info",
        "OS label",
        "OS field",
        "sidecars",
        "supplemental groups",
        "fit",
        "node affinity",
        "node name",
        "host ports",
        "taints",
        "AppArmor",
        "pod-level gate",
        "declared features",
        "shutdown",
        "volumes",
    ]


@pytest.mark.parametrize("version", SUPPORTED, ids=str)
@pytest.mark.parametrize("name", SAFE_SYSCTLS)
def test_a_safe_sysctl_is_one_since_its_version(name, version):
    reason = None if version >= SAFE_SYSCTLS[name] else "SysctlForbidden"
    assert node(str(version)).admit(pod(**sysctl(name))).reason == reason


@pytest.mark.parametrize(
    ("asking", "allowed", "message"),
    [
        (sysctl("kernel.msgmax"), [], 'forbidden sysctl: "kernel.msgmax" not allowlisted'),
        (sysctl("net/ipv4/tcp_syncookies"), [], None),
        (sysctl("net/core/somaxconn"), ["net.core.*"], None),
        (
            sysctl("net.core.somaxconn"),
            ["net.core.somaxconns"],
            'forbidden sysctl: "net.core.somaxconn" not allowlisted',
        ),
        (
            {**sysctl("net.ipv4.tcp_syncookies"), "hostNetwork": True},
            [],
            'forbidden sysctl: "net.ipv4.tcp_syncookies" not allowed with host Net enabled',
        ),
        (
            {**sysctl("kernel.shm_rmid_forced"), "hostIPC": True, "hostNetwork": True},
            [],
            'forbidden sysctl: "kernel.shm_rmid_forced" not allowed with host IPC enabled',
        ),
        (sysctl("user.max_ipc"), ["user.*"], 'forbidden sysctl: "user.max_ipc" not allowed with host User enabled'),
        ({**sysctl("user.max_ipc"), "hostUsers": False}, ["user.*"], None),
        ({**sysctl("kernel.domainname"), "hostIPC": True}, ["kernel.domainname"], None),
    ],
)
def test_a_sysctl_is_safe_or_allowed_and_of_the_pods_own_namespace(asking, allowed, message):
    reason = message and "SysctlForbidden"
    assert answer(node(allowedUnsafeSysctls=allowed), pod(**asking)) == (reason, message)


def test_a_sysctl_is_refused_before_the_managers_are_asked():
    asking = {"c": {"resources": {"limits": {"cpu": "99", "memory": "1Gi"}}}}
    static = {"cpuManagerPolicy": "static", "reservedSystemCPUs": "0"}
    assert node(**static).admit(pod(**asking, os={"name": "windows"})).reason == "UnexpectedAdmissionError"
    assert node(**static).admit(pod(**asking, **sysctl("kernel.sem"))).reason == "SysctlForbidden"


@pytest.mark.parametrize(
    ("asking", "reason", "message"),
    [
        (
            {"metadata": {"labels": {"kubernetes.io/os": "windows"}}, "os": {"name": "windows"}},
            "PodOSSelectorNodeLabelDoesNotMatch",
            "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
        ),
        (
            {"os": {"name": "windows"}, "nodeSelector": {"kubernetes.io/os": "windows"}},
            "PodOSNotSupported",
            "Failed to admit pod as the OS field doesn't match node OS",
        ),
        ({"nodeSelector": {"kubernetes.io/os": "windows"}}, "NodeAffinity", AFFINITY),
        (
            {
                "metadata": {"labels": {"kubernetes.io/os": "linux"}},
                "os": {"name": "linux"},
                "nodeSelector": {"kubernetes.io/os": "linux"},
            },
            None,
            None,
        ),
    ],
)
def test_the_operating_system_is_that_of_the_node(asking, reason, message):
    assert answer(node(), pod(**asking)) == (reason, message)


@pytest.mark.parametrize(
    ("version", "on", "refused"), [("1.28", False, True), ("1.28", True, False), ("1.29", True, False)]
)
def test_a_sidecar_is_refused_where_its_gate_is_off(version, on, refused):
    asking = pod(initContainers=[{"name": "s", "restartPolicy": "Always"}])
    told = 'Init container "s" may not have a non-default restartPolicy'
    expected = ("InitContainerRestartPolicyForbidden", told) if refused else (None, None)
    assert answer(node(version, featureGates={"SidecarContainers": on}), asking) == expected


@pytest.mark.parametrize(("version", "refused"), [("1.32", False), ("1.33", True)])
def test_a_strict_policy_of_groups_needs_a_runtime_that_has_it_since_1_33(version, refused):
    asking = pod(securityContext={"supplementalGroupsPolicy": "Strict"})
    told = "SupplementalGroupsPolicy=Strict is not supported in this node"
    expected = ("SupplementalGroupsPolicyNotSupported", told) if refused else (None, None)
    assert answer(node(version, seen()), asking) == expected
    assert answer(node(version, seen(features={"supplementalGroupsPolicy": True})), asking) == (None, None)
    assert uses(node(version), asking) == (["supplementalGroupsPolicy Strict"] if refused else [])
    assert answer(node(version), asking) == (None, None)


def required(*terms: dict[str, Any]) -> dict[str, Any]:
    selector = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}
    return {"affinity": {"nodeAffinity": selector}}


def term(key: str, operator: str, *values: str, by: str = "matchExpressions") -> dict[str, Any]:
    return {by: [{"key": key, "operator": operator, "values": list(values)}]}


@pytest.mark.parametrize(
    ("asking", "is_match", "use"),
    [
        ({"nodeSelector": {"zone": "a"}}, True, "nodeSelector"),
        ({"nodeSelector": {"zone": "b"}}, False, "nodeSelector"),
        ({"nodeSelector": {"zone": "a", "other": "x"}}, False, "nodeSelector"),
        (required(term("zone", "In", "a", "b")), True, "required node affinity"),
        (required(term("zone", "NotIn", "a")), False, "required node affinity"),
        (required(term("other", "NotIn", "a")), True, "required node affinity"),
        (required(term("zone", "Exists")), True, "required node affinity"),
        (required(term("zone", "DoesNotExist")), False, "required node affinity"),
        (required(term("cores", "Gt", "7")), True, "required node affinity"),
        (required(term("cores", "Gt", "8")), False, "required node affinity"),
        (required(term("cores", "Lt", "9")), True, "required node affinity"),
        (required(term("zone", "Lt", "9")), False, "required node affinity"),
        (required(term("zone", "In", "b"), term("cores", "In", "8")), True, "required node affinity"),
        (required(term("metadata.name", "In", "worker", by="matchFields")), True, "required node affinity"),
        (required(term("metadata.name", "NotIn", "worker", by="matchFields")), False, "required node affinity"),
        (required({}), False, None),
        (required({}, term("kubernetes.io/os", "In", "linux")), True, None),
        ({**required(term("zone", "In", "a")), "nodeSelector": {"kubernetes.io/os": "bsd"}}, False, None),
    ],
)
def test_labels_match_what_is_required_of_them(asking, is_match, use):
    """Without a Node a label is not known, and what depends on it is told; other parts may decide all the same."""
    expected = (None, None) if is_match else ("NodeAffinity", AFFINITY)
    asking = pod(**asking)
    assert answer(node(facts=seen(labels={"zone": "a", "cores": "8"})), asking) == expected
    assert (answer(node(), asking), uses(node(), asking)) == ((None, None) if use else expected, [use] if use else [])


def port(number: int = 80, **more: Any) -> dict[str, Any]:
    return {"ports": [{"containerPort": 80, "hostPort": number, **more}]}


@pytest.mark.parametrize(
    ("first", "second", "is_free"),
    [
        ({"c": port()}, {"c": port()}, False),
        ({"c": port()}, {"c": port(81)}, True),
        ({"c": port()}, {"c": port(protocol="UDP")}, True),
        ({"c": port(hostIP="10.0.0.1")}, {"c": port(hostIP="10.0.0.2")}, True),
        ({"c": port(hostIP="10.0.0.1")}, {"c": port()}, False),
        ({"c": port()}, {"c": port(hostIP="10.0.0.1")}, False),
        ({"c": port()}, {"c": {"ports": [{"containerPort": 80}]}}, True),
        ({"c": port()}, {"c": {"ports": [{"containerPort": 80}]}, "hostNetwork": True}, False),
        ({"initContainers": [{"name": "i", **port()}]}, {"c": port()}, True),
    ],
)
def test_a_host_port_is_one_pods(first, second, is_free):
    expected = (None, None) if is_free else ("NodePorts", PORTS)
    assert answer(node(), pod("first", **first), pod("second", **second)) == expected
    assert answer(node(facts=NodeFacts(scheduled=True)), pod("first", **first), pod("second", **second)) == (None, None)


@pytest.mark.parametrize(("version", "reason"), [("1.33", None), ("1.34", "NodePorts")])
def test_host_ports_of_sidecars_count_since_1_34(version, reason):
    sidecar = {"name": "s", "restartPolicy": "Always", **port()}
    assert answer(node(version), pod("first", initContainers=[sidecar]), pod("second", c=port()))[0] == reason


@pytest.mark.parametrize(
    ("tolerations", "tolerated"),
    [
        ([], False),
        ([{"operator": "Exists"}], True),
        ([{"key": "k", "value": "v"}], True),
        ([{"key": "k", "value": "other"}], False),
        ([{"key": "k", "operator": "Exists", "effect": "NoExecute"}], True),
        ([{"key": "k", "operator": "Exists", "effect": "NoSchedule"}], False),
        ([{"key": "other", "operator": "Exists"}], False),
    ],
)
def test_a_pod_tolerates_the_taints_that_would_end_it(tolerations, tolerated):
    taints = [{"key": "k", "value": "v", "effect": "NoExecute"}, {"key": "soft", "effect": "NoSchedule"}]
    asking, expected = pod(tolerations=tolerations), (None, None) if tolerated else ("TaintToleration", TAINTS)
    assert answer(node(registerWithTaints=taints), asking) == expected
    assert answer(node(facts=seen({"taints": taints})), asking) == expected
    assert answer(node(registerWithTaints=taints, facts=seen()), asking) == (None, None)
    static = pod(metadata={"annotations": {"kubernetes.io/config.source": "file"}}, tolerations=tolerations)
    assert answer(node(registerWithTaints=taints), static) == (None, None)


def test_storage_is_compared_with_what_the_node_says():
    asking = pod(c={"resources": {"limits": {"ephemeral-storage": "2Gi"}}})
    assert answer(node(facts=seen()), asking) == ("OutOfephemeral-storage", STORAGE)
    assert answer(node(), asking) == (None, None)
    assert (uses(node(), asking), uses(node(facts=seen()), asking)) == (["ephemeral-storage"], [])


@pytest.mark.parametrize(
    ("pressures", "asking", "told"),
    [
        ({"MemoryPressure": "True"}, {}, "MemoryPressure"),
        ({"MemoryPressure": "False"}, {}, None),
        ({"MemoryPressure": "True"}, {"c": {"resources": {"requests": {"cpu": "1"}}}}, None),
        ({"DiskPressure": "True"}, {"c": {"resources": {"requests": {"cpu": "1"}}}}, "DiskPressure"),
        ({"MemoryPressure": "True", "PIDPressure": "True"}, {}, "MemoryPressure PIDPressure"),
        ({"MemoryPressure": "True"}, {"tolerations": [{"operator": "Exists"}]}, None),
        ({"DiskPressure": "True"}, {"tolerations": [{"operator": "Exists"}]}, "DiskPressure"),
        ({"DiskPressure": "True"}, {"priority": 2_000_000_000}, None),
        ({"DiskPressure": "True"}, {"priorityClassName": "system-node-critical"}, None),
    ],
)
def test_under_pressure_a_node_takes_critical_pods(pressures, asking, told):
    conditions = [{"type": name, "status": status} for name, status in pressures.items()]
    expected = ("Evicted", f"The node had condition: [{told}]. ") if told else (None, None)
    assert answer(node(facts=seen(conditions=conditions)), pod(**asking)) == expected


@pytest.mark.parametrize(
    ("asking", "is_used"),
    [
        ({"securityContext": {"appArmorProfile": {"type": "RuntimeDefault"}}}, True),
        ({"c": {"securityContext": {"appArmorProfile": {"type": "Localhost", "localhostProfile": "x"}}}}, True),
        ({"securityContext": {"appArmorProfile": {"type": "Unconfined"}}}, False),
        ({"metadata": {"annotations": {"container.apparmor.security.beta.kubernetes.io/c": "runtime/default"}}}, True),
        ({"metadata": {"annotations": {"container.apparmor.security.beta.kubernetes.io/c": "unconfined"}}}, False),
    ],
)
def test_profiles_of_app_armor_are_not_modelled(asking, is_used):
    assert uses(node(), pod(**asking)) == (["AppArmor profiles"] if is_used else [])


@pytest.mark.parametrize(("version", "refused"), [("1.33", False), ("1.34", True), ("1.37", True)])
def test_a_pod_with_resources_of_its_own_is_refused_where_the_gate_is_off_since_1_34(version, refused):
    asking = pod(resources={"limits": {"cpu": "1", "memory": "1Gi"}})
    told = ("PodLevelResourcesNotSupported", "PodLevelResources feature gate is disabled")
    gates = {
        "PodLevelResources": False,
        **({"InPlacePodLevelResourcesVerticalScaling": False} if version == "1.37" else {}),
    }
    fixes = {"PodLevelResourcesFixDefaulting": False, "PodLevelResourcesFixKubeletQOSClass": False}
    gates |= fixes if version == "1.37" else {}
    assert answer(node(version, featureGates=gates), asking) == (told if refused else (None, None))
    assert answer(node(version, featureGates={"PodLevelResources": True}), asking) == (None, None)


@pytest.mark.parametrize(
    "asking",
    [
        {"c": {"restartPolicyRules": [{"action": "RestartAllContainers"}]}},
        {"c": {"volumeMounts": [{"name": "v", "bindMountOptions": ["noexec"]}]}},
        {"hostNetwork": True, "hostUsers": False},
    ],
)
def test_features_that_a_node_declares_are_not_modelled(asking):
    asking = pod(**asking)
    assert [len(uses(node(version), asking)) for version in ("1.34", "1.35", "1.36", "1.37")] == [0, 0, 1, 1]


@pytest.mark.parametrize(
    "part", ["affinity", "securityContext", "tolerations", "nodeSelector", "os", "runtimeClassName"]
)
@pytest.mark.parametrize("odd", [1, "x", [1], {"x": 1}, [[]], True])
def test_a_part_that_nobody_has_checked_is_passed_over(part, odd):
    up, asking = node(), pod(**{part: odd})
    assert up.admit(asking).reason in (None, "NodeAffinity")
    assert isinstance(uses(up, asking), list)


def test_a_node_of_managers_alone_computes_nothing_of_it():
    """A threshold that is no amount keeps only a whole kubelet from starting."""
    machine, odd = load_machine("t1-one-socket-smt2"), {"evictionHard": {"memory.available": "much"}}
    assert Node(machine, odd).admit(pod(os={"name": "windows"})).admitted
    with pytest.raises(UsageError):
        Node(machine, odd, resource_fit=True)


@pytest.mark.parametrize("version", SUPPORTED, ids=str)
def test_until_1_30_a_predicate_tells_its_name_alone(version):
    told = answer(node(str(version)), pod(nodeSelector={"kubernetes.io/os": "windows"}))
    assert told == ("NodeAffinity", AFFINITY if version.minor >= 31 else "Predicate NodeAffinity failed")


@pytest.mark.parametrize("version", SUPPORTED, ids=str)
def test_until_1_28_the_operating_system_is_looked_at_last(version):
    told = answer(node(str(version)), pod(nodeSelector={"kubernetes.io/os": "windows"}, os={"name": "windows"}))
    assert told[0] == ("PodOSNotSupported" if version.minor >= 29 else "NodeAffinity")


@pytest.mark.parametrize(("version", "reason"), [("1.27", "OutOfcpu"), ("1.28", None), ("1.37", None)])
def test_at_1_27_a_node_that_is_short_takes_no_pod_that_asks_for_anything(version, reason):
    """The pod there has more than the node offers since a restart with a larger reservation."""
    config = KubeletConfiguration.from_dict({"kubeReserved": {"cpu": "2"}})
    fit = ResourceFit(load_machine("t1-one-socket-smt2"), config, *facts_of(version))
    here = [pod("here", c={"resources": {"requests": {"cpu": "8"}}})]
    fit.check(pod("idle"), here)
    shortage = next(fit.shortages(pod("asks", c={"resources": {"requests": {"memory": "1Mi"}}}), here), None)
    assert (shortage and shortage.refusal.reason) == reason


def facts_of(version: str) -> tuple[Changes, SchedulerQuirks]:
    known = KubernetesVersion.supported(version)
    return Changes.of(known), Quirks.of(known).scheduler
