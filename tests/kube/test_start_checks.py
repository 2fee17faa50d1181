"""What ends a kubelet before its managers start, in its words: as 1.37.1 has them, unless a version is named."""

from contextlib import suppress
from typing import Any

import pytest

from numa_conformance.errors import StartError, UsageError
from numa_conformance.kube import KubeletConfiguration, validate
from numa_conformance.kube.kubelet_validation import validation_faults
from numa_conformance.sources.configuration_fields import FIELDS
from numa_conformance.sources.versions import KubernetesVersion

ENFORCE = "enforceNodeAllocatable (--enforce-node-allocatable)"


def config(**fields: Any) -> KubeletConfiguration:
    return KubeletConfiguration.from_dict(fields)


def messages(version: str = "1.37", **fields: Any) -> list[str]:
    return [
        fault.message.removeprefix("invalid configuration: ") for fault in validation_faults(config(**fields), version)
    ]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"nodeLeaseDurationSeconds": -1}, "nodeLeaseDurationSeconds must be greater than 0"),
        ({"port": 65536}, "port (--port) 65536 must be between 1 and 65535, inclusive"),
        ({"healthzPort": -1}, "healthzPort (--healthz-port) -1 must be between 1 and 65535, inclusive"),
        ({"maxPods": -1}, "maxPods (--max-pods) -1 must not be a negative number"),
        ({"maxParallelImagePulls": 0}, "maxParallelImagePulls 0 must be a positive number"),
        (
            {"cpuCFSQuotaPeriod": "2s", "featureGates": {"CustomCPUCFSQuotaPeriod": True}},
            "cpuCFSQuotaPeriod (--cpu-cfs-quota-period) {2s} must be between 1ms and 1sec, inclusive",
        ),
        (
            {"imageGCHighThresholdPercent": 70},
            "imageGCLowThresholdPercent (--image-gc-low-threshold) 80 must be less than imageGCHighThresholdPercent "
            "(--image-gc-high-threshold) 70",
        ),
        ({"shutdownGracePeriod": "500ms"}, "shutdownGracePeriod {500ms} must be either zero or otherwise >= 1 sec"),
        (
            {"shutdownGracePeriod": "10s", "shutdownGracePeriodCriticalPods": "20s"},
            "shutdownGracePeriodCriticalPods {20s} must be <= shutdownGracePeriod {10s}",
        ),
        (
            {"memorySwap": {"swapBehavior": "UnlimitedSwap"}},
            'memorySwap.swapBehavior "UnlimitedSwap" must be one of: "", "LimitedSwap" or "NoSwap"',
        ),
        (
            {"systemCgroups": "/system"},
            "systemCgroups (--system-cgroups) was specified and cgroupRoot (--cgroup-root) was not specified",
        ),
        (
            {"memoryThrottlingFactor": 1.5},
            "memoryThrottlingFactor 1.5 must be greater than 0 and less than or equal to 1.0",
        ),
        ({"userNamespaces": {"idsPerPod": 65537}}, "userNamespaces.idsPerPod must be a multiple of 65536"),
        ({"runOnce": True}, "runOnce (--runOnce) true, Runonce mode has been deprecated and should not be set"),
        (
            {"enableSystemLogQuery": True, "enableSystemLogHandler": False},
            "enableSystemLogHandler is required for enableSystemLogQuery",
        ),
        ({"podLogsDir": "logs"}, 'pod logs path "logs" must be absolute path'),
        ({"podLogsDir": "/var//log"}, 'pod logs path "/var//log" must be normalized'),
        ({"registerWithTaints": [{"key": "a", "effect": "Never"}]}, "invalid taint: {a  Never <nil>}"),
        ({"syncFrequency": "-1s"}, "invalid sync frequency -1000000000"),
        (
            {"qosReserved": {"memory": "50"}},
            '--qos-reserved value failed to parse: failed to parse percentage "50" for "memory" resource: percentage '
            "expected, got '50'",
        ),
        ({"kubeReserved": {"gpu": "1"}}, '--kube-reserved value failed to parse: cannot reserve "gpu" resource'),
    ],
)
def test_a_value_that_ends_a_kubelet_is_refused_in_its_words(fields: dict[str, Any], message: str) -> None:
    assert messages(**fields) == [message]


