"""References of configuration fields, and what was recorded."""

from __future__ import annotations

from ..pages import KUBELET_REFERENCE, RECORDED
from .statement import Statement, must, should, stated

STATEMENTS: tuple[Statement, ...] = (
    *stated(
        KUBELET_REFERENCE.section("KubeletConfiguration", "kubelet-config-k8s-io-v1beta1-KubeletConfiguration"),
        "configuration",
        "1.10",
        should("cpu-policies", "cpuManagerPolicy is none or static."),
        should("options", "cpuManagerPolicyOptions fine-tunes the CPU policy.", since="1.22"),
        should(
            "reserved-system-cpus",
            "reservedSystemCPUs names the CPUs reserved for the host and Kubernetes.",
            since="1.17",
        ),
        should(
            "reserved-memory",
            "reservedMemory is per NUMA node; for each type the amounts equal what Node Allocatable reserves.",
            since="1.21",
        ),
        should(
            "topology-policies",
            "topologyManagerPolicy is none, best-effort, restricted or single-numa-node.",
            since="1.16",
        ),
        should("topology-scopes", "topologyManagerScope is container or pod.", since="1.20"),
    ),
    *stated(
        RECORDED.section("Recorded decisions", ""),
        "decisions",
        "1.32",
        must("placements", "At level exact containers are placed on the CPUs that the kubelet of the version gives."),
        must("scores", "At level exact nodes are scored as the kube-scheduler of the version scores them."),
        must("all", "At level exact every recorded decision of the version comes out the same."),
    ),
)
