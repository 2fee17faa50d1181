"""``/sys/devices/system/cpu``: the CPUs, their topology and caches, and the bus that lists them.

A ``Machine`` knows which CPUs share a last-level cache, and neither its size nor the caches below. Programs want every
level with all its files: each core gets private first and second level caches of common sizes.
"""

from collections.abc import Mapping

from ....cpuset import bits_of, format_bits, iter_bits
from ...model import Machine
from .tree import Tree, cpu_map

_CPU = "sys/devices/system/cpu"


def write_cpus(machine: Machine, tree: Tree) -> None:
    """Write online and offline CPUs. A kernel shows topology and caches of online CPUs only."""
    offline = bits_of(machine.offline)
    _write_lists(machine, offline, tree)
    for cpu in iter_bits(machine.online_bits | offline):
        tree.write(f"{_CPU}/cpu{cpu}/online", int(not offline >> cpu & 1))
        tree.write_whole(f"{_CPU}/cpu{cpu}/uevent", "")
        tree.link(f"{_CPU}/cpu{cpu}/subsystem", "../../../../bus/cpu")
        tree.link(f"sys/bus/cpu/devices/cpu{cpu}", f"../../../devices/system/cpu/cpu{cpu}")
    _write_topology(machine, tree)
    write_caches(machine, _CPU, tree)


def _write_lists(machine: Machine, offline: int, tree: Tree) -> None:
    every = machine.online_bits | offline
    tree.write(f"{_CPU}/online", format_bits(machine.online_bits))
    tree.write(f"{_CPU}/offline", format_bits(offline))
    for name in ("possible", "present"):
        tree.write(f"{_CPU}/{name}", format_bits(every))
    tree.write(f"{_CPU}/isolated", "")
    tree.write(f"{_CPU}/kernel_max", max(8192, every.bit_length()) - 1)
    threads = any(core.bit_count() > 1 for core in machine.core_bits)
    tree.write(f"{_CPU}/smt/active", int(threads))
    tree.write(f"{_CPU}/smt/control", "on" if threads else "notsupported")


def _write_topology(machine: Machine, tree: Tree) -> None:
    """Write what groups each CPU with others.

    The whole of a socket is one die, and each core a cluster, as its second level cache is its own (``caches``): a
    ``Machine`` knows neither dies nor clusters. Each socket numbers its cores from 0.
    """
    first: dict[int, int] = {}
    for cpu in machine.cpus:
        first[cpu.socket] = min(first.get(cpu.socket, cpu.core or 0), cpu.core or 0)
    number_of = {core: number for number, core in enumerate(machine.core_bits)}
    core_of = {cpu: core for core in machine.core_bits for cpu in iter_bits(core)}
    for cpu in machine.cpus:
        folder = f"{_CPU}/cpu{cpu.id}/topology"
        tree.write(f"{folder}/physical_package_id", cpu.socket)
        tree.write(f"{folder}/die_id", 0)
        groups: list[tuple[tuple[str, ...], int]] = [
            (("package_cpus", "core_siblings", "die_cpus"), machine.socket_bits[cpu.socket])
        ]
        if cpu.core is not None:
            tree.write(f"{folder}/core_id", cpu.core - first[cpu.socket])
            tree.write(f"{folder}/cluster_id", number_of[core_of[cpu.id]])
            groups.append((("core_cpus", "thread_siblings", "cluster_cpus"), core_of[cpu.id]))
        for names, bits in groups:
            for name in names:
                tree.write(f"{folder}/{name}", cpu_map(bits))
                tree.write(f"{folder}/{name}_list", format_bits(bits))


LAST_LEVEL_KIBIBYTES = 32768
_LINE = 64


def _cache(level: int, kind: str, kibibytes: int, ways: int) -> Mapping[str, object]:
    """Return the files of a cache; the number of its sets follows, so that the figures agree with each other."""
    return {
        "level": level,
        "type": kind,
        "size": f"{kibibytes}K",
        "coherency_line_size": _LINE,
        "number_of_sets": kibibytes * 1024 // (ways * _LINE),
        "physical_line_partition": 1,
        "ways_of_associativity": ways,
    }


_OF_A_CORE = (_cache(1, "Data", 32, 8), _cache(1, "Instruction", 32, 8), _cache(2, "Unified", 1024, 16))
_LAST_LEVEL = _cache(3, "Unified", LAST_LEVEL_KIBIBYTES, 16)


def write_caches(machine: Machine, folder: str, tree: Tree) -> None:
    """Write the caches of every CPU below ``folder``, that of the CPUs."""
    for number, core in enumerate(machine.core_bits):
        for index, cache in enumerate(_OF_A_CORE):
            _write(cache, index, number, core, folder, tree)
    for number, sharers in machine.uncore_bits.items():
        _write(_LAST_LEVEL, len(_OF_A_CORE), number, sharers, folder, tree)


def _write(cache: Mapping[str, object], index: int, number: int, sharers: int, folder: str, tree: Tree) -> None:
    files = {"id": number, **cache, "shared_cpu_map": cpu_map(sharers), "shared_cpu_list": format_bits(sharers)}
    for cpu in iter_bits(sharers):
        for name, value in files.items():
            tree.write(f"{folder}/cpu{cpu}/cache/index{index}/{name}", value)
