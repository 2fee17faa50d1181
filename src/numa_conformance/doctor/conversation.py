"""An exporter's conversation: pods come and go on the nodes of a cluster, and each object is looked at."""

import json
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..asking.generators.events import Event, EventLot
from ..errors import KubeletFails, UsageError
from ..lab.cluster.scheduled import ClusterConnection, pod_manifest, reference_of
from ..machine import Machine
from .exporters import ObjectFault, judge_node, node_amounts

_LOOK_SECONDS, _MOST_PODS = 0.2, 5
_Pods = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class ExporterLook:
    """The faults of a node's object after a step, and the seconds until it was right, or until the wait ended."""

    step: str
    node: str
    unmet: Sequence[ObjectFault]
    seconds: float


@dataclass(frozen=True)
class KubeletEnd:
    """A node whose kubelet ended at a step. ``why``: its last words, and whether the reference foresees it."""

    step: str
    node: str
    why: str


def converse(
    cluster: ClusterConnection, nodes: Sequence[str], steps: int, seed: int, within: float
) -> Iterator[ExporterLook | KubeletEnd]:
    """Let Guaranteed pods come and go, daemons start anew, and look at each node at first and after each step.

    An object has ``within`` seconds to follow. A node whose kubelet ends is left out. All pods are deleted at the end.
    """
    lot = random.Random(seed)
    events = {node: EventLot(lot) for node in nodes}
    running: dict[str, _Pods] = {node: {} for node in nodes}
    left = list(nodes)
    try:
        for number in range(steps + 1):
            for node in list(left):
                step = "at first"
                try:
                    if number:
                        step = _change(cluster, node, running[node], events[node], number)
                    yield _look(cluster, node, step, within)
                except UsageError as error:
                    if all(status["process"] for status in cluster.ask("status")["nodes"] if status["name"] == node):
                        raise
                    left.remove(node)
                    yield KubeletEnd(step, node, f"{error}{_foreseen(cluster, node, running[node])}")
    finally:
        for name in [name for pods in running.values() for name in pods]:
            cluster.ask("drop", name)


def _foreseen(cluster: ClusterConnection, node: str, running: _Pods) -> str:
    """Say whether the reference, given the same pods, foresees that the kubelet ends; nothing where none was made."""
    if not running:
        return ""
    reference = reference_of(cluster.ask("plans")[node])
    try:
        for uid, pod in enumerate(running.values()):
            reference.admit({**pod, "metadata": {**pod["metadata"], "namespace": "default", "uid": str(uid)}})
    except KubeletFails as failure:
        return f"; foreseen by the reference: {failure}"
    return "; not foreseen by the reference"


def _change(cluster: ClusterConnection, node: str, running: _Pods, events: EventLot, number: int) -> str:
    name = f"exported-{node}-{number}"
    there = [*(Event("go", each) for each in running), Event("restart")] if running else []
    event = events.draw([*there, Event("come", name)] if len(running) < _MOST_PODS else there)
    if event.name == "restart":
        cluster.ask("daemons")
        return "daemons restarted"
    if event.name == "go":
        cluster.ask("drop", event.subject)
        del running[event.subject]
        return f"pod {event.subject} is gone"
    resources = _draw_resources(node_amounts(cluster.ask("books", node)).machine, events.lot)
    container = {"name": "c", "image": "any", "resources": {"limits": dict(resources)}}
    running[name] = pod_manifest(name, [container], nodeName=node, tolerations=[{"operator": "Exists"}])
    pod = cluster.ask("make", json.dumps(running[name]))
    shown = ", ".join(f"{resource} {amount}" for resource, amount in resources.items())
    if pod.get("status", {}).get("phase") == "Failed":
        cluster.ask("drop", name)
        del running[name]
        return f"pod {name} with {shown} was refused"
    return f"pod {name} with {shown} came"


def _draw_resources(machine: Machine, draw: random.Random) -> dict[str, str]:
    resources = {"cpu": str(draw.choice([1, 2, 3, 4])), "memory": draw.choice(["64Mi", "1Gi", "3Gi"])}
    if draw.random() < 0.2:
        resources["cpu"] = "1500m"  # of the shared pool: no CPU less is available
    sizes = sorted({size for node in machine.memory for size, count in node.hugepages.items() if count})
    resources |= {f"hugepages-{size}": size for size in sizes if draw.random() < 0.5}
    kinds = sorted({device.resource for device in machine.devices})
    return {**resources, **{resource: "1" for resource in kinds if draw.random() < 0.5}}


def _look(cluster: ClusterConnection, node: str, step: str, within: float) -> ExporterLook:
    began = time.monotonic()
    while True:
        unmet = judge_node(cluster, node)
        seconds = time.monotonic() - began
        if not unmet or seconds > within:
            return ExporterLook(step, node, unmet, seconds)
        time.sleep(_LOOK_SECONDS)
