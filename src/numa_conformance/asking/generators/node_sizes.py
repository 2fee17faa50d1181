"""Pods that need so many NUMA nodes: of CPUs, memory, devices and huge pages, alone and together."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from ...judging.choice import numa_cpus
from ...judging.room import ordinary
from ...machine import Machine
from .workloads import container

SMALL_MIB = 64
Json = dict[str, Any]
Containers = tuple[Sequence[Json], Sequence[Json]]
"""App containers, and init containers and sidecars."""


class NodeSizes:
    """What NUMA nodes of a machine have of each resource that may be asked for, most first."""

    def __init__(self, machine: Machine, *, memory: bool, others: Sequence[str], lot: random.Random) -> None:
        """Take whether memory is pinned, and the names of devices and huge pages that may be asked for."""
        self._lot, self._threads = lot, machine.core_bits[0].bit_count()
        of_memory = [ordinary(node) >> 20 for node in machine.memory]
        self._sizes = {"cpu": [cpus.bit_count() for cpus in numa_cpus(machine)]}
        if memory:
            self._sizes["memory"] = of_memory
        for name in others:
            kind = name.removeprefix("hugepages-")
            self._sizes[name] = (
                [
                    sum(node in d.numa and d.resource == name and d.healthy for d in machine.devices)
                    for node in machine.numa_ids
                ]
                if kind == name
                else [node.hugepages.get(kind, 0) for node in machine.memory]
            )
        self._sizes = {name: sorted(filter(None, sizes), reverse=True) for name, sizes in self._sizes.items()}

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
        units = {
            name: f"{amount * int(name[10:-2])}{name[-2:]}"
            for name, amount in amounts.items()
            if name[:10] == "hugepages-"
        }
        devices = {name: str(amount) for name, amount in amounts.items() if "/" in name}
        memory = f"{amounts.get('memory', SMALL_MIB)}Mi"
        return container(name, cpu=str(cpus), memory=memory, other=units | devices, sidecar=sidecar)
