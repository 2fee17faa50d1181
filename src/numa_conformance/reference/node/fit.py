"""The check that follows the resource managers: does the sum of requests fit the node (ADM-CHAIN-03, ADM-PRED-01)."""

from __future__ import annotations

from collections.abc import Iterable

from ...errors import Refusal
from ...kube.kubelet_config import KubeletConfiguration
from ...kube.pod import Pod
from ...kube.quantity import Quantity
from ...kube.requests import pod_requests
from ...kube.reservation import node_reservation, reserved_cpu_milli
from ...kube.resource_names import is_extended, is_scalar, page_bytes
from ...machine.model import Machine


def node_allocatable(machine: Machine, config: KubeletConfiguration) -> dict[str, int]:
    """Return what the node offers: cpu in millicores, memory and huge pages in bytes, devices and pods counted."""
    memory = machine.total_memory
    huge = _huge_pages(machine)
    offered = {
        "cpu": len(machine.cpus) * 1000 - reserved_cpu_milli(config),
        "memory": memory - sum(huge.values()) - _reserved_memory(config, memory),
        "pods": config.max_pods,
        **huge,
    }
    for device in machine.devices:
        offered[device.resource] = offered.get(device.resource, 0) + device.healthy
    return {name: max(amount, 0) for name, amount in offered.items()}


def _reserved_memory(config: KubeletConfiguration, capacity: int) -> int:
    return node_reservation(config, {"memory": capacity}).get("memory", Quantity(0)).value


def _huge_pages(machine: Machine) -> dict[str, int]:
    total: dict[str, int] = {}
    for node in machine.memory:
        for size, pages in node.hugepages.items():
            name = f"hugepages-{size}"
            total[name] = total.get(name, 0) + pages * page_bytes(size)
    return total


class ResourceFit:
    """Refuses a pod when its requests, with those of the pods on the node, exceed what the node offers."""

    def __init__(self, machine: Machine, config: KubeletConfiguration) -> None:
        """Compute once what the node offers."""
        self._allocatable = node_allocatable(machine, config)
        self._known: dict[str, tuple[Pod, dict[str, int]]] = {}
        self._counted: list[Pod] = []
        self._used: dict[str, int] = {}

    def check(self, pod: Pod, others: Iterable[Pod]) -> None:
        """Raise ``Refusal`` for the first resource that does not fit."""
        others = list(others)
        self._check_one("pods", 1, len(others))
        self._count(others)
        for name, amount in self._amounts(pod).items():
            if amount > 0 and self._counts(name):
                self._check_one(name, amount, self._used.get(name, 0))

    def _counts(self, name: str) -> bool:
        """Tell whether a resource is compared: a kubelet passes over extended ones alone that the node does not list.

        It knows how much of disks it has; machines do not say so.
        """
        return name in self._allocatable or (is_scalar(name) and not is_extended(name))

    def _count(self, pods: list[Pod]) -> None:
        """Add up what pods ask for; where they are those of the last time and more, only these are added."""
        new = pods[len(self._counted) :]
        if pods[: len(self._counted)] != self._counted:
            self._used, new = {}, pods
            here = {pod.uid for pod in pods}
            self._known = {uid: known for uid, known in self._known.items() if uid in here}
        self._counted = pods
        for pod in new:
            for name, amount in self._amounts(pod).items():
                self._used[name] = self._used.get(name, 0) + amount

    def _amounts(self, pod: Pod) -> dict[str, int]:
        """Return a pod's requests, which are added up once."""
        known = self._known.get(pod.uid)
        if known is None or known[0] is not pod:
            known = self._known[pod.uid] = (pod, _amounts(pod))
        return known[1]

    def _check_one(self, name: str, requested: int, used: int) -> None:
        capacity = self._allocatable.get(name, 0)
        if requested > capacity - used:
            raise Refusal(
                f"OutOf{name}",
                f"Node didn't have enough resource: {name}, requested: {requested}, used: {used}, capacity: {capacity}",
            )


def _amounts(pod: Pod) -> dict[str, int]:
    """Return the pod's requests in the fit check's units, cpu and memory first."""
    requests = pod_requests(pod)
    ordered: list[str] = [name for name in ("cpu", "memory", "ephemeral-storage") if name in requests]
    ordered += sorted(requests.keys() - set(ordered))
    return {name: requests[name].milli if name == "cpu" else requests[name].value for name in ordered}
