from dataclasses import replace
from typing import Any

import pytest

from numa_conformance.errors import StartError, UsageError
from numa_conformance.kube import (
    KubeletConfiguration,
    Quantity,
    explicit_reserved_cpus,
    node_reservation,
    reserved_cpu_milli,
    validate,
)
from numa_conformance.sources.quirks.areas import NodeQuirks
from numa_conformance.sources.versions import DEFAULT


def config(**fields: Any) -> KubeletConfiguration:
    return KubeletConfiguration.from_dict(fields)


def faults(**fields: Any) -> list[str]:
    with pytest.raises(UsageError) as caught:
        KubeletConfiguration.from_dict(fields, "kubelet.yaml")
    return [str(fault) for fault in caught.value.faults]


def refusal(kubernetes_version: str = "1.32", **fields: Any) -> str:
    with pytest.raises(StartError) as caught:
        validate(config(**fields), kubernetes_version)
    assert caught.value.stage == "kubelet"
    return caught.value.message


def test_an_empty_configuration_has_the_kubelets_defaults() -> None:
    read = config()
    assert (read.cpu_manager_policy, read.memory_manager_policy) == ("none", "None")
    assert (read.topology_manager_policy, read.topology_manager_scope) == ("none", "container")
    assert (read.cpu_manager_reconcile_period, read.cpu_cfs_quota, read.max_pods) == ("10s", True, 110)


def test_fields_of_other_parts_of_the_kubelet_are_accepted() -> None:
    read = config(
        apiVersion="kubelet.config.k8s.io/v1beta1",
        kind="KubeletConfiguration",
        memoryThrottlingFactor=0.9,
        authentication={"anonymous": {"enabled": False}},
        cpuManagerPolicy="static",
    )
    assert read.cpu_manager_policy == "static"


@pytest.mark.parametrize(
    ("wrong", "right"),
    [("cpuManagerPolcy", "cpuManagerPolicy"), ("reservedSystemCpus", "reservedSystemCPUs"), ("maxPod", "maxPods")],
)
def test_a_misspelt_field_gets_a_suggestion(wrong: str, right: str) -> None:
    assert faults(**{wrong: "x"}) == [f"kubelet.yaml: {wrong}: unknown field; did you mean {right!r}?"]


def test_a_bare_boolean_among_options_is_told_to_be_quoted() -> None:
    (fault,) = faults(cpuManagerPolicyOptions={"full-pcpus-only": True})
    assert fault.startswith("kubelet.yaml: cpuManagerPolicyOptions.full-pcpus-only: ")
    assert 'put it in quotes: "true"' in fault


def test_a_bare_number_as_cpu_list_is_told_to_be_quoted() -> None:
    assert 'put it in quotes: "0"' in faults(reservedSystemCPUs=0)[0]


def test_a_gate_of_null_is_off_as_go_reads_it() -> None:
    assert config(featureGates={"CPUManagerPolicyBetaOptions": None}).feature_gates == {
        "CPUManagerPolicyBetaOptions": False
    }


@pytest.mark.parametrize("field", ["cpuManagerReconcilePeriod", "nodeStatusUpdateFrequency", "syncFrequency"])
@pytest.mark.parametrize("value", [10, "10", True])
def test_a_duration_without_a_unit_is_told_its_form(field: str, value: object) -> None:
    (fault,) = faults(**{field: value})
    assert fault.endswith("is not a duration (accepted: a number with a unit, such as 10s or 1m30s)")


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "KubeSchedulerConfiguration"},
        {"apiVersion": "kubelet.config.k8s.io/v1alpha1"},
        {"cpuManagerReconcilePeriod": "10"},
        {"cpuManagerReconcilePeriod": 10},
        {"maxPods": "110"},
        {"port": 2**31},
        {"evictionSoft": ["memory.available<1Gi"]},
        {"clusterDNS": "10.0.0.10"},
        {"registerNode": "true"},
        {"featureGates": {"CPUManager": "true"}},
        {"kubeReserved": {"cpu": "1 core"}},
        {"kubeReserved": {"cpu": None}},
        {"reservedMemory": {"numaNode": 0}},
        {"reservedMemory": [{"numaNode": -1, "limits": {"memory": "1Gi"}}]},
        {"reservedMemory": [{"numaNode": 0, "limit": {"memory": "1Gi"}}]},
        {"cpuManagerPolicyOptions": ["full-pcpus-only=true"]},
    ],
)
def test_a_wrong_type_or_amount_is_refused_with_its_place(fields: dict[str, Any]) -> None:
    (fault,) = faults(**fields)
    assert fault.startswith(f"kubelet.yaml: {next(iter(fields))}")


