"""Chance in a kubelet's decisions: devices and memory that it takes in the order of a Go map.

Without preferences the Device Manager takes any device, so later pods meet another node. The NUMA nodes of devices are
compared in place of their ids. At a start the Memory Manager adds up blocks: a NUMA node is in the group of the block
that came last. Where it serves containers in several groups, this may not be the group in the state file. Then the
state is refused. Up to 1.31 it also gives back the memory of a pod's containers one by one in such an order.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

from ..machine import Machine
from ..sources.versions import KubernetesVersion
from ..wire.history.history import History, Step
from .recorded.differences import Difference, compare

Name = Callable[[str, str, frozenset[int]], str]
"""What stands for a device: of a resource, with an id, given to a container of an affinity."""


class AnyDevice:
    """What may stand for the ids of devices in the answers of one history."""

    def __init__(self, history: History) -> None:
        machine = history.head.machine
        self._nodes = {(device.resource, device.id): frozenset(device.numa) for device in machine.devices}
        again = any(_reuses(machine, step.params.get("pod")) for step in history.steps)
        self._chosen = frozenset() if again else frozenset(machine.preferred_allocation)

    def by_place(self, answer: Any) -> Any:
        """Return an answer with the NUMA nodes of a device in place of its id."""
        return self._named(answer, lambda resource, id, _: f"of {sorted(self._nodes.get((resource, id), (id,)))}")

    def by_reach(self, answer: Any) -> Any:
        """Return an answer that says of devices "aligned", "on none" or "on others": the manager's order of choice."""
        return self._named(answer, self._reach)

    def chose_otherwise(self, step: Step, other: Step) -> bool:
        """Tell whether of a pod's containers the first that is served otherwise is so by chance; others follow.

        What init containers had serves again before anything else, and any of it. Of a pod that both refuse the hints
        for its containers are looked at.
        """
        spec = (step.params.get("pod") or {}).get("spec") or {}
        answers = [(answered.answer or {}).get("containers") or {} for answered in (step, other)]
        init = [container.get("name") for container in spec.get("initContainers") or ()]
        app = [container.get("name") for container in spec.get("containers") or ()]
        if bool(answers[0]) != bool(answers[1]):
            names = (*init, *app)
            answer = answers[0] or answers[1]
            devices = [(answer.get(name) or {}).get("devices") or {} for name in names]
            return any(
                resource not in self._chosen and any(later.get(resource) for later in devices[number + 1 :])
                for number, name in enumerate(names)
                for resource, ids in devices[number].items()
                if any(self._exchangeable(answer[name], resource, id) for id in ids)
            )
        if not any(answers):
            return self._left_otherwise(spec, *(answered.answer or {} for answered in (step, other)))
        for number, name in enumerate((*init, *app)):
            first, second = (answer.get(name) for answer in answers)
            if any(compare(self.by_place(first), self.by_place(second), "")):
                before = [[answer.get(earlier) for earlier in init[:number]] for answer in answers]
                return not any(compare(self._again(first, before[0]), self._again(second, before[1]), ""))
        return False

    def _left_otherwise(
        self, spec: Mapping[str, Any], answer: Mapping[str, Any], other_answer: Mapping[str, Any]
    ) -> bool:
        """Tell whether the first hints that differ are of resources of which containers before took any device."""
        containers = (*(spec.get("initContainers") or ()), *(spec.get("containers") or ()))
        limits = {container.get("name"): _limits(container) - self._chosen for container in containers}
        taken: set[str] = set()
        for alignment, other in zip(answer.get("alignments") or (), other_answer.get("alignments") or (), strict=False):
            if alignment != other:
                pairs = zip(alignment["providers"], other["providers"], strict=False)
                differing = {name for pair in pairs for name, _ in _hints(pair[0]) ^ _hints(pair[1])}
                return bool(differing) and differing <= taken
            taken |= limits.get(alignment.get("container"), set())
        return False

    def _exchangeable(self, holding: Mapping[str, Any], resource: str, id: str) -> bool:
        affinity = frozenset((holding.get("affinity") or {}).get("nodes") or ())
        return any(
            nodes != self._nodes.get((resource, id))
            and self._reach(*other, affinity) == self._reach(resource, id, affinity)
            for other, nodes in self._nodes.items()
            if other[0] == resource
        )

    def _again(self, holding: Any, before: Iterable[Any]) -> Any:
        """Return what a container holds with "again" for devices that one of those before it holds."""
        held = {
            (resource, id)
            for earlier in before
            for resource, ids in ((earlier or {}).get("devices") or {}).items()
            for id in ids
        }
        return self._named(
            holding,
            lambda resource, id, affinity: "again" if (resource, id) in held else self._reach(resource, id, affinity),
        )

    def _reach(self, resource: str, id: str, affinity: frozenset[int]) -> str:
        nodes = self._nodes.get((resource, id))
        if nodes is None:
            return id
        if not affinity:
            return "any"
        return "on none" if not nodes else "aligned" if nodes & affinity else "on others"

    def _named(self, answer: Any, name: Name) -> Any:
        if isinstance(answer, list):
            return [self._named(item, name) for item in answer]
        if not isinstance(answer, Mapping):
            return answer
        named = {key: self._named(value, name) for key, value in answer.items()}
        if isinstance(answer.get("devices"), Mapping):
            affinity = frozenset((answer.get("affinity") or {}).get("nodes") or ())
            named["devices"] = {
                resource: self._ids(resource, ids, lambda named, id: name(named, id, affinity))
                for resource, ids in answer["devices"].items()
            }
        if isinstance(answer.get("PodDeviceEntries"), list):
            named["PodDeviceEntries"] = [self._entry(entry, name) for entry in answer["PodDeviceEntries"]]
        return named

    def _entry(self, entry: Mapping[str, Any], name: Name) -> Mapping[str, Any]:
        """Return an entry of the state file, whose devices stand by NUMA node."""
        resource = entry["ResourceName"]
        if resource in self._chosen:
            return entry
        ids = {id for listed in entry["DeviceIDs"].values() for id in listed}
        return {**entry, "DeviceIDs": sorted(name(resource, id, frozenset()) for id in ids)}

    def _ids(self, resource: str, ids: Any, name: Callable[[str, str], str]) -> Any:
        if resource in self._chosen or not isinstance(ids, Sequence) or isinstance(ids, str):
            return ids
        return sorted(name(resource, id) for id in ids)


