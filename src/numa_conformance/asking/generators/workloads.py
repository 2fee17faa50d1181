"""Pods and kubelet configurations in one line each, for tests."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...cpuset import format_bits

ALPHA = {"CPUManagerPolicyAlphaOptions": True}
MEMORY = {"kubeReserved": {"memory": "256Mi"}, "memoryManagerPolicy": "Static"}
RESERVED_MIB = 356
"""kubeReserved and the eviction threshold of 100Mi, which reservedMemory must equal."""


def container(
    name: str,
    *,
    cpu: str | None = None,
    memory: str | None = None,
    requests: Mapping[str, str] | None = None,
    sidecar: bool = False,
    other: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Describe a container whose limits are ``cpu``, ``memory`` and ``other``; requests default to them unless given.

    ``other`` names devices and huge pages.
    """
    named = (("cpu", cpu), ("memory", memory), *(other or {}).items())
    limits = {key: value for key, value in named if value is not None}
    resources: dict[str, Any] = {"limits": limits} if limits else {}
    if requests is not None:
        resources["requests"] = dict(requests)
    described: dict[str, Any] = {"name": name, "image": "example", "resources": resources}
    if sidecar:
        described["restartPolicy"] = "Always"
    return described


def pod(name: str, containers: Sequence[Mapping[str, Any]], init: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
    """Describe a pod of containers; its uid is its name."""
    spec: dict[str, Any] = {"containers": [dict(described) for described in containers]}
    if init:
        spec["initContainers"] = [dict(described) for described in init]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "uid": name},
        "spec": spec,
    }


def guaranteed(name: str, cpu: int | str, memory: str = "64Mi", **other: str) -> dict[str, Any]:
    """Describe a pod with one container ``c`` whose limits are also its requests."""
    return pod(name, [container("c", cpu=str(cpu), memory=memory, other=other)])


def burstable(name: str, cpu: int | str, memory: str = "64Mi") -> dict[str, Any]:
    """Describe a pod with one container ``c`` that requests amounts and has no limits."""
    return pod(name, [container("c", requests={"cpu": str(cpu), "memory": memory})])


def best_effort(name: str, **other: str) -> dict[str, Any]:
    """Describe a pod with one container ``c`` that asks for neither cpu nor memory."""
    return pod(name, [container("c", other=other)])


def kubelet(**fields: Any) -> dict[str, Any]:
    """Return a KubeletConfiguration with these fields, in JSON names."""
    return {"evictionHard": {"memory.available": "100Mi"}, **fields}


def static(
    *options: str,
    reserved: str | int = "0",
    topology: str | None = None,
    scope: str = "container",
    off: Sequence[str] = (),
    more: Mapping[str, Any] | None = None,
    **fields: Any,
) -> dict[str, Any]:
    """Return a configuration with policy static, these options on, and an explicit reservation.

    ``reserved``: CPUs as text, "" for no list, or as bits. ``off``: options that are written and off. ``fields`` and
    ``more`` are further fields in JSON names.
    """
    fields = {**fields, **(more or {})}
    config = kubelet(cpuManagerPolicy="static", **fields)
    if reserved:
        config["reservedSystemCPUs"] = reserved if isinstance(reserved, str) else format_bits(reserved)
    if options or off:
        config["cpuManagerPolicyOptions"] = dict.fromkeys(options, "true") | dict.fromkeys(off, "false")
        config["featureGates"] = {**ALPHA, **fields.get("featureGates", {})}
    if topology is not None:
        config |= {"topologyManagerPolicy": topology, "topologyManagerScope": scope}
    return config


def pinning(node: int) -> dict[str, Any]:
    """Return the fields of the memory policy Static, what must be reserved being all on one NUMA node."""
    return {**MEMORY, "reservedMemory": [{"numaNode": node, "limits": {"memory": f"{RESERVED_MIB}Mi"}}]}


def static_memory(topology: str = "none", **fields: Any) -> dict[str, Any]:
    """Return a configuration with the memory policy Static and memory reserved on NUMA node 0."""
    return {**static(topology=topology, more=pinning(0)), **fields}


def spell_otherwise(wanted: dict[str, Any]) -> None:
    """Write whole CPUs in thousandths or with a point, and memory in bytes or Gi: the amounts are the same."""
    for each in (*wanted["spec"].get("initContainers", ()), *wanted["spec"]["containers"]):
        for side in each["resources"].values():
            if side.get("cpu", "").isdigit():
                side["cpu"] += "000m" if int(side["cpu"]) % 2 else ".0"
            if side.get("memory", "").endswith("Mi"):
                mebibytes = int(side["memory"][:-2])
                side["memory"] = str(mebibytes << 20) if mebibytes % 2 else f"{mebibytes / 1024}Gi"