def test_all_faults_come_at_once() -> None:
    assert len(faults(maxPods="x", cpuManagerPolicy=1, kubeReserved={"cpu": "x"}, nonsense=1)) == 4


def test_an_empty_option_map_is_not_an_absent_one() -> None:
    assert config(cpuManagerPolicyOptions={}).cpu_manager_policy_options == {}
    assert config().cpu_manager_policy_options is None


def test_what_was_read_is_handed_on_as_written() -> None:
    fields = {"reservedMemory": [{"numaNode": 0, "limits": {"memory": "1.5Gi"}}], "syncFrequency": "1m"}
    assert config(**fields).to_dict() == fields


def test_what_was_changed_in_code_is_written_anew() -> None:
    changed = replace(config(cpuManagerPolicy="static", kubeReserved={"cpu": "1"}), reserved_system_cpus="0-1")
    written = changed.to_dict()
    assert KubeletConfiguration.from_dict(written) == changed
    assert written["reservedSystemCPUs"] == "0-1"
    assert KubeletConfiguration(max_pods=5).to_dict()["maxPods"] == 5


def test_an_explicit_set_of_reserved_cpus_overrides_the_amounts() -> None:
    read = config(reservedSystemCPUs="0,2-3", kubeReserved={"cpu": "500m"}, systemReserved={"cpu": "4"})
    assert (explicit_reserved_cpus(read), reserved_cpu_milli(read)) == (0b1101, 3000)


def test_reserved_amounts_of_cpu_are_added() -> None:
    read = config(kubeReserved={"cpu": "1500m"}, systemReserved={"cpu": "0.2"})
    assert (explicit_reserved_cpus(read), reserved_cpu_milli(read)) == (0, 1700)


@pytest.mark.parametrize(
    ("fields", "kept"),
    [
        ({"kubeReserved": {"memory": "500Mi"}, "systemReserved": {"memory": "500Mi"}}, "1100Mi"),
        (
            {
                "kubeReserved": {"memory": "50Mi"},
                "systemReserved": {"memory": "333Mi"},
                "evictionHard": {"memory.available": "500Mi"},
            },
            "883Mi",
        ),
        ({"evictionHard": {"memory.available": "25%"}}, "2Gi"),
        ({"evictionHard": {"nodefs.available": "10%"}, "kubeReserved": {"memory": "1Gi"}}, "1Gi"),
        ({"evictionHard": {"nodefs.available": "10%"}, "mergeDefaultEvictionSettings": True}, "100Mi"),
    ],
)
def test_memory_kept_from_pods_is_system_kube_and_eviction(fields: dict[str, Any], kept: str) -> None:
    reservation = node_reservation(config(**fields), {"memory": 8 << 30})
    assert {name: str(amount) for name, amount in reservation.items()} == {"memory": kept}


def test_nothing_is_kept_of_what_the_node_does_not_have() -> None:
    read = config(kubeReserved={"hugepages-2Mi": "4Mi", "cpu": "1"}, evictionHard={})
    assert node_reservation(read, {"memory": 1 << 30, "cpu": 4}) == {"cpu": Quantity(1)}


