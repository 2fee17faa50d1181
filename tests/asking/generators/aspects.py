"""What a question about a node varies: named aspects of the configuration and of the pod, each with a few values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from numa_conformance.judging.pods import PodSpec
from numa_conformance.sources.options import STATIC_OPTIONS

__all__ = ["Aspects", "few", "of_configuration", "of_pod", "pairs", "some"]

Aspects = dict[str, str]


def of_configuration(kubelet: Mapping[str, Any], machine: Mapping[str, Any]) -> Aspects:
    """Return aspect to value of a KubeletConfiguration and the machine that it is for."""
    options = kubelet.get("cpuManagerPolicyOptions") or {}
    topology = kubelet.get("topologyManagerPolicyOptions") or {}
    aspects = {
        "CPU policy": kubelet.get("cpuManagerPolicy", "absent"),
        "topology policy": kubelet.get("topologyManagerPolicy", "none"),
        "scope": kubelet.get("topologyManagerScope", "absent"),
        "memory policy": kubelet.get("memoryManagerPolicy", "absent"),
        "reservation": _reservation(kubelet),
        "prefer-closest-numa-nodes": topology.get("prefer-closest-numa-nodes", "absent"),
        "NUMA nodes": few(len({cpu["numa"] for cpu in machine["cpus"]})),
        "sockets": few(len({cpu["socket"] for cpu in machine["cpus"]})),
        "device resources of the machine": some(len({own["resource"] for own in machine.get("devices") or ()})),
    }
    if aspects["CPU policy"] == "static":
        aspects |= {name: options.get(name, "absent") for name in STATIC_OPTIONS}
    return aspects


def of_pod(pod: Mapping[str, Any]) -> Aspects:
    """Return aspect to value of a pod."""
    spec = PodSpec.of(pod)
    apps = [container for container in spec.containers if container.kind == "app"]
    devices = [sum("/" in name for name in container.requests) for container in spec.containers]
    pages = {name for container in spec.containers for name in container.requests if name.startswith("hugepages-")}
    kinds = {container.kind for container in spec.containers}
    return {
        "class": spec.qos,
        "app containers": few(len(apps)),
        "beside the apps": "+".join(sorted(kinds - {"app"})) or "nothing",
        "exclusive and shared containers": "+".join(sorted({"own" if c.exclusive else "shared" for c in apps})),
        "containers with devices": few(sum(map(bool, devices))),
        "device resources of a container": some(max(devices)),
        "huge page sizes": some(len(pages)),
    }


def _reservation(kubelet: Mapping[str, Any]) -> str:
    named = "list" if kubelet.get("reservedSystemCPUs") else ""
    fields = (field for field in ("kubeReserved", "systemReserved") if (kubelet.get(field) or {}).get("cpu"))
    return "+".join(filter(None, (named, *fields))) or "nothing"


def few(number: int) -> str:
    return str(number) if number < 3 else "3 or more"


def some(number: int) -> str:
    return str(number) if number < 2 else "2 or more"


def pairs(aspects: Aspects) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """Yield every two aspects with their values."""
    items = sorted(aspects.items())
    for place, left in enumerate(items):
        for right in items[place + 1 :]:
            yield left, right
