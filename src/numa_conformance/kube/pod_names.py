"""Names for pods without metadata, as the pages print them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["PodNames"]


class PodNames:
    """Makes up names that differ: that of the first container, a number after it where that is taken."""

    def __init__(self) -> None:
        """Begin with no name given."""
        self._given: set[str] = set()

    def name(self, pod: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a pod with a name, if it has no metadata; any other as it is."""
        if pod.get("metadata"):
            return pod
        return {**pod, "metadata": {"name": self._new(_container_name(pod.get("spec")))}}

    def _new(self, wanted: str) -> str:
        number = 1
        name = wanted or "pod-1"
        while name in self._given:
            number += 1
            name = f"{wanted or 'pod'}-{number}"
        self._given.add(name)
        return name


def _container_name(spec: Any) -> str:
    containers = spec.get("containers") if isinstance(spec, Mapping) else None
    first = containers[0] if isinstance(containers, list) and containers else None
    name = first.get("name") if isinstance(first, Mapping) else None
    return name if isinstance(name, str) else ""
