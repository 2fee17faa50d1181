"""What agents read beside the layout: kinds of cores, limits of their speed, interrupts.

A ``Machine`` knows no kinds and no speeds. Where all its CPUs are online, cores of several threads beside cores of one
are a hybrid's performance and efficiency cores. Every CPU is as fast as ``/proc/cpuinfo`` says.
"""

from __future__ import annotations

from ....cpuset import format_bits
from ...model import Machine
from .tree import Tree

KILOHERTZ = 2_000_000
_SLOWEST = 800_000
_LIMITS = {
    "cpuinfo_max_freq": KILOHERTZ,
    "cpuinfo_min_freq": _SLOWEST,
    "scaling_max_freq": KILOHERTZ,
    "scaling_min_freq": _SLOWEST,
}
_COLUMN = 11


def write_speeds(machine: Machine, tree: Tree) -> None:
    """Write cpufreq limits, and the CPUs of each kind on a hybrid machine."""
    for cpu in machine.cpus:
        for name, kilohertz in _LIMITS.items():
            tree.write(f"sys/devices/system/cpu/cpu{cpu.id}/cpufreq/{name}", kilohertz)
    single = sum(core for core in machine.core_bits if core.bit_count() == 1)
    several = machine.online_bits & ~single
    if single and several and not machine.offline:
        tree.write("sys/devices/cpu_core/cpus", format_bits(several))
        tree.write("sys/devices/cpu_atom/cpus", format_bits(single))


def interrupts(machine: Machine) -> str:
    """Return ``/proc/interrupts``: a timer's, and the clocks of the CPUs, none of which has come."""
    names = "".join(f"{f'CPU{cpu.id}':<{_COLUMN}}" for cpu in machine.cpus)
    counts = f"{0:>{_COLUMN - 1}} " * len(machine.cpus)
    rows = (("0", "IO-APIC   2-edge      timer"), ("LOC", "Local timer interrupts"))
    return "".join([f"{'':11}{names}\n", *(f"{name:>4}:{counts} {what}\n" for name, what in rows)])
