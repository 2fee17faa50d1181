"""Who holds which CPUs, as a text with a map of the machine: what snapshots keep and a person compares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..cpuset import CpuSet
from .model import Machine
from .picture import allocation_map


@dataclass(frozen=True)
class PlacementMap:
    """CPUs by their holder on a machine, in an order that is kept.

    ``lines`` say more of it; left out, each holder has a line. ``str`` is the text.
    """

    machine: Machine
    held: Mapping[str, CpuSet]
    lines: Sequence[str] | None = None

    def __str__(self) -> str:
        """Return the lines, a blank one, and the map."""
        each = [f"{name}: {len(cpus)} CPUs on {cpus}" for name, cpus in self.held.items()]
        lines = [self.machine.name, *each] if self.lines is None else self.lines
        owners = {name: cpus.bits for name, cpus in self.held.items()}
        return "\n".join([*lines, "", allocation_map(self.machine, owners), ""])
