"""Pods, as a small allocator reads them: class, CPUs of their own, what a pod needs at once."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

__all__ = ["PodReader", "ReadContainer", "ReadPod", "decimal"]

_SUFFIXES = {"m": Decimal("0.001"), "k": Decimal(10) ** 3, "M": Decimal(10) ** 6, "G": Decimal(10) ** 9}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40}


def decimal(text: str) -> Decimal:
    """Read a quantity."""
    for suffix, power in _BINARY.items():
        if text.endswith(suffix):
            return Decimal(text[:-2]) * (1 << power)
    if text and text[-1] in _SUFFIXES:
        return Decimal(text[:-1]) * _SUFFIXES[text[-1]]
    return Decimal(text)


@dataclass(frozen=True)
class ReadContainer:
    """One container: its name, what it is (init, sidecar, app) and the CPUs of its own that it is due."""

    name: str
    kind: str
    cpus: int


@dataclass(frozen=True)
class ReadPod:
    """A pod: its uid, its class, and its containers in the order in which they start."""

    uid: str
    qos: str
    containers: tuple[ReadContainer, ...]


class PodReader:
    """Reads pods. Every rule is a method, so that a kind of it may have another."""

    def read(self, pod: dict[str, Any]) -> ReadPod:
        """Return the pod of a JSON object."""
        spec = pod["spec"]
        written = [(self.kind(own), own) for own in spec.get("initContainers") or ()]
        written += [("app", own) for own in spec["containers"]]
        qos = self.qos([own for _, own in written])
        containers = [ReadContainer(own["name"], kind, self.due(qos, own)) for kind, own in written]
        return ReadPod(pod["metadata"]["uid"], qos, tuple(containers))

    def kind(self, init: dict[str, Any]) -> str:
        """Return what a container of the list of init containers is."""
        return "sidecar" if init.get("restartPolicy") == "Always" else "init"

    def requests(self, container: dict[str, Any]) -> dict[str, Decimal]:
        """Return what a container requests: where it does not say, its limit."""
        resources = container.get("resources") or {}
        texts = {**(resources.get("limits") or {}), **(resources.get("requests") or {})}
        return {name: decimal(str(text)) for name, text in texts.items()}

    def limits(self, container: dict[str, Any]) -> dict[str, Decimal]:
        """Return the limits of a container."""
        limits = (container.get("resources") or {}).get("limits") or {}
        return {name: decimal(str(text)) for name, text in limits.items()}

    def qos(self, containers: list[dict[str, Any]]) -> str:
        """Return the class of a pod of these containers."""
        told = [(self.requests(own), self.limits(own)) for own in containers]
        deciding = ("cpu", "memory")
        if not any(side.get(name) for sides in told for side in sides for name in deciding):
            return "BestEffort"
        equal = all(
            limits.get(name) and limits[name] == requests[name] for requests, limits in told for name in deciding
        )
        return "Guaranteed" if equal else "Burstable"

    def due(self, qos: str, container: dict[str, Any]) -> int:
        """Return how many CPUs of its own a container gets."""
        cpu = self.requests(container).get("cpu", Decimal(0))
        return int(cpu) if qos == "Guaranteed" and cpu == int(cpu) else 0

    def at_once(self, pod: ReadPod) -> int:
        """Return how many CPUs a pod needs at once: of what runs together, or of an init container before it."""
        running = most = 0
        for container in pod.containers:
            most = max(most, running + container.cpus)
            if container.kind != "init":
                running += container.cpus
        return max(most, running)
