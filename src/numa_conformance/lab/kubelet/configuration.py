"""The KubeletConfiguration of a kubelet that runs alone: what is tested, and what it needs without a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def configuration(tested: Mapping[str, Any], node: str, port: int) -> dict[str, Any]:
    """Return the configuration of a kubelet below ``node``, a folder of the kubelet's own view, read at ``port``.

    The kubelet is refused nothing of what is tested; what is added touches neither CPUs, memory, devices nor hints. It
    manages no control groups, which would be the host's.
    """
    return {
        **tested,
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "containerRuntimeEndpoint": f"unix://{node}/cri.sock",
        "staticPodPath": f"{node}/manifests",
        "podLogsDir": f"{node}/logs",
        "volumePluginDir": f"{node}/volume-plugins",
        "address": "127.0.0.1",
        "enableServer": False,
        "readOnlyPort": port,
        "healthzPort": 0,
        "authentication": {"anonymous": {"enabled": True}, "webhook": {"enabled": False}},
        "authorization": {"mode": "AlwaysAllow"},
        "cgroupDriver": "cgroupfs",
        "cgroupsPerQOS": False,
        "enforceNodeAllocatable": [],
        "failCgroupV1": False,
        "failSwapOn": False,
        "localStorageCapacityIsolation": False,
        "makeIPTablesUtilChains": False,
        "registerNode": False,
        "fileCheckFrequency": "1s",
        "syncFrequency": "1s",
        "cpuManagerReconcilePeriod": "200ms",
        "runtimeRequestTimeout": "24h",
        "shutdownGracePeriod": "0s",
        "maxPods": 1000,
        "podPidsLimit": -1,
        "featureGates": {**(tested.get("featureGates") or {}), "KubeletInUserNamespace": True},
    }
