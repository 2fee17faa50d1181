"""What a target has read before: many questions bring along the same machine, pod and configuration."""

import copy
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import msgspec

from ...kube import FeatureGates, KubeletConfiguration, Pod, validate
from ...sources.changes import Changes
from ...sources.quirks import Quirks
from ...sources.versions import KubernetesVersion
from ..managers.cpu import CpuManager, make_cpu_manager
from .pick import cpu_topology

_T = TypeVar("_T")
_MOST = 512
"""Objects that are kept of one target."""


class Readings:
    """Objects that one target has read. Each is immutable, and the same for the same JSON; nothing refused is kept.

    ``version``, ``quirks`` and ``changes`` are those that the target shows.
    """

    def __init__(self, version: KubernetesVersion, quirks: Quirks, changes: Changes | None) -> None:
        self.version, self.quirks, self.changes = version, quirks, changes
        self._kept: dict[Hashable, Any] = {}

    def pod(self, obj: object, place: str, *, validate: bool = True) -> Pod:
        """Return a pod; raises ``UsageError``."""
        return self._once((place, validate), obj, lambda: Pod.from_dict(obj, place, validate=validate))

    def configuration(self, obj: object) -> KubeletConfiguration:
        """Return a configuration; raises ``UsageError``."""
        return self._once("kubelet", obj, lambda: KubeletConfiguration.from_dict(obj, "kubelet"))

    def startable(self, obj: object, version: KubernetesVersion) -> KubeletConfiguration:
        """Return a configuration as a version takes it; raises ``UsageError``, and ``StartError`` where it refuses."""

        def make() -> KubeletConfiguration:
            config = self.configuration(obj)
            validate(config, version)
            return config.at(version)

        return self._once(version, obj, make)

    def cpu_manager(self, machine: dict[str, Any], kubelet: object) -> tuple[CpuManager, FeatureGates]:
        """Return a CPU Manager to give a state to; raises ``UsageError``, and ``StartError`` for what cannot start."""

        def make() -> tuple[CpuManager, FeatureGates]:
            config, quirks = self.configuration(kubelet).at(self.version), self.quirks.cpu
            gates = FeatureGates.build(self.version, config.feature_gates, self.changes)
            return make_cpu_manager(cpu_topology(machine, quirks), config, gates, quirks), gates

        manager, gates = self._once("manager", (machine, kubelet), make)
        return copy.copy(manager), gates

    def _once(self, kind: Hashable, obj: object, read: Callable[[], _T]) -> _T:
        key = kind, msgspec.json.encode(obj)
        if key in self._kept:
            known: _T = self._kept[key]
            return known
        if len(self._kept) >= _MOST:
            self._kept.clear()
        self._kept[key] = value = read()
        return value
