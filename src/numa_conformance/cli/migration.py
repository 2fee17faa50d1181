"""``diff`` on the pods of a person: what changes for them when they move from one allocator to another."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..comparing.pod_outcomes import ACCEPTED, ContainerOutcome, PodOutcome, lived, outcomes_with_claims, pod_outcomes
from ..cpuset import bits_of, format_bits
from ..errors import Fault, UsageError, faults_within
from ..kube import Pod
from ..machine import Machine
from ..reference.simulation.outcomes import pod_names
from ..wire import Client
from .terminal import DIFFERENT, OK, columns, print_json, say

OutcomeByPod = Mapping[str, PodOutcome]


@dataclass(frozen=True)
class Moving:
    """The same pods beside two allocators on one machine. ``titles``: what each is."""

    machine: Machine
    pods: Sequence[Pod]
    titles: tuple[str, str]
    by_side: tuple[OutcomeByPod, OutcomeByPod]

    @classmethod
    def ask(
        cls, clients: Mapping[str, Client], machine: Machine, kubelet: Mapping[str, Any], pods: Sequence[Pod]
    ) -> "Moving":
        """Ask two clients by their titles; raises ``UsageError`` where a node fails to start, and ``TargetFault``."""
        described = [pod.to_dict() for pod in pods]
        by_client = []
        for title, client in clients.items():
            with faults_within(title):
                by_client.append(_outcomes(client, machine, kubelet, described))
        first, other = clients
        return cls(machine, pods, (first, other), (by_client[0], by_client[1]))

    @property
    def exit_code(self) -> int:
        """Whether any pod comes out differently."""
        return DIFFERENT if any(self._changes(pod.uid) for pod in self.pods) else OK

    def _changes(self, uid: str) -> tuple[str, ...]:
        return tuple(_changes(*(side[uid] for side in self.by_side)))

    def print_json(self) -> None:
        """Print it for a program."""
        names = pod_names(self.pods)
        sides = {
            side: {"name": title, **{name: count for name, _, count in _counts(outcomes)}}
            for side, title, outcomes in zip("ab", self.titles, self.by_side, strict=True)
        }
        print_json({"machine": self.machine.name, **sides, "pods": [self._as_dict(pod, names) for pod in self.pods]})

    def _as_dict(self, pod: Pod, names: Mapping[str, str]) -> dict[str, Any]:
        left, right = (side[pod.uid].to_dict() for side in self.by_side)
        return {"pod": names[pod.uid], "uid": pod.uid, "changes": list(self._changes(pod.uid)), "a": left, "b": right}

    def print_text(self) -> None:
        """Print the summary, then a row for each container that fares otherwise."""
        rows = zip(*map(_counts, self.by_side), strict=True)
        summary = [(text, str(left), str(right)) for (_, text, left), (*_, right) in rows]
        say(*self.titles, "", *columns([("", "A", "B"), *summary]))
        if rows_of_pods := [row for pod in self.pods if self._changes(pod.uid) for row in self._rows(pod)]:
            say("", *columns([("container", "changes", "A", "B"), *rows_of_pods]))
        changed = sum(bool(self._changes(pod.uid)) for pod in self.pods)
        say("", f"{changed} of {len(self.pods)} pods come out differently")

    def _rows(self, pod: Pod) -> Iterator[tuple[str, str, str, str]]:
        name = pod_names([pod])[pod.uid]
        left, right = (side[pod.uid] for side in self.by_side)
        if left.reason or right.reason:
            yield name, ", ".join(_changes(left, right)), _fate(left), _fate(right)
            return
        for container in left.containers.keys() & right.containers.keys():
            first, other = left.containers[container], right.containers[container]
            if changes := ", ".join(_of_container(first, other)):
                yield f"{name}/{container}", changes, _placed(first), _placed(other)


def _outcomes(
    client: Client, machine: Machine, kubelet: Mapping[str, Any], pods: Sequence[Mapping[str, Any]]
) -> OutcomeByPod:
    if "node" not in client.surfaces and "claims" in client.surfaces:
        return outcomes_with_claims(client, machine, kubelet, pods)
    history = lived(client, machine, kubelet, pods)
    answer = history.steps[0].answer or {}
    if answer.get("result") != "started":
        why = f"the node does not come up ({answer.get('stage')}): {answer.get('message')}"
        raise UsageError(Fault("", why, ACCEPTED))
    return pod_outcomes(history)


def _counts(side: OutcomeByPod) -> list[tuple[str, str, int]]:
    """Return what is counted, by its names for a program and for a person, and how often it occurs."""
    containers = [fate for pod in side.values() for fate in pod.containers.values()]
    return [
        ("admitted", "pods admitted", sum(not pod.reason for pod in side.values())),
        ("refused", "pods refused", sum(bool(pod.reason) for pod in side.values())),
        ("containers", "containers", len(containers)),
        ("alone", "... alone on their CPUs", sum(fate.alone for fate in containers)),
        ("sharedCores", "... that share a core with others", sum(fate.shared_cores > 0 for fate in containers)),
        ("oneSocket", "... on one socket", sum(len(fate.sockets) == 1 for fate in containers)),
        ("oneNumaNode", "... on one NUMA node", sum(len(fate.nodes) == 1 for fate in containers)),
        ("memoryKept", "... with memory kept to NUMA nodes", sum(fate.mems is not None for fate in containers)),
    ]


def _changes(left: PodOutcome, right: PodOutcome) -> Iterator[str]:
    if left.reason or right.reason:
        if bool(left.reason) != bool(right.reason):
            yield "refused" if right.reason else "admitted"
        elif left.reason != right.reason:
            yield "reason"
        return
    pairs = [(left.containers[name], right.containers[name]) for name in left.containers if name in right.containers]
    yield from dict.fromkeys(change for pair in pairs for change in _of_container(*pair))


def _of_container(left: ContainerOutcome, right: ContainerOutcome) -> Iterator[str]:
    if left.alone != right.alone:
        yield "alone" if right.alone else "not alone"
    if left.cpus.bit_count() != right.cpus.bit_count():
        yield "more CPUs" if right.cpus.bit_count() > left.cpus.bit_count() else "fewer CPUs"
    elif left.cpus != right.cpus:
        yield "other CPUs"
    for name, was, now in (("sockets", left.sockets, right.sockets), ("NUMA nodes", left.nodes, right.nodes)):
        if len(was) != len(now):
            yield f"{'more' if len(now) > len(was) else 'fewer'} {name}"
    if left.mems != right.mems:
        yield "memory"
    if left.devices != right.devices:
        yield "devices"


def _fate(pod: PodOutcome) -> str:
    if pod.reason:
        return f"refused, {pod.reason}"
    return "; ".join(f"{name}: {_placed(fate)}" for name, fate in pod.containers.items())


def _placed(fate: ContainerOutcome) -> str:
    parts = [f"{fate.cpus.bit_count()} CPUs {format_bits(fate.cpus)}{' alone' if fate.alone else ''}"]
    if fate.shared_cores:
        parts.append(f"{fate.shared_cores} core{'' if fate.shared_cores == 1 else 's'} shared")
    if len(fate.sockets) > 1:
        parts.append(f"{len(fate.sockets)} sockets")
    parts.append(f"NUMA {_ids(fate.nodes)}")
    if fate.mems is not None:
        parts.append(f"memory {_ids(fate.mems)}")
    parts += [f"{resource} {' '.join(ids)}" for resource, ids in fate.devices.items()]
    return ", ".join(parts)


def _ids(ids: Sequence[int]) -> str:
    return format_bits(bits_of(ids))
