"""Reservation, classes, init containers and sidecars."""

from __future__ import annotations

from ..pages import INIT_CONTAINERS, POD_QOS, RESERVE, SIDECARS
from .statement import Statement, must, stated

STATEMENTS: tuple[Statement, ...] = (
    *stated(
        RESERVE.section("Kube Reserved"),
        "kube",
        "1.8",
        must("kube-reserved", "kube-reserved reserves resources for Kubernetes daemons."),
    ),
    *stated(
        RESERVE.section("System Reserved"),
        "system",
        "1.8",
        must("system-reserved", "system-reserved reserves resources for the operating system's daemons."),
    ),
    *stated(
        RESERVE.section("Explicitly Reserved CPU List"),
        "list",
        "1.17",
        must("explicit-set", "reserved-cpus defines an explicit set of CPUs for the daemons."),
        must(
            "takes-precedence", "The explicit set takes precedence over the CPUs of kube-reserved and system-reserved."
        ),
        must(
            "not-with-cgroups",
            "It is for systems without --system-reserved-cgroup and --kube-reserved-cgroup.",
            untestable="it says for whom the option is meant, not what a node does otherwise",
        ),
    ),
    *stated(
        RESERVE.section("Eviction Thresholds"),
        "eviction",
        "1.8",
        must("not-available", "What is reserved for evictions is not available to pods."),
    ),
    *stated(
        RESERVE.section("Example Scenario"),
        "example",
        "1.8",
        must(
            "allocatable",
            "16 CPUs and 32Gi, less what is reserved and the eviction threshold, are 14.5 CPUs and 28.5Gi allocatable.",
            untestable="a node tells it to the API server, in its status, not a target",
        ),
    ),
    *stated(
        POD_QOS.section("Guaranteed"),
        "guaranteed",
        "1.8",
        must(
            "every-container",
            "In a Guaranteed pod every container has CPU and memory limits and requests equal to them.",
        ),
    ),
    *stated(
        POD_QOS.section("Burstable"),
        "burstable",
        "1.8",
        must(
            "some-request",
            "A pod that is not Guaranteed, with a CPU or memory request or limit in some container, is Burstable.",
        ),
    ),
    *stated(
        POD_QOS.section("BestEffort"),
        "best-effort",
        "1.8",
        must("none", "A pod without any CPU and memory request and limit is BestEffort."),
        must("other-resources", "Requests of other resources leave a pod BestEffort."),
    ),
    *stated(
        INIT_CONTAINERS.section("Resource sharing within containers"),
        "resources",
        "1.8",
        must("largest-init", "The effective init request is the largest of the init containers."),
        must(
            "effective-request",
            "The effective request of a pod is the larger of its app containers' sum and the effective init request.",
        ),
        must("qos-covers-init", "The class of a pod is that of init and app containers alike."),
        must(
            "run-one-after-another",
            "Init containers end before the next starts, and before the app containers.",
            untestable="a runtime's part; targets are told when a container ends",
        ),
    ),
    *stated(
        SIDECARS.section("Resource sharing within containers"),
        "resources",
        "1.28",
        must("count-beside-apps", "The effective request counts sidecars with the app containers."),
        must("overhead", "Overhead is added to the effective request."),
        must("qos-covers-sidecars", "The class of a pod is that of init, sidecar and app containers alike."),
    ),
    *stated(
        SIDECARS.section("Sidecar containers in Kubernetes", "pod-sidecar-containers"),
        "kubernetes",
        "1.28",
        must("are-init-containers", "Sidecars are init containers that keep running."),
    ),
)
