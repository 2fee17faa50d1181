"""CPUs on one NUMA node and memory on all others, under best-effort: memory is added to an affinity that lacks it.

Then memory on two NUMA nodes, of which one is free again: who comes to it next, and whether the node agent restarts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from ...cpuset import CpuSet
from ...machine import Machine
from ..judge.choice import numa_cpus
from ..judge.room import ordinary
from .scenario import Scenario, Script, come_and_go, or_the_catalogue
from .workloads import guaranteed, pinning, static

__all__ = ["NEEDED", "memory_elsewhere"]

NEEDED = frozenset(
    {"cpu-manager/static", "memory-manager/static", "topology-manager/best-effort", "topology-manager/scope/container"}
)
"""What a target must claim."""
MOST_CPUS, MACHINES = 64, 3
LEFT_MIB, EVICTION_MIB = 64, 100
"""Memory that is not reserved on the NUMA node with the CPUs; the eviction threshold, a part of what is reserved."""


def memory_elsewhere(claimed: frozenset[str], machines: Sequence[Machine] | None = None) -> Iterator[Scenario]:
    """Yield a short life on a few machines with three NUMA nodes and more, which have CPUs and as much memory each."""
    if not claimed >= NEEDED:
        return
    known = or_the_catalogue(machines)
    for machine in [machine for machine in known if _suits(machine)][:MACHINES]:
        life = partial(_life, machine, restarts="node/restart" in claimed)
        yield Scenario("walk", "no option, best-effort per container, memory Static", machine, life)


def _suits(machine: Machine) -> bool:
    nodes = len(machine.numa_ids)
    alike = len(machine.memory) == nodes and len({ordinary(node) for node in machine.memory}) == 1
    few = len(machine.cpus) <= MOST_CPUS and 2 < nodes < 9
    return few and alike and len(numa_cpus(machine)) == nodes and ordinary(machine.memory[0]) >> 30 > 0


def _life(machine: Machine, *, restarts: bool) -> Script:
    first, last = machine.memory[0], machine.memory[-1]
    others = sum(cpus for node, cpus in machine.numa_bits.items() if node != first.node)
    whole = ordinary(first) >> 20
    reserved = whole - LEFT_MIB
    best_effort = partial(static, reserved=str(CpuSet.from_bits(others)), topology="best-effort")
    kubelet = best_effort(
        more={"kubeReserved": {"memory": f"{reserved - EVICTION_MIB}Mi"}, "memoryManagerPolicy": "Static"},
        reservedMemory=[{"numaNode": first.node, "limits": {"memory": f"{reserved}Mi"}}],
    )
    yield "node.start", {"kubelet": kubelet}
    sizes = enumerate((whole // 2, whole, whole * 5 // 4, whole * 9 // 4))
    yield from come_and_go(guaranteed(f"p{number}", 1, f"{mib}Mi") for number, mib in sizes)
    yield "node.start", {"kubelet": best_effort(more=pinning(last.node))}
    for uid, mib in (("wide", whole * 5 // 4), ("half", whole // 2)):
        yield "node.admit", {"pod": guaranteed(uid, 1, f"{mib}Mi")}
    yield "node.remove", {"uid": "wide"}
    yield from come_and_go([guaranteed("small", 1, f"{LEFT_MIB}Mi")])
    if restarts:
        yield "node.restart", {}
