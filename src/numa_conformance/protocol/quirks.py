"""Every named quirk of the node and of the scheduler, and which of them a version shows."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ..managers.quirks import QUIRKS as NODE
from ..quirk import Quirk, active_in
from ..scheduler.quirks import QUIRKS as SCHEDULER

__all__ = ["QUIRKS", "quirks_for"]

QUIRKS: Mapping[str, Quirk] = MappingProxyType({**NODE, **{quirk.id: quirk for quirk in SCHEDULER}})
"""Quirk id to quirk, room by room."""


def quirks_for(version: str) -> frozenset[str]:
    """Return the ids of the quirks that Kubernetes ``version`` shows: the level ``exact`` for that version."""
    return active_in(version, QUIRKS.values())
