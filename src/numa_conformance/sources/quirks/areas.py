"""Where Kubernetes departs from its documentation: the flags of each area, and ``Quirks``, which has all of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from ..versions import KubernetesVersion
from .quirk import Quirk, QuirkFlags, flags_of, unknown_quirk


@flags_of("cpu.txt")
class CpuQuirks(QuirkFlags):
    """Where the kubelet's CPU Manager departs from its documentation. True: as Kubernetes does."""


@flags_of("memory.txt")
class MemoryQuirks(QuirkFlags):
    """Where the Memory Manager departs from its documentation. True: as Kubernetes does."""


@flags_of("device.txt")
class DeviceQuirks(QuirkFlags):
    """Where the Device Manager departs from its documentation. True: as Kubernetes does."""


@flags_of("topology.txt")
class TopologyQuirks(QuirkFlags):
    """Where the Topology Manager departs from its documentation. True: as Kubernetes does."""


@flags_of("node.txt")
class NodeQuirks(QuirkFlags):
    """Where the kubelet departs from its documentation outside its managers. True: as Kubernetes does."""


@flags_of("scheduler.txt")
class SchedulerQuirks(QuirkFlags):
    """Where NodeResourcesFit departs from its documentation. True: as Kubernetes does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quirks:
    """What one version of Kubernetes does in place of what is documented; each field is an area."""

    cpu: CpuQuirks = field(default_factory=CpuQuirks)
    memory: MemoryQuirks = field(default_factory=MemoryQuirks)
    device: DeviceQuirks = field(default_factory=DeviceQuirks)
    topology: TopologyQuirks = field(default_factory=TopologyQuirks)
    node: NodeQuirks = field(default_factory=NodeQuirks)
    scheduler: SchedulerQuirks = field(default_factory=SchedulerQuirks)

    @classmethod
    def of(cls, version: KubernetesVersion) -> "Quirks":
        """Return the quirks that a version shows, to the patch: the level ``exact`` for that version."""
        return _of(version, version.patch)

    @classmethod
    def none(cls) -> "Quirks":
        """Return the documented behaviour."""
        return cls()

    def without(self, *ids: str) -> "Quirks":
        """Return the quirks with some of them off; raises ``UsageError`` for an id that does not exist."""
        for quirk in ids:
            if quirk not in QUIRKS:
                raise unknown_quirk(quirk, QUIRKS)
        changed: dict[str, Any] = {
            area: flags.without(*(quirk for quirk in ids if QUIRKS[quirk].area == area))
            for area, flags in self._by_area().items()
        }
        return replace(self, **changed)

    def showing(self) -> tuple[str, ...]:
        """Return the ids of the quirks that are on."""
        return tuple(quirk for flags in self._by_area().values() for quirk in flags.showing())

    def _by_area(self) -> dict[str, QuirkFlags]:
        return {area.name: getattr(self, area.name) for area in fields(self)}


QUIRKS: Mapping[str, Quirk] = MappingProxyType(
    {quirk.id: quirk for area, flags in Quirks()._by_area().items() for quirk in flags.quirks(area)}
)
"""Quirk id to quirk, area by area."""


@lru_cache
def _of(version: KubernetesVersion, patch: int | None) -> Quirks:
    """Return the quirks of a version; ``patch`` tells those apart that are equal by their minor."""
    shown: dict[str, Any] = {area: flags.of(version) for area, flags in Quirks()._by_area().items()}
    return Quirks(**shown)
