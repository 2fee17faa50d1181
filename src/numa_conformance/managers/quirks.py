"""Every named quirk of the kubelet, and which of them a version shows."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from ..quirk import Quirk, active_in
from .cpu.quirks import QUIRKS as CPU
from .device.quirks import QUIRKS as DEVICE
from .memory.quirks import QUIRKS as MEMORY
from .topology.quirks import QUIRKS as TOPOLOGY

__all__ = ["QUIRKS", "Quirk", "quirks_for"]

_ROOMS: tuple[tuple[Quirk, ...], ...] = (CPU, MEMORY, DEVICE, TOPOLOGY)

QUIRKS: Mapping[str, Quirk] = MappingProxyType({quirk.id: quirk for room in _ROOMS for quirk in room})
"""Quirk id to quirk, room by room."""


@lru_cache
def quirks_for(version: str) -> frozenset[str]:
    """Return the ids of the quirks that Kubernetes ``version`` shows: the level ``exact`` for that version."""
    return active_in(version, QUIRKS.values())
