"""``/sys/devices/system/node``: NUMA nodes, their memory and huge pages, and the distances between them."""

from __future__ import annotations

from ....cpuset import format_bits, iter_bits
from ...model import Machine, MemoryNode
from .memory import UNUSED, amount_lines, huge_page_lines, huge_page_pools, kibibytes_of, memory_totals
from .tree import Tree, cpu_map

_NODE = "sys/devices/system/node"
_BUS = "sys/bus/node/devices"
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
    every = sum(1 << node for node in machine.numa_ids)
    with_memory = sum(1 << node.node for node in machine.memory if node.memory)
    for name in ("online", "possible"):
        tree.write(f"{_NODE}/{name}", format_bits(every))
    tree.write(f"{_NODE}/has_cpu", format_bits(sum(1 << node for node, cpus in machine.numa_bits.items() if cpus)))
    for name in ("has_memory", "has_normal_memory"):
        tree.write(f"{_NODE}/{name}", format_bits(with_memory))


def _write_node(machine: Machine, node: MemoryNode, index: int, tree: Tree) -> None:
    folder = f"{_NODE}/node{node.node}"
    cpus = machine.numa_bits[node.node]
    tree.write(f"{folder}/cpulist", format_bits(cpus))
    tree.write(f"{folder}/cpumap", cpu_map(cpus))
    tree.write_whole(f"{folder}/uevent", "")
    tree.link(f"{folder}/subsystem", "../../../../bus/node")
    tree.link(f"{_BUS}/node{node.node}", f"../../../devices/system/node/node{node.node}")
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
