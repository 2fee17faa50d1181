"""``Machine``: what the hardware is. What the kubelet makes of it is ``KubeletView``."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from ..cpuset import MAX_ID, CpuSet, bits_of

UncoreSource = Literal["hardware", "reported"]
UNSEEN = "not seen: "
"""How a note begins that says what the input does not have, and what stands in its place."""


@dataclass(frozen=True, slots=True)
class Cpu:
    """One online logical CPU.

    ``core`` numbers cores within (``numa``, ``socket``), as the kernel does; None where the kernel says nothing.
    ``uncore`` numbers last-level (L3) caches over the whole machine; None where there is none.
    """

    id: int
    core: int | None
    socket: int
    numa: int
    uncore: int | None = None


@dataclass(frozen=True, slots=True)
class MemoryNode:
    """Memory of one NUMA node.

    ``memory`` is in bytes, huge pages included; None where unknown. ``hugepages`` maps a page size as Kubernetes writes
    it (``2Mi``, ``1Gi``) to a number of pages.
    """

    node: int
    memory: int | None
    hugepages: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Device:
    """One device of a device plugin. ``numa`` is empty where the plugin gives no topology."""

    resource: str
    id: str
    numa: tuple[int, ...] = ()
    healthy: bool = True

    @cached_property
    def numa_bits(self) -> int:
        """Its NUMA nodes, as bits; -1 as one that no machine has."""
        return sum({1 << (MAX_ID + 1 if node < 0 else node) for node in self.numa})


@dataclass(frozen=True)
class Machine:
    """A computer, as its hardware is.

    Nothing is nested. A cache may lie inside a NUMA node, equal it or span several. A NUMA node may span sockets, and
    may have no CPUs or no memory. Ids may have gaps.

    ``cpus``: online CPUs, ascending. ``offline``: ids that exist and are offline. ``memory``: one entry per NUMA node,
    ascending; it names every NUMA node, with or without CPUs. ``distances``: rows and columns in the order of
    ``memory``, or None. ``preferred_allocation``: device resources whose plugin states a preference (``lowest-id``).
    ``uncore_source``: ``hardware`` when the ``uncore`` ids are the caches themselves, ``reported`` when they are
    already what a node agent reports (None then means: no split cache). ``notes``: warnings of the reader, facts of the
    author.
    """

    name: str
    cpus: tuple[Cpu, ...]
    memory: tuple[MemoryNode, ...]
    distances: tuple[tuple[int, ...], ...] | None = None
    devices: tuple[Device, ...] = ()
    preferred_allocation: Mapping[str, str | None] = field(default_factory=dict)
    offline: tuple[int, ...] = ()
    uncore_source: UncoreSource = "hardware"
    description: str = ""
    notes: tuple[str, ...] = ()

    @cached_property
    def online_bits(self) -> int:
        """All online CPUs as bits."""
        return bits_of(cpu.id for cpu in self.cpus)

    @property
    def cpus_online(self) -> CpuSet:
        """All online CPUs."""
        return CpuSet.from_bits(self.online_bits)

    @property
    def cores(self) -> tuple[CpuSet, ...]:
        """The CPUs of each core, ordered by the lowest CPU."""
        return tuple(map(CpuSet.from_bits, self.core_bits))

    @property
    def numa_cpus(self) -> dict[int, CpuSet]:
        """NUMA node to its CPUs, nodes without CPUs included."""
        return {node: CpuSet.from_bits(bits) for node, bits in self.numa_bits.items()}

    @cached_property
    def total_memory(self) -> int:
        """The memory of all NUMA nodes in bytes, huge pages among it; a node that reports none counts as none."""
        return sum(node.memory or 0 for node in self.memory)

    @cached_property
    def numa_ids(self) -> tuple[int, ...]:
        """Every NUMA node, ascending, with or without CPUs."""
        return tuple(sorted({node.node for node in self.memory} | {cpu.numa for cpu in self.cpus}))

    @cached_property
    def numa_bits(self) -> dict[int, int]:
        """NUMA node to its CPUs, nodes without CPUs included."""
        return {node: bits_of(cpu.id for cpu in self.cpus if cpu.numa == node) for node in self.numa_ids}

    @cached_property
    def socket_bits(self) -> dict[int, int]:
        """Socket to its CPUs, ascending by socket id."""
        sockets = sorted({cpu.socket for cpu in self.cpus})
        return {socket: bits_of(cpu.id for cpu in self.cpus if cpu.socket == socket) for socket in sockets}

    @cached_property
    def uncore_bits(self) -> dict[int, int]:
        """Last-level cache to its CPUs, ascending by cache id."""
        ids = sorted({cpu.uncore for cpu in self.cpus if cpu.uncore is not None})
        return {uncore: bits_of(cpu.id for cpu in self.cpus if cpu.uncore == uncore) for uncore in ids}

    @cached_property
    def core_bits(self) -> tuple[int, ...]:
        """The CPUs of each core, ordered by the lowest CPU; a CPU of unknown core stands alone."""
        cores: dict[object, int] = {}
        for cpu in self.cpus:
            # A core's number is its own within a socket only, and on some machines within a NUMA node only.
            key = cpu.id if cpu.core is None else (cpu.numa, cpu.socket, cpu.core)
            cores[key] = cores.get(key, 0) | 1 << cpu.id
        return tuple(sorted(cores.values(), key=lambda bits: bits & -bits))  # the lowest bit
