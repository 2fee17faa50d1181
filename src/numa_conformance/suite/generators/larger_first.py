"""Init containers that ask for as much as a NUMA node has, and for more, before a small app: in the scope pod."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice

from ...cpuset import CpuSet
from ...machine import Machine
from ..judge.room import ordinary
from .few_nodes import OF_EVERY_MANAGER, are_alike, with_pages_and_devices
from .scenario import Scenario, Script, come_and_go, or_the_catalogue
from .workloads import container, pinning, pod, static

__all__ = ["NEEDED", "larger_first"]

NEEDED = OF_EVERY_MANAGER | {"topology-manager/single-numa-node", "topology-manager/scope/pod"}
"""What a target must claim."""
MACHINES = 3
PAGES = 16
"""Huge pages of 2 MiB on each NUMA node."""
NIC, NICS = "example.com/nic", 2
"""Devices near each NUMA node."""
SMALL_MIB = 64


def larger_first(claimed: frozenset[str], machines: Sequence[Machine] | None = None) -> Iterator[Scenario]:
    """Yield a short life on a few small machines with two NUMA nodes and more, all of the same memory."""
    if not claimed >= NEEDED:
        return
    for machine in islice(filter(are_alike, or_the_catalogue(machines)), MACHINES):
        larger = with_pages_and_devices(machine, "nics and pages", PAGES, NIC, NICS)
        cell = "no option, single-numa-node per pod, memory Static, reserved a core"
        yield Scenario("walk", cell, larger, partial(_life, larger))


def _life(machine: Machine) -> Script:
    last = machine.memory[-1]
    kubelet = static(
        reserved=str(CpuSet.from_bits(machine.core_bits[0])),
        topology="single-numa-node",
        scope="pod",
        more=pinning(machine.memory[0].node),
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
