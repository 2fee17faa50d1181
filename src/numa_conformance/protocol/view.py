"""From a machine on the wire to the CPU Manager's topology of it."""

from __future__ import annotations

from typing import Any

from ..machine.codec import machine_from_dict
from ..machine.kubelet_view import derive_view
from ..managers.cpu import CpuTopology

__all__ = ["cpu_topology"]


def cpu_topology(machine: dict[str, Any], quirks: frozenset[str]) -> CpuTopology:
    """Return the topology as the kubelet sees it, or as the hardware is where that quirk is off."""
    true_caches = "node-wide-cache-is-no-uncore-cache" not in quirks
    return CpuTopology.of(derive_view(machine_from_dict(machine, "machine"), true_caches=true_caches))
