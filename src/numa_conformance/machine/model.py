"""``Machine``: what the hardware is, and ``KubeletView``: what the kubelet makes of it (CPU-TOPO, CPU-DISC)."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import msgspec

from ..cpuset import MAX_ID, CpuSet, bits_of, ids_by_key

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
    def _views(self) -> dict[bool, "KubeletView"]:
        return {}

    @cached_property
    def core_bits(self) -> tuple[int, ...]:
        """The CPUs of each core, ordered by the lowest CPU; a CPU of unknown core stands alone."""
        # A core's number is its own within a socket only, and on some machines within a NUMA node only.
        cores = ids_by_key(
            (cpu.id if cpu.core is None else (cpu.numa, cpu.socket, cpu.core), cpu.id) for cpu in self.cpus
        )
        return tuple(sorted(cores.values(), key=lambda bits: bits & -bits))  # the lowest bit


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


class ViewCpu(msgspec.Struct, frozen=True):
    """One row of the kubelet's CPU table. ``core`` is the lowest CPU id of the core (CPU-TOPO-04)."""

    id: int
    numa: int
    socket: int
    core: int
    uncore: int


@dataclass(frozen=True)
class KubeletView:
    """The CPU table, ascending by id, and the totals that do not come from it (CPU-TOPO-03).

    ``numa_ids`` are the nodes known to the Topology, Memory and Device Managers, those without CPUs included; the CPU
    Manager knows only the nodes in ``cpus``.
    """

    cpus: tuple[ViewCpu, ...]
    num_cpus: int
    num_cores: int
    num_sockets: int
    numa_ids: tuple[int, ...]
    warnings: tuple[str, ...] = ()


def derive_view(machine: Machine, *, node_wide_cache_is_no_uncore_cache: bool = True) -> KubeletView:
    """Derive the kubelet's view of a machine.

    A CPU whose core the kernel does not name is skipped, as in discovery. Without that quirk every last-level cache
    counts as an uncore cache, also one that covers a NUMA node. A machine keeps what was derived of it.
    """
    if node_wide_cache_is_no_uncore_cache in machine._views:
        return machine._views[node_wide_cache_is_no_uncore_cache]
    members: dict[tuple[int, int, int], list[int]] = {}
    for cpu in machine.cpus:
        if cpu.core is not None:
            members.setdefault((cpu.numa, cpu.socket, cpu.core), []).append(cpu.id)
    cores_in_node = Counter(numa for numa, _, _ in members)
    trust = not node_wide_cache_is_no_uncore_cache or machine.uncore_source == "reported"
    rows = []
    for cpu in machine.cpus:
        if cpu.core is None:
            continue
        threads = members[cpu.numa, cpu.socket, cpu.core]
        node_wide = cores_in_node[cpu.numa] * len(threads)
        rows.append(ViewCpu(cpu.id, cpu.numa, cpu.socket, threads[0], _uncore(machine, cpu, node_wide, trust=trust)))
    view = KubeletView(tuple(rows), len(rows), len(members), len({row.socket for row in rows}), machine.numa_ids)
    return machine._views.setdefault(node_wide_cache_is_no_uncore_cache, view)


def _uncore(machine: Machine, cpu: Cpu, node_wide: int, *, trust: bool) -> int:
    """Return the cache id, or the socket id where the kubelet sees no split cache (CPU-DISC-12, CPU-DISC-14)."""
    if cpu.uncore is None or (not trust and machine.uncore_bits[cpu.uncore].bit_count() == node_wide):
        return cpu.socket
    return cpu.uncore
