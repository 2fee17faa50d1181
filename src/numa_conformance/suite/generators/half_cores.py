"""Nodes with half reserved cores: under full-pcpus-only CPUs are free that make no whole cores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from ...cpuset import CpuSet
from ...machine import Machine
from .scenario import Scenario, Script, or_the_catalogue
from .workloads import guaranteed, static

__all__ = ["NEEDED", "half_cores"]

NEEDED = frozenset({"cpu-manager/static", "cpu-manager/full-pcpus-only"})
"""What a target must claim."""
MOST_CPUS, MACHINES = 32, 6
CELL = "full-pcpus-only, none, reserved a thread of two cores"


def half_cores(machines: Sequence[Machine] | None = None) -> Iterator[Scenario]:
    """Yield a short life for each of a few small machines whose cores have several threads."""
    known = or_the_catalogue(machines)
    able = [machine for machine in known if len(machine.cpus) <= MOST_CPUS and len(_split(machine)) > 2]
    for machine in able[:MACHINES]:
        yield Scenario(
            "walk", "full-pcpus-only, none, reserved a thread of two cores", machine, partial(_life, machine)
        )


def _split(machine: Machine) -> list[int]:
    """Return the cores of several threads."""
    return [core for core in machine.core_bits if core & (core - 1)]


def _life(machine: Machine) -> Script:
    halves = sum(core & -core for core in _split(machine)[:2])
    yield "node.start", {"kubelet": static("full-pcpus-only", reserved=str(CpuSet.from_bits(halves)))}
    threads = _split(machine)[0].bit_count()
    free = len(machine.cpus) - halves.bit_count()
    for number, size in enumerate((free // threads * threads, threads, free // threads * threads - threads)):
        if size:
            yield "node.admit", {"pod": guaranteed(f"p{number}", size)}