def _reuses(machine: Machine, pod: Any) -> bool:
    """Tell whether an init container of a pod has devices: which of them later containers take is chance."""
    resources = {device.resource for device in machine.devices}
    containers = ((pod or {}).get("spec") or {}).get("initContainers") or ()
    return any(resources & _limits(container) for container in containers)


def _limits(container: Mapping[str, Any]) -> set[str]:
    return {*((container.get("resources") or {}).get("limits") or ())}


def _hints(provider: Mapping[str, Any] | None) -> set[tuple[str, str]]:
    return {(resource, repr(hints)) for resource, hints in (provider or {}).items()}


_FREE = re.compile(r"memory_state\[\d+\]\.free\.")
_IN_ORDER = KubernetesVersion.parse("1.32")


def comes_up_by_chance(before: Iterable[Step], step: Step, other: Step) -> bool:
    """Tell whether of two restarts after the same steps one alone is refused for its memory, and that by chance."""
    stages = [(answered.answer or {}).get("stage") for answered in (step, other)]
    return step.method == "node.restart" and stages.count("memorymanager-start") == 1 and _crossing(before)


def gives_back_by_chance(before: Iterable[Step], differences: Iterable[Difference], version: str) -> bool:
    """Tell whether two answers after the same steps differ in the memory that is free alone, and that by chance."""
    free_alone = all(_FREE.match(difference.path) for difference in differences)
    return free_alone and KubernetesVersion.parse(version) < _IN_ORDER and _crossing(before)


def _crossing(steps: Iterable[Step]) -> bool:
    holdings = [holding for containers in _held(steps).values() for holding in containers.values()]
    groups = {frozenset(block["nodes"]) for holding in holdings for block in holding.get("memory") or ()}
    return any(first & second for first, second in combinations(groups, 2))


def _held(steps: Iterable[Step]) -> dict[Any, Mapping[str, Any]]:
    held: dict[Any, Mapping[str, Any]] = {}
    for step in steps:
        answer = step.answer or {}
        match step.method, answer.get("result"):
            case "node.start", _:
                held = {}
            case "node.admit", "admitted":
                held[step.params["pod"]["metadata"]["uid"]] = answer["containers"]
            case "node.remove", _:
                held.pop(step.params["uid"], None)
            case "node.restart", "restarted":
                held = {pod["uid"]: pod["containers"] for pod in answer["pods"] if pod["result"] == "admitted"}
    return held
