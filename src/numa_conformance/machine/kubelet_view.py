"""What the kubelet sees of a machine: its core ids, uncore ids and totals (CPU-TOPO, CPU-DISC)."""

from dataclasses import dataclass

from .model import Cpu, Machine


@dataclass(frozen=True, slots=True)
class ViewCpu:
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
    counts as an uncore cache, also one that covers a NUMA node.
    """
    members: dict[tuple[int, int, int], list[int]] = {}
    for cpu in machine.cpus:
        if cpu.core is not None:
            members.setdefault((cpu.numa, cpu.socket, cpu.core), []).append(cpu.id)
    cores_in_node: dict[int, int] = {}
    for numa, _, _ in members:
        cores_in_node[numa] = cores_in_node.get(numa, 0) + 1
    trust = not node_wide_cache_is_no_uncore_cache or machine.uncore_source == "reported"
    rows = []
    for cpu in machine.cpus:
        if cpu.core is None:
            continue
        threads = members[cpu.numa, cpu.socket, cpu.core]
        node_wide = cores_in_node[cpu.numa] * len(threads)
        rows.append(ViewCpu(cpu.id, cpu.numa, cpu.socket, threads[0], _uncore(machine, cpu, node_wide, trust=trust)))
    return KubeletView(
        cpus=tuple(rows),
        num_cpus=len(rows),
        num_cores=len(members),
        num_sockets=len({row.socket for row in rows}),
        numa_ids=machine.numa_ids,
    )


def _uncore(machine: Machine, cpu: Cpu, node_wide: int, *, trust: bool) -> int:
    """Return the cache id, or the socket id where the kubelet sees no split cache (CPU-DISC-12, CPU-DISC-14)."""
    if cpu.uncore is None:
        return cpu.socket
    if not trust and machine.uncore_bits[cpu.uncore].bit_count() == node_wide:
        return cpu.socket
    return cpu.uncore