@pytest.mark.parametrize(
    "fields",
    [
        {"port": 0, "maxPods": 0, "nodeLeaseDurationSeconds": 0, "shutdownGracePeriod": "0s", "podLogsDir": ""},
        {"cpuCFSQuotaPeriod": "0.1s", "memoryThrottlingFactor": 0.9, "healthzPort": 0, "memorySwap": {}},
        {"maxParallelImagePulls": 5, "imageGCHighThresholdPercent": 70, "imageGCLowThresholdPercent": 60},
        {"evictionHard": {"memory.available": "0%", "pid.available": "10%", "containerfs.available": "1Gi"}},
        {"evictionSoft": {"memory.available": "5%"}, "evictionSoftGracePeriod": {"memory.available": "1m"}},
        {"enforceNodeAllocatable": ["none"], "cgroupsPerQOS": False},
        {"enforceNodeAllocatable": ["pods", "kube-reserved-compressible"], "kubeReservedCgroup": "/kube"},
    ],
)
def test_what_a_kubelet_takes_is_taken(fields: dict[str, Any]) -> None:
    assert messages(**fields) == []


@pytest.mark.parametrize(
    ("version", "fields", "refused"),
    [
        ("1.31", {"runOnce": True}, False),
        ("1.29", {"memorySwap": {"swapBehavior": "UnlimitedSwap"}, "featureGates": {"NodeSwap": True}}, False),
        ("1.27", {"memorySwap": {"swapBehavior": "LimitedSwap"}}, True),
        ("1.29", {"podLogsDir": "logs"}, False),
        ("1.32", {"containerLogMaxFiles": 1}, True),
        ("1.28", {"evictionHard": {"containerfs.available": "1Gi"}}, True),
        ("1.30", {"enforceNodeAllocatable": ["none"], "cgroupsPerQOS": False}, True),
        ("1.31", {"enforceNodeAllocatable": ["kube-reserved-compressible"], "kubeReservedCgroup": "/kube"}, True),
        ("1.36", {"memoryThrottlingFactor": 0.8}, False),
        ("1.33", {"cpuCFSQuotaPeriod": "10ms"}, True),
        ("1.37", {"memoryThrottlingFactor": 0.8, "featureGates": {"MemoryQoS": False}}, True),
    ],
)
def test_rules_hold_in_the_versions_that_have_them(version: str, fields: dict[str, Any], *, refused: bool) -> None:
    assert bool(messages(version, **fields)) == refused


