"""What the pictures of a machine share: its rows, and a symbol for each owner of CPUs."""

import string
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..cpuset import iter_bits
from .model import Cpu, Machine

CPUS_IN_A_ROW = 16
FREE = "-"
_FIXED = {"reserved": "R", "shared": "."}
_MARKS = "XYZ"
_LETTERS = string.ascii_lowercase + "".join(sorted(set(string.ascii_uppercase) - {"R", *_MARKS}))


@dataclass(frozen=True, slots=True)
class Row:
    """Cores of one cache within one NUMA node and one socket, each as its CPUs, ascending."""

    socket: int
    numa: int
    uncore: int | None
    cores: tuple[tuple[int, ...], ...]


def picture_rows(machine: Machine, most: int | None = None) -> list[Row]:
    """Return the rows, by socket, NUMA node, cache and lowest CPU of a core; a long one is cut into several.

    The machine alone says where rows are cut, so two pictures of one machine compare line by line. ``most`` cuts them
    after another number of cores.
    """
    blocks: dict[tuple[int, int, int | None], dict[tuple[str, int], list[Cpu]]] = {}
    for cpu in machine.cpus:
        cores = blocks.setdefault((cpu.socket, cpu.numa, cpu.uncore), {})
        cores.setdefault(("cpu", cpu.id) if cpu.core is None else ("core", cpu.core), []).append(cpu)
    widest = max((len(core) for cores in blocks.values() for core in cores.values()), default=1)
    step = most or max(1, CPUS_IN_A_ROW // widest)
    rows: list[Row] = []
    for place in sorted(blocks, key=lambda place: (*place[:2], place[2] is None, place[2])):
        listed = [tuple(cpu.id for cpu in core) for core in blocks[place].values()]
        rows.extend(Row(*place, tuple(listed[at : at + step])) for at in range(0, len(listed), step))
    return rows


def owner_symbols(labels: Iterable[str]) -> dict[str, str]:
    """Give each owner a symbol, in the order given: ``R`` and ``.`` for reserved and shared, else a letter.

    Beyond the letters there are numbers, in round brackets.
    """
    symbols: dict[str, str] = {}
    others = 0
    for label in labels:
        if label in _FIXED:
            symbols[label] = _FIXED[label]
            continue
        symbols[label] = _LETTERS[others] if others < len(_LETTERS) else f"({others + 1})"
        others += 1
    return symbols


def mark_symbols(labels: Iterable[str]) -> dict[str, str]:
    """Give each mark a symbol, in the order given: ``X``, ``Y``, ``Z``, else a number with a ``!``."""
    return {label: _MARKS[at] if at < len(_MARKS) else f"({at + 1}!)" for at, label in enumerate(labels)}


def owners_by_cpu(owners: Mapping[str, int]) -> dict[int, list[str]]:
    """Return, by CPU, the owners it has."""
    labels: dict[int, list[str]] = {}
    for label, bits in owners.items():
        for cpu in iter_bits(bits):
            labels.setdefault(cpu, []).append(label)
    return labels
