"""The figures of a machine at a glance."""

from dataclasses import dataclass

from .model import Machine


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts over online CPUs; ``threads`` are the different numbers of threads a core has, ascending.

    ``numa_without_cpus`` counts those of the ``numa_nodes`` that have no CPUs. ``memory`` is in bytes, None where the
    size of a node is unknown.
    """

    sockets: int
    numa_nodes: int
    numa_without_cpus: int
    uncore_caches: int
    cores: int
    cpus: int
    threads: tuple[int, ...]
    offline: int
    memory: int | None
    devices: int

    def __str__(self) -> str:
        threads = " or ".join(map(str, self.threads))
        parts = [
            _count(self.sockets, "socket"),
            _count(self.numa_nodes, "NUMA node")
            + (f" ({self.numa_without_cpus} without CPUs)" if self.numa_without_cpus else ""),
            _count(self.uncore_caches, "uncore cache"),
            _count(self.cores, "core") + f" of {threads} {'thread' if threads == '1' else 'threads'}",
            _count(self.cpus, "CPU") + (f" and {self.offline} offline" if self.offline else ""),
        ]
        if self.memory is not None:
            parts.append(f"{self.memory / 2**30:.1f} GiB")
        if self.devices:
            parts.append(_count(self.devices, "device"))
        return ", ".join(parts)


def summarize(machine: Machine) -> Summary:
    """Count what a machine has."""
    sizes = [node.memory for node in machine.memory]
    return Summary(
        sockets=len(machine.socket_bits),
        numa_nodes=len(machine.numa_ids),
        numa_without_cpus=sum(not bits for bits in machine.numa_bits.values()),
        uncore_caches=len(machine.uncore_bits),
        cores=len(machine.core_bits),
        cpus=len(machine.cpus),
        threads=tuple(sorted({core.bit_count() for core in machine.core_bits})),
        offline=len(machine.offline),
        memory=None if None in sizes else sum(size for size in sizes if size is not None),
        devices=len(machine.devices),
    )


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")
