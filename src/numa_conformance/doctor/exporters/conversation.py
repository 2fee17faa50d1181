"""Pods that come and go on the nodes of a cluster, and what their exporters say after each."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import KubeletFails, UsageError
from ...lab.cluster.scheduled import ClusterConnection, reference_of
from ...machine import Machine
from .judging import ExporterViolation, judge_exported
from .numa_amounts import NodeAmounts, node_amounts

_LOOK_SECONDS = 0.2
_MOST_PODS = 5
_Pods = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class ExporterLook:
    """What the object of a node says after a step, and how many seconds it took to be right, or was waited for."""

    step: str
    node: str
    unmet: Sequence[ExporterViolation]
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
    """Let Guaranteed pods come to each node and go, and yield a look at each node before the first and after each.

    An object has ``within`` seconds to follow. A node whose kubelet ends is not asked any more. All pods that were made
    are deleted in the end.
    """
    draw = random.Random(seed)
    running: dict[str, _Pods] = {node: {} for node in nodes}
    left = list(nodes)
    try:
        for number in range(steps + 1):
            for node in list(left):
                step = "at first"
                try:
                    if number:
                        step = _change(cluster, node, running[node], draw, number)
                    yield _look(cluster, node, step, within)
                except UsageError as error:
                    if _is_alive(cluster, node):
                        raise
                    left.remove(node)
                    yield KubeletEnd(step, node, f"{error}{_foreseen(cluster, node, running[node])}")
    finally:
        for names in running.values():
            for name in names:
                cluster.ask("drop", name)


def _is_alive(cluster: ClusterConnection, node: str) -> bool:
    return all(status["process"] for status in cluster.ask("status")["nodes"] if status["name"] == node)


def _foreseen(cluster: ClusterConnection, node: str, running: _Pods) -> str:
    """Say whether the reference, given the same pods, foresees that the kubelet ends; nothing where none was made."""
    if not running:
        return ""
    reference = reference_of(cluster.ask("plans")[node])
    try:
        for number, pod in enumerate(running.values()):
            reference.admit({**pod, "metadata": {**pod["metadata"], "namespace": "default", "uid": str(number)}})
    except KubeletFails as failure:
        return f"; foreseen by the reference: {failure}"
    return "; not foreseen by the reference"


def _change(cluster: ClusterConnection, node: str, running: _Pods, draw: random.Random, number: int) -> str:
    if running and (len(running) >= _MOST_PODS or draw.random() < 0.4):
        name = list(running)[draw.randrange(len(running))]
        cluster.ask("drop", name)
        del running[name]
        return f"pod {name} is gone"
    resources = _resources(node_amounts(cluster.ask("kept", node)).machine, draw)
    name = f"exported-{node}-{number}"
    running[name] = _pod(name, node, resources)
    pod = cluster.ask("make", json.dumps(running[name]))
    shown = ", ".join(f"{resource} {amount}" for resource, amount in resources.items())
    if pod.get("status", {}).get("phase") == "Failed":
        cluster.ask("drop", name)
        del running[name]
        return f"pod {name} with {shown} was refused"
    return f"pod {name} with {shown} came"


def _resources(machine: Machine, draw: random.Random) -> dict[str, str]:
    resources = {"cpu": str(draw.choice([1, 2, 3, 4])), "memory": draw.choice(["64Mi", "1Gi", "3Gi"])}
    if draw.random() < 0.2:
        resources["cpu"] = "1500m"  # of the shared pool: no CPU less is available
    for size in sorted({size for node in machine.memory for size, count in node.hugepages.items() if count}):
        if draw.random() < 0.5:
            resources[f"hugepages-{size}"] = size
    for resource in sorted({device.resource for device in machine.devices}):
        if draw.random() < 0.5:
            resources[resource] = "1"
    return resources


def _pod(name: str, node: str, resources: Mapping[str, str]) -> dict[str, Any]:
    container = {"name": "c", "image": "any", "resources": {"limits": dict(resources)}}
    spec = {
        "nodeName": node,
        "containers": [container],
        "automountServiceAccountToken": False,
        "tolerations": [{"operator": "Exists"}],
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def _look(cluster: ClusterConnection, node: str, step: str, within: float) -> ExporterLook:
    began = time.monotonic()
    while True:
        amounts: NodeAmounts = node_amounts(cluster.ask("kept", node))
        unmet = judge_exported(cluster.ask("exported", node), amounts)
        seconds = time.monotonic() - began
        if not unmet or seconds > within:
            return ExporterLook(step, node, unmet, seconds)
        time.sleep(_LOOK_SECONDS)
