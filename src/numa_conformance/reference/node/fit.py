"""The check that follows the resource managers: does the sum of requests fit the node (ADM-CHAIN-03, ADM-PRED-01)."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from ...errors import Refusal
from ...kube.container import Container
from ...kube.kubelet_config import KubeletConfiguration
from ...kube.pod import Pod
from ...kube.quantity import Quantity
from ...kube.requests import PLAIN, checked_amounts, freed_requests, pod_requests
from ...kube.reservation import node_reservation, reserved_cpu_milli
from ...kube.resource_names import is_extended, is_scalar, page_bytes
from ...machine.model import Machine
from ...sources.changes import Changes
from ...sources.quirks.areas import SchedulerQuirks


def node_allocatable(machine: Machine, config: KubeletConfiguration) -> dict[str, int]:
    """Return what the node offers: cpu in millicores, memory and huge pages in bytes, devices and pods counted."""
    memory = machine.total_memory
    reserved = node_reservation(config, {"memory": memory}).get("memory", Quantity(0)).value
    huge = Counter[str]()
    for node in machine.memory:
        for size, pages in node.hugepages.items():
            huge[f"hugepages-{size}"] += pages * page_bytes(size)
    offered = {
        "cpu": len(machine.cpus) * 1000 - reserved_cpu_milli(config),
        "memory": memory - sum(huge.values()) - reserved,
        "pods": min(config.max_pods, len(machine.cpus) * config.pods_per_core or config.max_pods),
        **huge,
        **dict.fromkeys(machine.preferred_allocation, 0),
    }
    for device in machine.devices:
        offered[device.resource] = offered.get(device.resource, 0) + device.healthy
    return {name: max(amount, 0) for name, amount in offered.items()}


@dataclass(frozen=True, slots=True)
class Shortage:
    """A resource of which a pod requests more than is left."""

    name: str
    requested: int
    used: int
    capacity: int

    @property
    def missing(self) -> int:
        """How much would have to come free."""
        return self.requested - (self.capacity - self.used)

    @property
    def refusal(self) -> Refusal:
        """What a kubelet says of it."""
        amounts = f"requested: {self.requested}, used: {self.used}, capacity: {self.capacity}"
        return Refusal(f"OutOf{self.name}", f"Node didn't have enough resource: {self.name}, {amounts}")


class ResourceFit:
    """Finds what a pod's requests, with those of the pods on the node, exceed of what the node offers.

    ``status_has_overhead``: the overhead of a pod is in its status too, and counts twice.
    """

    status_has_overhead = False

    def __init__(
        self,
        machine: Machine,
        config: KubeletConfiguration,
        changes: Changes,
        quirks: SchedulerQuirks,
        storage: int | None = None,
        listed: set[str] | None = None,
        devices_of: Callable[[Pod], Collection[str]] = lambda _: (),
    ) -> None:
        """Take what the node is made of; ``storage``: ephemeral storage, where that is known.

        ``listed``: what the Node has listed, and lists as 0 when a device plugin is gone. ``devices_of``: the resources
        of which a pod has devices. Of these the node has as many as are given, whatever is offered by now.
        """
        self._listed = set() if listed is None else listed
        self._devices_of = devices_of
        self.quirks = quirks
        self._machine, self._config, self._storage = machine, config, storage
        self._changes = changes
        self._known: dict[str, tuple[Pod, dict[str, int]]] = {}
        self._counted: list[Pod] = []
        self._used: dict[str, int] = {}

    @cached_property
    def _allocatable(self) -> dict[str, int]:
        storage = {} if self._storage is None else {"ephemeral-storage": self._storage}
        offered = {**dict.fromkeys(self._listed, 0), **node_allocatable(self._machine, self._config), **storage}
        self._listed.update(offered)
        return offered

    def machine_changed(self, machine: Machine) -> None:
        """Look at another machine from now on."""
        self._machine = machine
        vars(self).pop("_allocatable", None)

    def check(self, pod: Pod, others: Iterable[Pod]) -> None:
        """Raise ``Refusal`` for the first resource that does not fit."""
        if shortage := next(self.shortages(pod, others), None):
            raise shortage.refusal

    def shortages(self, pod: Pod, others: Iterable[Pod]) -> Iterator[Shortage]:
        """Yield each resource that does not fit, in the kubelet's order (ADM-PRED-01)."""
        others = list(others)
        self._count(others)
        _, *requested = self.amounts(self._without_unlisted(pod)).items()
        for name, amount in {_PLACE: 1, **checked_amounts(dict(requested), self.quirks)}.items():
            if name in self._allocatable or is_scalar(name):
                shortage = Shortage(name, amount, self._used.get(name, 0), self._allocatable.get(name, 0))
                if shortage.missing > 0 and name not in self._devices_of(pod):
                    yield shortage

    def _without_unlisted(self, pod: Pod) -> Pod:
        """Return a pod without the extended resources that the node does not list; of others it then has none.

        How much it has of disks a kubelet knows; machines do not say so.
        """

        def listed(container: Container) -> Container:
            requests = {name: amount for name, amount in container.requests.items() if self._lists(name)}
            return container if len(requests) == len(container.requests) else replace(container, requests=requests)

        if all(map(self._lists, self.amounts(pod))):
            return pod
        init = pod.init_containers
        if self._changes.unlisted_resources_of_init_containers_are_passed_over:
            init = tuple(map(listed, init))
        return replace(pod, init_containers=init, containers=tuple(map(listed, pod.containers)))

    def _lists(self, name: str) -> bool:
        return name in self._allocatable or not is_extended(name)

    def _count(self, pods: list[Pod]) -> None:
        """Add up what pods ask for; where they are those of the last time and more, only these are added."""
        new = pods[len(self._counted) :]
        if pods[: len(self._counted)] != self._counted:
            self._used, new = {}, pods
            here = {pod.uid for pod in pods}
            self._known = {uid: known for uid, known in self._known.items() if uid in here}
        self._counted = pods
        for pod in new:
            again = _amounts(pod.overhead) | {_PLACE: 0} if self.status_has_overhead and not pod.is_static else {}
            for name, amount in (*self.amounts(pod).items(), *again.items()):
                self._used[name] = self._used.get(name, 0) + amount

    def amounts(self, pod: Pod) -> dict[str, int]:
        """Return a pod's requests, which are added up once."""
        known = self._known.get(pod.uid)
        if known is None or known[0] is not pod:
            known = self._known[pod.uid] = (pod, _amounts(pod_requests(pod)))
        return known[1]

    def freed(self, pod: Pod) -> dict[str, int]:
        """Return what comes free when a pod ends for a critical one."""
        return _amounts(freed_requests(pod, counts_sidecars=self._changes.preemption_counts_sidecars))


_PLACE = "pods"


def _amounts(requests: Mapping[str, Quantity]) -> dict[str, int]:
    """Return what a pod takes in the fit check's units: its place, cpu and memory first."""
    ordered: list[str] = [name for name in PLAIN if name in requests]
    ordered += sorted(requests.keys() - set(ordered))
    return {_PLACE: 1, **{name: requests[name].milli if name == "cpu" else requests[name].value for name in ordered}}