@pytest.mark.parametrize(
    ("field", "signal", "text", "message"),
    [
        ("evictionHard", "memory.free", "1Gi", "unsupported eviction signal memory.free"),
        (
            "evictionHard",
            "memory.available",
            None,
            "'': quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        ),
        ("evictionHard", "memory.available", "0", "eviction threshold memory.available must be positive: 0"),
        (
            "evictionHard",
            "memory.available",
            "110%",
            "eviction percentage threshold memory.available must be <= 100%: 110%",
        ),
        (
            "evictionHard",
            "memory.available",
            "-1%",
            "eviction percentage threshold memory.available must be >= 0%: -1%",
        ),
        ("evictionHard", "memory.available", "x%", 'strconv.ParseFloat: parsing "x": invalid syntax'),
        (
            "evictionSoft",
            "pid.available",
            "5%",
            "grace period must be specified for the soft eviction threshold pid.available",
        ),
        ("evictionSoftGracePeriod", "pid.available", "soon", 'time: invalid duration "soon"'),
        (
            "evictionMinimumReclaim",
            "pid.available",
            "0%",
            "eviction percentage minimum reclaim pid.available must be positive: 0%",
        ),
        (
            "evictionMinimumReclaim",
            "pid.available",
            "-1",
            "negative eviction minimum reclaim specified for pid.available",
        ),
    ],
)
def test_thresholds_that_do_not_parse_are_refused(field: str, signal: str, text: str, message: str) -> None:
    assert messages(**{field: {signal: text}}) == [message]


def test_enforcement_needs_a_cgroup_and_a_known_name() -> None:
    assert messages(enforceNodeAllocatable=["pods", "pods"]) == [f'duplicated enforcements "pods" in {ENFORCE}']
    (needed,) = messages(enforceNodeAllocatable=["system-reserved"])
    assert needed.startswith(
        'systemReservedCgroup (--system-reserved-cgroup) must be specified when "system-reserved" or'
    )
    (strange,) = messages("1.30", enforceNodeAllocatable=["kube"])
    assert strange.endswith('Valid options are "pods", "system-reserved", "kube-reserved", or "none"')
    both = ["kube-reserved", "kube-reserved-compressible"]
    (together,) = messages(enforceNodeAllocatable=both, kubeReservedCgroup="/kube")
    assert (
        together == f'both "kube-reserved" and "kube-reserved-compressible" cannot be specified together in {ENFORCE}'
    )


def test_gates_come_first_and_then_all_that_the_validator_refuses() -> None:
    wrong = {"maxPods": -1, "kubeReserved": {"gpu": "1"}}
    with pytest.raises(StartError, match=r"^kubelet: unrecognized feature gate: CSIMigration$"):
        validate(config(**wrong, featureGates={"CSIMigration": True}))
    with pytest.raises(StartError, match=r"^kubelet: invalid configuration: maxPods .* must not be a negative number$"):
        validate(config(**wrong))


@pytest.mark.parametrize(("version", "merged"), [("1.32", False), ("1.33", True)])
def test_defaults_of_eviction_are_merged_since_1_33(version: str, *, merged: bool) -> None:
    merging = config(evictionHard={"nodefs.available": "5%"}, mergeDefaultEvictionSettings=True)
    assert ("memory.available" in merging.at(KubernetesVersion.parse(version)).eviction_hard) == merged


JUNK = ["", 0, -1, 2**70, 1.5, float("nan"), True, [], {}, "x", "1e999%", "+-5%", "9" * 400 + "s", [[]], {"a": 1}]


@pytest.mark.parametrize("name", [name for name in FIELDS if "." not in name])
@pytest.mark.parametrize("inner", ["", "swapBehavior", "maxContainerRestartPeriod", "idsPerPod", "memory.available"])
def test_junk_is_refused_and_nothing_breaks(name: str, inner: str) -> None:
    for junk in JUNK:
        with suppress(UsageError):
            validation_faults(config(**{name: {inner: junk} if inner else junk}))


@pytest.mark.parametrize("version", ["1.27", "1.37"])
def test_other_fields_count_beside_one_that_the_version_does_not_know(version: str) -> None:
    (message,) = messages(version, mergeDefaultEvictionSettings=True, hairpinMode="veth")
    assert message.startswith('option "veth" specified for hairpinMode')


def test_how_memory_is_swapped_is_looked_at_with_its_gate_alone() -> None:
    switched = {"memorySwap": {"swapBehavior": "x"}, "featureGates": {"NodeSwap": False}}
    assert messages("1.31", **switched) == [
        "memorySwap.swapBehavior cannot be set when NodeSwap feature flag is disabled"
    ]


def test_the_validator_speaks_before_thresholds_are_read() -> None:
    wrong = {"evictionSoft": {"memory.available": "x"}, "evictionSoftGracePeriod": {"memory.available": "-1s"}}
    with pytest.raises(StartError, match="quantities must match"):
        validate(config(**wrong))
    with pytest.raises(StartError, match=r'^kubelet: invalid configuration: option "veth".* or "promiscuous-bridge"$'):
        validate(config(**wrong, hairpinMode="veth"))


@pytest.mark.parametrize(
    ("version", "name", "message"),
    [
        ("1.37", "*", 'the sysctls "" are not known to be namespaced'),
        ("1.37", "kernel.foo", 'the sysctls "kernel.foo" are not known to be namespaced'),
        ("1.36", "user/max_user_namespaces", 'the sysctls "user.max_user_namespaces" are not known to be namespaced'),
        ("1.29", "kernel.msgm*", 'the sysctls "kernel.msgm" are not known to be namespaced'),
        ("1.28", "kernel.foo", 'the sysctl "kernel.foo" are not known to be namespaced'),
        ("1.28", "kernel.s*", 'the sysctls "kernel.s*" are not known to be namespaced'),
        ("1.37", "Net.x", 'sysctl "Net.x" must have at most 253 characters and match regex'),
    ],
)
def test_a_sysctl_without_a_namespace_is_not_allowed_to_pods(version: str, name: str, message: str) -> None:
    (found,) = messages(version, allowedUnsafeSysctls=["net.*", "kernel.msg*", "fs.mqueue.msg_max", name])
    assert found.startswith(message)


@pytest.mark.parametrize(("version", "name"), [("1.28", "kernel.msgm*"), ("1.37", "user.*"), ("1.37", "net/core/*")])
def test_sysctls_of_a_namespace_may_be_allowed(version: str, name: str) -> None:
    assert messages(version, allowedUnsafeSysctls=[name]) == []
