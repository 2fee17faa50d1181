"""The same machine under other CPU numbers: what a decision is made of must not depend on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...cpuset import MAX_ID, bit_of, iter_bits
from ...machine.model import Machine


def renumber(machine: Machine, mapping: Mapping[int, int]) -> Machine:
    """Return the machine with CPU ``i`` called ``mapping[i]``; ids the mapping leaves out keep their number.

    Raises ``ValueError`` when two CPUs, online or offline, would get one number, or a number is out of range.
    """
    old = [cpu.id for cpu in machine.cpus] + list(machine.offline)
    new = [mapping.get(number, number) for number in old]
    if len(set(new)) < len(new):
        raise ValueError("the mapping gives one number to two CPUs")
    if not all(0 <= number <= MAX_ID for number in new):
        raise ValueError(f"the mapping gives a number outside 0..{MAX_ID}")
    cpus = (replace(cpu, id=mapping.get(cpu.id, cpu.id)) for cpu in machine.cpus)
    return replace(
        machine,
        cpus=tuple(sorted(cpus, key=lambda cpu: cpu.id)),
        offline=tuple(sorted(mapping.get(number, number) for number in machine.offline)),
    )


def renumber_bits(bits: int, mapping: Mapping[int, int]) -> int:
    """Return a set of CPUs under the numbers of ``mapping``."""
    moved = 0
    for number in iter_bits(bits):
        moved |= bit_of(mapping.get(number, number))
    return moved
