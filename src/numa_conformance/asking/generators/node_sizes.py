"""Pods that need so many NUMA nodes: of CPUs, memory, devices and huge pages, alone and together."""

import random
from collections.abc import Sequence
from typing import Any

from ...judging.choice import numa_cpus
from ...judging.room import ordinary
from ...machine import Machine
from .workloads import container

SMALL_MIB, PAGES = 64, "hugepages-"
"""An amount of memory that any node has; what the name of huge pages begins with."""
Json = dict[str, Any]
Containers = tuple[Sequence[Json], Sequence[Json]]
"""App containers, and init containers and sidecars."""


class NodeSizes:
    """What NUMA nodes of a machine have of each resource that may be asked for, most first."""

    def __init__(self, machine: Machine, *, memory: bool, others: Sequence[str], lot: random.Random) -> None:
        """Take whether memory is pinned, and the names of devices and huge pages that may be asked for."""
        self._lot, self._threads = lot, machine.core_bits[0].bit_count()
        sizes = {"cpu": [cpus.bit_count() for cpus in numa_cpus(machine)]}
        if memory:
            sizes["memory"] = [max(0, ordinary(node) >> 20) for node in machine.memory]
        for name in others:
            if name.startswith(PAGES):
                sizes[name] = [node.hugepages.get(name.removeprefix(PAGES), 0) for node in machine.memory]
            else:
                places = [device.numa for device in machine.devices if device.resource == name and device.healthy]
                sizes[name] = [sum(node in numa for numa in places) for node in machine.numa_ids]
        self._sizes = {name: sorted(filter(None, each), reverse=True) for name, each in sizes.items()}

    def containers(self, *, alone: bool = False) -> Containers:
        """Draw containers that need so many NUMA nodes: apps, or what comes before a small one, at once or in turn."""
        lot = self._lot
        nodes = lot.randint(1, max(1, min(3, len(self._sizes["cpu"]))))
        names = [name for name, sizes in self._sizes.items() if sizes and lot.random() < 0.6]
        amounts = {name: self._needs(name, nodes) for name in names}
        match 3 if alone else lot.randrange(5):
            case 0:
                return [self._container("c", {}), self._container("d", amounts)], []
            case 1:
                return [self._container("c", {})], [self._container(f"i{n}", amounts) for n in range(2)]
            case 2:
                halves = {name: max(1, amount // 2) for name, amount in amounts.items()}
                return [self._container("c", halves)], [self._container("s", halves, sidecar=True)]
            case _:
                return [self._container("c", amounts)], []

    def _needs(self, name: str, nodes: int) -> int:
        """Draw an amount that one NUMA node fewer does not have, were all free: little more, or all that they have."""
        sizes = self._sizes[name]
        least, most = sum(sizes[: nodes - 1]) + 1, sum(sizes[:nodes])
        return self._lot.choice((least, min(least + self._lot.randint(0, 3), most), most, most - most // 8))

    def _container(self, name: str, amounts: dict[str, int], *, sidecar: bool = False) -> Json:
        cpus = -(-amounts.get("cpu", 1) // self._threads) * self._threads
        pages = [(name, name.removeprefix(PAGES)) for name in amounts if name.startswith(PAGES)]
        units = {name: f"{amounts[name] * int(size[:-2])}{size[-2:]}" for name, size in pages}
        devices = {name: str(amount) for name, amount in amounts.items() if "/" in name}
        memory = f"{amounts.get('memory', SMALL_MIB)}Mi"
        return container(name, cpu=str(cpus), memory=memory, other=units | devices, sidecar=sidecar)
