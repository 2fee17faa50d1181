"""``/proc`` of a machine: ``cpuinfo``, ``meminfo``, ``stat`` and ``interrupts``; kinds and speeds of cores.

A ``Machine`` knows no kinds and no speeds. Where all its CPUs are online, cores of several threads beside cores of one
are a hybrid's performance and efficiency cores. Every CPU is as fast as ``/proc/cpuinfo`` says.
"""

import re

from ....cpuset import format_bits
from ...model import Machine
from .cpus import LAST_LEVEL_KIBIBYTES
from .nodes import UNUSED, amount_lines, huge_page_lines, memory_totals
from .tree import Tree

_ANY_KIND = {"vendor_id": "unknown", "cpu family": "0", "model": "0", "stepping": "0", "flags": "fpu"}
_ONE_CPU = re.compile(r"cpu[0-9]+ ")


def cpuinfo(machine: Machine, of_the_host: str = "") -> str:
    """Return ``/proc/cpuinfo``: the machine's layout, with the vendor, flags and speed of a host's own ``cpuinfo``.

    What a program can execute stays the host's truth wherever the program runs. Without a host the kind of CPU is
    unknown and its speed 2 GHz, as a reader such as cAdvisor gives up on a CPU without one.
    """
    kind = _first_block(of_the_host) or _ANY_KIND
    cores = {core & -core: core for core in machine.core_bits}
    blocks = []
    for cpu in machine.cpus:
        package = machine.socket_bits[cpu.socket]
        lines = {
            **kind,
            "processor": cpu.id,
            "model name": f"{machine.name} (a fake machine)".replace("\n", " "),
            "cpu MHz": kind.get("cpu MHz", f"{KILOHERTZ // 1000}.000"),
            "cache size": f"{LAST_LEVEL_KIBIBYTES} KB",
            "physical id": cpu.socket,
            "siblings": package.bit_count(),
            "core id": cpu.core or 0,
            "cpu cores": sum(1 for first in cores if first & package),
            "apicid": cpu.id,
            "initial apicid": cpu.id,
        }
        first = {"processor": lines.pop("processor")}
        blocks.append("".join(_line(name, value) for name, value in {**first, **lines}.items()))
    return "\n".join(blocks) + "\n"


def _line(name: str, value: object) -> str:
    tabs = "\t" if len(name) >= 8 else "\t\t"  # the kernel's own column
    return f"{name}{tabs}: {value}\n"


def _first_block(text: str) -> dict[str, str]:
    pairs = (line.partition(":") for line in text.partition("\n\n")[0].splitlines() if ":" in line)
    return {name.strip(): value.strip() for name, _, value in pairs}


def meminfo(machine: Machine) -> str:
    """Return ``/proc/meminfo``: all memory is free, there is no swap."""
    total, free, in_pools = memory_totals(machine.memory)
    amounts = {
        "MemTotal": total,
        "MemFree": free,
        "MemAvailable": free,
        **dict.fromkeys(("Buffers", "Cached", "SwapCached", "SwapTotal", "SwapFree", *UNUSED), 0),
    }
    pages = [*huge_page_lines(machine.memory), *amount_lines({"Hugepagesize": 2048, "Hugetlb": in_pools})]
    return "\n".join([*amount_lines(amounts), *pages]) + "\n"


def stat(machine: Machine, of_the_host: str) -> str:
    """Return ``/proc/stat`` with a line for each CPU of the machine, none of which has done anything.

    The other lines, the time of boot among them, are the host's at the time of asking.
    """
    lines = [line for line in of_the_host.splitlines() if not _ONE_CPU.match(line)]
    return "\n".join([*lines[:1], *(f"cpu{cpu.id} 0 0 0 0 0 0 0 0 0 0" for cpu in machine.cpus), *lines[1:]]) + "\n"


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
