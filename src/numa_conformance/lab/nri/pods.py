"""Pods and containers as a runtime tells NRI plugins of them, and what plugins made of each container."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...kube import Container, Pod

_PERIOD = 100_000
"""Microseconds: the period of a CPU quota."""
_SHARES_OF_A_CPU, _LEAST_SHARES = 1024, 2
_OOM_SCORE = {"Guaranteed": -997, "Burstable": 900, "BestEffort": 1000}
PARENT = {
    "Guaranteed": "/kubepods/pod",
    "Burstable": "/kubepods/burstable/pod",
    "BestEffort": "/kubepods/besteffort/pod",
}


@dataclass
class RunningContainer:
    """One container: its message, and the cpuset and NUMA nodes it was given last, empty where nothing keeps it."""

    spec: Container
    message: dict[str, Any]
    is_entitled: bool
    cpus: str = ""
    mems: str = ""

    @property
    def id(self) -> str:
        """Its id."""
        return str(self.message["id"])

    def adjust(self, linux: Mapping[str, Any]) -> bool:
        """Take what a plugin gives it; tells whether that is a cpuset or NUMA nodes."""
        cpu = (linux.get("resources") or {}).get("cpu") or {}
        self.cpus, self.mems = cpu.get("cpus") or self.cpus, cpu.get("mems") or self.mems
        resources = self.message["linux"]["resources"]["cpu"]
        resources.update({name: cpu[name] for name in ("cpus", "mems") if cpu.get(name)})
        return bool(cpu.get("cpus") or cpu.get("mems"))


@dataclass
class RunningPod:
    """One pod with a sandbox and its containers in order of their creation."""

    pod: Pod
    message: dict[str, Any] = field(init=False)
    containers: dict[str, RunningContainer] = field(default_factory=dict)

    def __post_init__(self) -> None:
        pod, metadata = self.pod, self.pod.raw.get("metadata") or {}
        self.message = {
            "id": f"sandbox-{pod.uid}", "name": pod.name, "uid": pod.uid, "namespace": pod.namespace,
            **{name: metadata.get(name) or {} for name in ("labels", "annotations")},
            "linux": {"cgroupParent": self._parent},
        }  # fmt: skip

    @property
    def _parent(self) -> str:
        return PARENT[self.pod.qos] + self.pod.uid

    def made(self, container: Container) -> RunningContainer:
        """Make a container as the kubelet asks a runtime for it."""
        request, limit = (amounts.get("cpu") for amounts in (container.requests, container.limits))
        shares = request.milli * _SHARES_OF_A_CPU // 1000 if request else 0
        cpu: dict[str, Any] = {"shares": {"value": max(shares, _LEAST_SHARES)}, "period": {"value": _PERIOD}}
        if limit:
            cpu["quota"] = {"value": limit.milli * _PERIOD // 1000}
        memory = container.limits.get("memory")
        message = {
            "id": f"{self.pod.uid}-{container.name}", "podSandboxId": self.message["id"], "name": container.name,
            "state": "CONTAINER_CREATED",
            "labels": {
                **{f"io.kubernetes.pod.{name}": getattr(self.pod, name) for name in ("name", "namespace", "uid")},
                "io.kubernetes.container.name": container.name,
            },
            "linux": {
                "cgroupsPath": f"{self._parent}/{container.name}",
                "oomScoreAdj": {"value": _OOM_SCORE[self.pod.qos]},
                "resources": {"cpu": cpu, "memory": {"limit": {"value": memory.value}} if memory else {}},
            },
        }  # fmt: skip
        made = RunningContainer(container, message, is_entitled(self.pod, container.name))
        self.containers[container.name] = made
        return made


def is_entitled(pod: Pod, container: str) -> bool:
    """Tell whether the pages give a container CPUs of its own: a whole number of them, in a pod of class Guaranteed."""
    whole = next(each.whole_cpus for each in pod.all_containers if each.name == container)
    return pod.qos == "Guaranteed" and whole > 0
