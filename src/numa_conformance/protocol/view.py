"""From a machine on the wire to the CPU Manager's topology of it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import msgspec

from ..documentation.quirks.cpu import CpuQuirks
from ..machine.codec import machine_from_dict
from ..managers.cpu import CpuTopology, view_of


def cpu_topology(machine: dict[str, Any], quirks: CpuQuirks) -> CpuTopology:
    """Return the topology as the kubelet sees it, or as the hardware is where that quirk is off."""
    return _read(msgspec.json.encode(machine), quirks)


@lru_cache(maxsize=8)
def _read(text: bytes, quirks: CpuQuirks) -> CpuTopology:
    """Read a machine once: many questions are asked of one."""
    return CpuTopology.of(view_of(machine_from_dict(msgspec.json.decode(text), "machine"), quirks))
