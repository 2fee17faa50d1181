"""The KubeletConfiguration of a cell."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

from ...cpuset import CpuSet, bit_of, bits_of, iter_bits
from ...judging.room import ordinary
from ...judging.start_subjects import MANY_NODES, MOST_NODES
from ...machine import Machine
from .cells import BY_NUMBER, CLOSEST, FEWEST, Cell
from .workloads import ALPHA, MEMORY, RESERVED_MIB, kubelet

WRITTEN, PART_MIB = 0.7, 128
"""How often a field that says what holds anyway is written; the part of reserved memory on another NUMA node."""


def kubelet_of(cell: Cell, lot: random.Random) -> dict[str, Any]:
    """Return the KubeletConfiguration of a cell, in its JSON form."""
    config = kubelet(cpuManagerPolicy="static" if cell.static else "none")
    if cell.static and cell.options | cell.off:
        written = dict.fromkeys(sorted(cell.options), "true") | dict.fromkeys(sorted(cell.off), "false")
        config["cpuManagerPolicyOptions"] = written
        config["featureGates"] = ALPHA
    if cell.memory:
        largest = max(cell.machine.memory, key=lambda node: ordinary(node))
        config.update(MEMORY)
        memory = (node for node in cell.machine.memory if node.node != largest.node)
        others = [node.node for node in memory if ordinary(node) > RESERVED_MIB << 20]
        part = PART_MIB if others and random.Random(f"memory {cell.machine.name} {cell.name}").random() < 0.5 else 0
        amounts = {largest.node: RESERVED_MIB - part, **({others[-1]: part} if part else {})}
        config["reservedMemory"] = [
            {"numaNode": node, "limits": {"memory": f"{size}Mi"}} for node, size in amounts.items()
        ]
    if cell.static or cell.reservation in BY_NUMBER or len(cell.machine.cpus) >= FEWEST:
        config.update(_reservation(cell, lot, config.get("kubeReserved", {})))
    config.update(_topology(cell, lot))
    return config


def _topology(cell: Cell, lot: random.Random) -> dict[str, Any]:
    """Return the fields of the Topology Manager; now and then a default is left out, or the scope stands alone."""
    config: dict[str, Any] = {}
    by_default = cell.scope == "container" or cell.topology == "none"
    if not by_default or lot.random() < WRITTEN:
        config["topologyManagerScope"] = cell.scope
    if cell.topology != "none":
        config["topologyManagerPolicy"] = cell.topology
        nodes = len(cell.machine.numa_ids)
        options = {MANY_NODES: str(nodes)} if nodes > MOST_NODES else {}
        if cell.closest is not None:
            options[CLOSEST] = "true" if cell.closest else "false"
        if options:
            config["topologyManagerPolicyOptions"] = options
    return config


def _reservation(cell: Cell, lot: random.Random, memory: Mapping[str, str]) -> dict[str, Any]:
    if cell.reservation not in BY_NUMBER:
        return {"reservedSystemCPUs": str(CpuSet.from_bits(_reserved_bits(cell.machine, cell.reservation, lot)))}
    kube, system = BY_NUMBER[cell.reservation]
    fields = {
        "kubeReserved": {**memory, "cpu": kube} if kube else memory,
        "systemReserved": {"cpu": system} if system else {},
    }
    return {name: amounts for name, amounts in fields.items() if amounts}


def _reserved_bits(machine: Machine, reservation: str, lot: random.Random) -> int:
    cores: Sequence[int] = machine.core_bits
    threads = list(iter_bits(machine.online_bits))
    match reservation:
        case "a core":
            return cores[0]
        case "a thread":
            return bit_of(lot.choice(threads))
        case "two threads of two cores":
            return sum(core & -core for core in lot.sample(cores, min(2, len(cores) - 1 or 1)))
        case "a core of each socket":
            first = [next(core for core in cores if core & cpus) for cpus in machine.socket_bits.values()]
            return sum(first) if sum(first) != machine.online_bits else cores[0]
        case _:
            return bits_of(cpu for cpu in lot.sample(threads, lot.randint(1, max(1, min(3, len(threads) // 4)))))
