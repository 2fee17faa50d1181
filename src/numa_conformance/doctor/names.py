"""Which container an id is: the links that the kubelet keeps for log collectors tell pod, namespace and container."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .tree import NodeTree

FOLDER = "var/log/containers"
_LINK = re.compile(r"([^_/]{1,253})_([^_/]{1,253})_([^_/]{1,253})-([0-9a-f]{64})\.log", re.ASCII)
_GOAL = re.compile(r"(?:.*/)?[^_/]+_[^_/]+_([^_/]+)/[^/]+/[0-9]+\.log[^/]*", re.ASCII)
_ID = re.compile(r"[0-9a-f]{64}", re.ASCII)


@dataclass(frozen=True, slots=True)
class ContainerName:
    """A container by its names; ``uid`` is its pod's, empty where the link does not tell it."""

    namespace: str
    pod: str
    container: str
    uid: str


def is_id(text: str) -> bool:
    """Tell whether a cgroup is named by a container runtime's id."""
    return _ID.fullmatch(text) is not None


def names_of_containers(tree: NodeTree) -> dict[str, ContainerName]:
    """Return container id to names."""
    names: dict[str, ContainerName] = {}
    for name in tree.names(FOLDER):
        match = _LINK.fullmatch(name)
        if match:
            goal = _GOAL.fullmatch(tree.goal(f"{FOLDER}/{name}") or "")
            names[match[4]] = ContainerName(match[2], match[1], match[3], goal[1] if goal else "")
    return names