@pytest.mark.parametrize("threshold", ["x%", "lots", "%"])
def test_a_threshold_that_is_no_amount_is_refused(threshold: str) -> None:
    with pytest.raises(UsageError) as caught:
        node_reservation(config(evictionHard={"memory.available": threshold}), {"memory": 1})
    assert caught.value.faults[0].place == "evictionHard.memory.available"


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("0-", 'strconv.Atoi: parsing "": invalid syntax'),
        ("5-3", 'invalid range "5-3" (5 > 3)'),
        ("a", 'strconv.Atoi: parsing "a": invalid syntax'),
    ],
)
def test_a_list_that_does_not_parse_is_refused_as_by_the_kubelet(text: str, cause: str) -> None:
    prefix = "invalid configuration: unable to parse reservedSystemCPUs (--reserved-cpus)"
    assert refusal(reservedSystemCPUs=text) == f"{prefix} {text}, error: {cause}"


def test_names_of_topology_policies_and_scopes_are_checked() -> None:
    assert refusal(topologyManagerPolicy="strict").startswith(
        'invalid configuration: topologyManagerPolicy (--topology-manager-policy) "strict" must be one of: ['
    )
    assert refusal(topologyManagerScope="node") == (
        'invalid configuration: topologyManagerScope (--topology-manager-scope) "node" must be one of: '
        '"container", or "pod"'
    )


def test_reserved_cpus_exclude_cgroups_for_daemons() -> None:
    assert "can't use reservedSystemCPUs" in refusal(reservedSystemCPUs="0", kubeReservedCgroup="/kube")


def test_every_fault_of_reserved_memory_is_told() -> None:
    message = refusal(
        reservedMemory=[
            {"numaNode": 0, "limits": {"memory": "1Gi", "cpu": "1"}},
            {"numaNode": 0, "limits": {"memory": "0"}},
        ]
    )
    assert message == (
        '[invalid configuration: the limit type "cpu" for NUMA node 0 is not supported, '
        "only [memory hugepages-<HugePageSize>] is accepted, "
        'invalid configuration: reserved memory may not be zero for NUMA node 0 and resource "memory", '
        'invalid configuration: the reserved memory has a duplicate value for NUMA node 0 and resource "memory"]'
    )


def test_a_locked_gate_is_refused() -> None:
    off = {"MemoryManager": False}
    locked = "cannot set feature gate MemoryManager to false, feature is locked to true"
    assert refusal("1.32", featureGates=off) == locked
    validate(config(featureGates=off), "1.31")


def test_a_valid_configuration_passes() -> None:
    validate(
        config(
            cpuManagerPolicy="static",
            reservedSystemCPUs="0-1",
            topologyManagerPolicy="best-effort",
            topologyManagerScope="pod",
            reservedMemory=[{"numaNode": 0, "limits": {"memory": "1Gi", "hugepages-2Mi": "2Mi"}}],
            featureGates={"NodeSwap": True},
        )
    )


@pytest.mark.parametrize(
    ("written", "documented", "kubelet"),
    [
        ({}, "10s", "10s"),
        ({"nodeStatusUpdateFrequency": "20s"}, "20s", "10s"),
        ({"nodeStatusUpdateFrequency": "20s", "cpuManagerReconcilePeriod": "10s"}, "10s", "10s"),
        ({"nodeStatusUpdateFrequency": "20s", "cpuManagerReconcilePeriod": "5s"}, "5s", "5s"),
        ({"nodeStatusUpdateFrequency": "20s", "cpuManagerReconcilePeriod": "0s"}, "20s", "10s"),
    ],
    ids=str,
)
def test_the_reconcile_period_follows_the_status_frequency(
    written: dict[str, str], documented: str, kubelet: str
) -> None:
    config = KubeletConfiguration.from_dict(written)
    assert config.reconcile_period(NodeQuirks()) == documented
    assert config.reconcile_period(NodeQuirks.of(DEFAULT)) == kubelet


def test_no_pods_at_all_is_the_default():
    assert KubeletConfiguration.from_dict({"maxPods": 0}).max_pods == 110
