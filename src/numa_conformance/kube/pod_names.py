"""Names for pods that have none: without metadata, as the pages print them, or with a prefix for a generated one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any


class PodNames:
    """Makes up names that differ.

    That of the first container for a pod without metadata, a number after it where that is taken; a number after
    ``generateName``.
    """

    def __init__(self) -> None:
        """Begin with no name given."""
        self._names: set[str] = set()
        self._generated: Counter[str] = Counter()

    def name(self, pod: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a pod with a name, if it has no metadata or asks for a generated name; any other as it is."""
        metadata = pod.get("metadata")
        if metadata:
            prefix = metadata.get("generateName") if isinstance(metadata, Mapping) else None
            if not isinstance(prefix, str) or not prefix or metadata.get("name"):
                return pod
            self._generated[prefix] += 1
            return {**pod, "metadata": {**metadata, "name": f"{prefix}{self._generated[prefix]}"}}
        return {**pod, "metadata": {"name": self._new(_container_name(pod.get("spec")))}}

    def _new(self, wanted: str) -> str:
        number = 1
        name = wanted or "pod-1"
        while name in self._names:
            number += 1
            name = f"{wanted or 'pod'}-{number}"
        self._names.add(name)
        return name


def _container_name(spec: Any) -> str:
    containers = spec.get("containers") if isinstance(spec, Mapping) else None
    first = containers[0] if isinstance(containers, list) and containers else None
    name = first.get("name") if isinstance(first, Mapping) else None
    return name if isinstance(name, str) else ""
