"""The figures of a machine at a glance."""

from .model import Machine


def summarize(machine: Machine) -> str:
    """Return in a line how many sockets, NUMA nodes, caches, cores, CPUs and devices a machine has, and its memory."""
    threads = " or ".join(map(str, sorted({core.bit_count() for core in machine.core_bits})))
    without_cpus = sum(not bits for bits in machine.numa_bits.values())
    sizes = [node.memory for node in machine.memory]
    parts = [
        _count(len(machine.socket_bits), "socket"),
        _count(len(machine.numa_ids), "NUMA node") + (f" ({without_cpus} without CPUs)" if without_cpus else ""),
        _count(len(machine.uncore_bits), "uncore cache"),
        f"{_count(len(machine.core_bits), 'core')} of {threads} {'thread' if threads == '1' else 'threads'}",
        _count(len(machine.cpus), "CPU") + (f" and {len(machine.offline)} offline" if machine.offline else ""),
    ]
    if None not in sizes:
        parts.append(f"{machine.total_memory / 2**30:.1f} GiB")
    return ", ".join([*parts, *([_count(len(machine.devices), "device")] if machine.devices else [])])


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")
