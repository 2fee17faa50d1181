"""``/sys/devices/system/cpu/cpuN/cache``: what each CPU shares with whom.

A ``Machine`` knows which CPUs share a last-level cache, and nothing of its size or of the caches below. Real programs
want every level with all its files: each core gets first and second level caches of its own, of common sizes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ....cpuset import format_bits, iter_bits
from ...model import Machine
from .tree import Tree, cpu_map

LAST_LEVEL_KIBIBYTES = 32768
_LINE = 64


@dataclass(frozen=True, slots=True)
class _Cache:
    """One cache; the number of its sets follows, so that the figures agree with each other."""

    level: int
    kind: str
    kibibytes: int
    ways: int

    def files(self) -> Mapping[str, object]:
        return {
            "level": self.level,
            "type": self.kind,
            "size": f"{self.kibibytes}K",
            "coherency_line_size": _LINE,
            "number_of_sets": self.kibibytes * 1024 // (self.ways * _LINE),
            "physical_line_partition": 1,
            "ways_of_associativity": self.ways,
        }


_OF_A_CORE = (_Cache(1, "Data", 32, 8), _Cache(1, "Instruction", 32, 8), _Cache(2, "Unified", 1024, 16))
_LAST_LEVEL = _Cache(3, "Unified", LAST_LEVEL_KIBIBYTES, 16)


def write_caches(machine: Machine, folder: str, tree: Tree) -> None:
    """Write the caches of every CPU below ``folder``, that of the CPUs."""
    for number, core in enumerate(machine.core_bits):
        for index, cache in enumerate(_OF_A_CORE):
            _write(cache, index, number, core, folder, tree)
    for number, sharers in machine.uncore_bits.items():
        _write(_LAST_LEVEL, len(_OF_A_CORE), number, sharers, folder, tree)


def _write(cache: _Cache, index: int, number: int, sharers: int, folder: str, tree: Tree) -> None:
    files = {"id": number, **cache.files(), "shared_cpu_map": cpu_map(sharers), "shared_cpu_list": format_bits(sharers)}
    for cpu in iter_bits(sharers):
        for name, value in files.items():
            tree.write(f"{folder}/cpu{cpu}/cache/index{index}/{name}", value)
