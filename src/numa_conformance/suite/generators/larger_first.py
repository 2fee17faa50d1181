"""Init containers that ask for as much as a NUMA node has, and for more, before a small app: in the scope pod."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from ...cpuset import CpuSet
from ...machine import Machine
from ..judge.choice import numa_cpus
from ..judge.room import ordinary
from .cells import MEMORY, RESERVED_MIB, devices_near
from .scenario import Scenario, Script, come_and_go, or_the_catalogue
from .workloads import container, pod, static

__all__ = ["NEEDED", "larger_first"]

NEEDED = frozenset(
    {
        "cpu-manager/static",
        "cpu-manager/init-containers",
        "device-manager/allocation",
        "memory-manager/static",
        "memory-manager/hugepages",
        "topology-manager/single-numa-node",
        "topology-manager/scope/pod",
    }
)
"""What a target must claim."""
MOST_CPUS, MACHINES = 32, 3
PAGES, ROOM = 16, 4 << 30
"""Huge pages of 2 MiB on each NUMA node, and the memory that each must have."""
NIC, NICS = "example.com/nic", 2
"""Devices near each NUMA node."""
SMALL_MIB = 64


def larger_first(claimed: frozenset[str], machines: Sequence[Machine] | None = None) -> Iterator[Scenario]:
    """Yield a short life on a few small machines with two NUMA nodes and more, all of the same memory."""
    if not claimed >= NEEDED:
        return
    known = or_the_catalogue(machines)
    for machine in [machine for machine in known if _suits(machine)][:MACHINES]:
        paged = tuple(replace(node, hugepages={"2Mi": PAGES}) for node in machine.memory)
        nics = devices_near(NIC, (node.node for node in machine.memory), NICS)
        larger = replace(machine, name=f"{machine.name} with nics and pages", memory=paged, devices=nics)
        cell = "no option, single-numa-node per pod, memory Static, reserved a core"
        yield Scenario("walk", cell, larger, partial(_life, larger))


def _suits(machine: Machine) -> bool:
    sizes = {node.memory or 0 for node in machine.memory}
    few = len(machine.cpus) <= MOST_CPUS and 1 < len(numa_cpus(machine)) == len(machine.memory) < 5
    return few and len(sizes) == 1 and min(sizes) >= ROOM


def _life(machine: Machine) -> Script:
    last = machine.memory[-1]
    kubelet = static(
        reserved=str(CpuSet.from_bits(machine.core_bits[0])),
        topology="single-numa-node",
        scope="pod",
        reservedMemory=[{"numaNode": machine.memory[0].node, "limits": {"memory": f"{RESERVED_MIB}Mi"}}],
        more=MEMORY,
    )
    yield "node.start", {"kubelet": kubelet}
    memory = ordinary(last) >> 20
    for more in (0, 1):
        for number, (asked, app) in enumerate(
            (
                ({"memory": f"{memory + more}Mi"}, {}),
                ({"hugepages-2Mi": f"{2 * (PAGES + more)}Mi"}, {"hugepages-2Mi": "2Mi"}),
                ({NIC: str(NICS + more)}, {NIC: "1"}),
            )
        ):
            small = {"memory": f"{SMALL_MIB}Mi"}
            first = container("i", cpu="1", other={**small, **asked})
            asking = pod(f"p{number}-{more}", [container("c", cpu="1", other={**small, **app})], init=[first])
            yield from come_and_go([asking])
