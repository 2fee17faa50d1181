"""What the Memory Manager does in the order of a Go map, and chance decides, where NUMA nodes are in several groups.

At a start it adds up blocks: a NUMA node then is in the group of the block that came last. Where it serves containers
in several groups this is the group in the state file, or another one, and then the state is refused. Up to 1.31 it also
lets go of the containers of a pod so, and gives back what they held, one by one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any

from ..sources.versions import KubernetesVersion
from ..wire.history.history import Step
from .recorded.differences import Difference

_STAGE = "memorymanager-start"
_FREE = re.compile(r"memory_state\[\d+\]\.free\.")
_IN_ORDER = KubernetesVersion.parse("1.32")


def comes_up_by_chance(before: Iterable[Step], step: Step, beside: Step) -> bool:
    """Tell whether of two restarts after the same steps one alone is refused for its memory, and that by chance."""
    stages = [(answered.answer or {}).get("stage") for answered in (step, beside)]
    return step.method == "node.restart" and stages.count(_STAGE) == 1 and _crossing(before)


def gives_back_by_chance(before: Iterable[Step], differences: Iterable[Difference], version: str) -> bool:
    """Tell whether two answers after the same steps differ in the memory that is free alone, and that by chance."""
    free_alone = all(_FREE.match(difference.path) for difference in differences)
    return free_alone and KubernetesVersion.parse(version) < _IN_ORDER and _crossing(before)


def _crossing(steps: Iterable[Step]) -> bool:
    groups = {group for containers in _held(steps).values() for group in _groups(containers)}
    return any(first & second for first, second in combinations(groups, 2))


def _held(steps: Iterable[Step]) -> dict[Any, Mapping[str, Any]]:
    """Return what the containers of each pod hold after the steps of a node's life."""
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


def _groups(containers: Mapping[str, Any]) -> Iterator[frozenset[int]]:
    return (frozenset(block["nodes"]) for container in containers.values() for block in container.get("memory") or ())
