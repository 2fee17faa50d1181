"""``/sys/devices/system/node``: NUMA nodes and their distances, and their memory, free or in huge pages."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ....cpuset import bits_of, format_bits, iter_bits
from ...compact import UNITS
from ...model import Machine, MemoryNode
from .tree import Tree, cpu_map

_NODE = "sys/devices/system/node"
_POOLS = "sys/kernel/mm/hugepages"
_STATISTICS = ("numa_hit", "numa_miss", "numa_foreign", "interleave_hit", "local_node", "other_node")


def write_nodes(machine: Machine, tree: Tree) -> None:
    """Write every NUMA node, with or without CPUs, and the machine's pools of huge pages."""
    _write_lists(machine, tree)
    for index, node in enumerate(machine.memory):
        _write_node(machine, node, index, tree)
    tree.folder(_POOLS)
    for size, pages in huge_page_pools(machine.memory).items():
        folder = f"{_POOLS}/hugepages-{kibibytes_of(size)}kB"
        for name in ("nr_hugepages", "nr_hugepages_mempolicy", "free_hugepages"):
            tree.write(f"{folder}/{name}", pages)
        for name in ("nr_overcommit_hugepages", "resv_hugepages", "surplus_hugepages"):
            tree.write(f"{folder}/{name}", 0)


def _write_lists(machine: Machine, tree: Tree) -> None:
    every = bits_of(machine.numa_ids)
    with_memory = bits_of(node.node for node in machine.memory if node.memory)
    for name in ("online", "possible"):
        tree.write(f"{_NODE}/{name}", format_bits(every))
    tree.write(f"{_NODE}/has_cpu", format_bits(bits_of(node for node, cpus in machine.numa_bits.items() if cpus)))
    for name in ("has_memory", "has_normal_memory"):
        tree.write(f"{_NODE}/{name}", format_bits(with_memory))


def _write_node(machine: Machine, node: MemoryNode, index: int, tree: Tree) -> None:
    folder = f"{_NODE}/node{node.node}"
    cpus = machine.numa_bits[node.node]
    tree.write(f"{folder}/cpulist", format_bits(cpus))
    tree.write(f"{folder}/cpumap", cpu_map(cpus))
    tree.write_whole(f"{folder}/uevent", "")
    tree.link(f"{folder}/subsystem", "../../../../bus/node")
    tree.link(f"sys/bus/node/devices/node{node.node}", f"../../../devices/system/node/node{node.node}")
    tree.write(f"{folder}/numastat", "\n".join(f"{name} 0" for name in _STATISTICS))
    if node.memory is not None:
        tree.write(f"{folder}/meminfo", "\n".join(f"Node {node.node} {line}" for line in _meminfo(node)))
    if machine.distances is not None:
        tree.write(f"{folder}/distance", " ".join(map(str, machine.distances[index])))
    tree.folder(f"{folder}/hugepages")
    for size, pages in node.hugepages.items():
        pool = f"{folder}/hugepages/hugepages-{kibibytes_of(size)}kB"
        for name, value in (("nr_hugepages", pages), ("free_hugepages", pages), ("surplus_hugepages", 0)):
            tree.write(f"{pool}/{name}", value)
    for cpu in iter_bits(cpus):
        tree.link(f"{folder}/cpu{cpu}", f"../../cpu/cpu{cpu}")
        tree.link(f"sys/devices/system/cpu/cpu{cpu}/node{node.node}", f"../../node/node{node.node}")


def _meminfo(node: MemoryNode) -> list[str]:
    total, free, _ = memory_totals([node])
    amounts = {"MemTotal": total, "MemFree": free, "MemUsed": total - free, **dict.fromkeys(UNUSED, 0)}
    pages = [line for line in huge_page_lines([node]) if not line.startswith("HugePages_Rsvd")]
    return [*amount_lines(amounts), *pages]


_DEFAULT_PAGE = "2Mi"
UNUSED = ("Active", "Inactive", "Active(anon)", "Inactive(anon)", "Active(file)", "Inactive(file)", "Unevictable",
           "Mlocked", "Dirty", "Writeback", "AnonPages", "Mapped", "Shmem", "KReclaimable", "Slab", "SReclaimable",
           "SUnreclaim", "KernelStack", "PageTables", "AnonHugePages")  # fmt: skip


def kibibytes_of(size: str) -> int:
    """Return the KiB of a page size as Kubernetes writes it (``2Mi``)."""
    return int(size[:-2]) * UNITS[size[-2:]] // 1024


def huge_page_pools(nodes: Iterable[MemoryNode]) -> dict[str, int]:
    """Return the number of pages of each size over all nodes."""
    pools = Counter[str]()
    for node in nodes:
        pools.update(node.hugepages)
    return pools


def memory_totals(nodes: Sequence[MemoryNode]) -> tuple[int, int, int]:
    """Return KiB over all nodes: the total, what is free, and what lies in pools of huge pages."""
    total = sum(node.memory or 0 for node in nodes) // 1024
    in_pools = sum(kibibytes_of(size) * pages for size, pages in huge_page_pools(nodes).items())
    return total, max(0, total - in_pools), in_pools


def amount_lines(amounts: Mapping[str, int]) -> list[str]:
    """Return lines of KiB."""
    return [f"{name + ':':<15} {amount:>9} kB" for name, amount in amounts.items()]


def huge_page_lines(nodes: Sequence[MemoryNode]) -> list[str]:
    """Return the lines that count pages of the default size, none of which is in use."""
    pages = huge_page_pools(nodes).get(_DEFAULT_PAGE, 0)
    counts = {"HugePages_Total": pages, "HugePages_Free": pages, "HugePages_Rsvd": 0, "HugePages_Surp": 0}
    return [f"{name + ':':<15} {count:>6}" for name, count in counts.items()]
