"""From a machine on the wire to what it is, and to the CPU Manager's topology of it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import msgspec

from ...machine.codec import machine_from_dict
from ...machine.model import Machine
from ...sources.quirks.cpu import CpuQuirks
from ..managers.cpu import CpuTopology, view_of


def cpu_topology(machine: dict[str, Any], quirks: CpuQuirks) -> CpuTopology:
    """Return the topology as the kubelet sees it, or as the hardware is where that quirk is off."""
    return _topology(msgspec.json.encode(machine), quirks)


def machine_of(machine: dict[str, Any]) -> Machine:
    """Return the machine; raises ``UsageError`` for one that is none."""
    return _read(msgspec.json.encode(machine))


@lru_cache(maxsize=8)
def _topology(text: bytes, quirks: CpuQuirks) -> CpuTopology:
    return CpuTopology.of(view_of(_read(text), quirks))


@lru_cache(maxsize=8)
def _read(text: bytes) -> Machine:
    """Read a machine once: many questions are asked of one."""
    return machine_from_dict(msgspec.json.decode(text), "machine")
