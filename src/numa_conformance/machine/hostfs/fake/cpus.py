"""``/sys/devices/system/cpu``: the CPUs, their topology, and the bus that lists them."""

from __future__ import annotations

from ....cpuset import format_bits, iter_bits
from ...model import Machine
from .caches import write_caches
from .tree import Tree, cpu_map

_CPU = "sys/devices/system/cpu"
_BUS = "sys/bus/cpu/devices"


def write_cpus(machine: Machine, tree: Tree) -> None:
    """Write online and offline CPUs. A kernel shows topology and caches of online CPUs only."""
    offline = sum(1 << cpu for cpu in machine.offline)
    _write_lists(machine, offline, tree)
    for cpu in iter_bits(machine.online_bits | offline):
        tree.write(f"{_CPU}/cpu{cpu}/online", int(not offline >> cpu & 1))
        tree.write_whole(f"{_CPU}/cpu{cpu}/uevent", "")
        tree.link(f"{_CPU}/cpu{cpu}/subsystem", "../../../../bus/cpu")
        tree.link(f"{_BUS}/cpu{cpu}", f"../../../devices/system/cpu/cpu{cpu}")
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
    ``Machine`` knows neither dies nor clusters.
    """
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
            tree.write(f"{folder}/core_id", cpu.core)
            tree.write(f"{folder}/cluster_id", number_of[core_of[cpu.id]])
            groups.append((("core_cpus", "thread_siblings", "cluster_cpus"), core_of[cpu.id]))
        for names, bits in groups:
            for name in names:
                tree.write(f"{folder}/{name}", cpu_map(bits))
                tree.write(f"{folder}/{name}_list", format_bits(bits))
