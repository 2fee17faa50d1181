"""``/proc/cpuinfo``, ``/proc/meminfo`` and ``/proc/stat`` of a machine."""

from __future__ import annotations

import re

from ...model import Machine
from .caches import LAST_LEVEL_KIBIBYTES
from .memory import UNUSED, amount_lines, huge_page_lines, memory_totals
from .speeds import KILOHERTZ

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
    block = text.partition("\n\n")[0]
    pairs = (line.partition(":") for line in block.splitlines() if ":" in line)
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
    pages = huge_page_lines(machine.memory)
    return (
        "\n".join([*amount_lines(amounts), *pages, *amount_lines({"Hugepagesize": 2048, "Hugetlb": in_pools})]) + "\n"
    )


def stat(machine: Machine, of_the_host: str) -> str:
    """Return ``/proc/stat`` with a line for each CPU of the machine, none of which has done anything.

    The other lines, the time of boot among them, are the host's at the time of asking.
    """
    lines = [line for line in of_the_host.splitlines() if not _ONE_CPU.match(line)]
    counters = [f"cpu{cpu.id} 0 0 0 0 0 0 0 0 0 0" for cpu in machine.cpus]
    return "\n".join([*lines[:1], *counters, *lines[1:]]) + "\n"
