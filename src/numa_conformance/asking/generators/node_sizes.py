"""Amounts to ask for by the sizes of a machine, and pods that need so many NUMA nodes of CPUs, memory and others."""

import random
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from ...judging.choice import numa_cpus
from ...judging.room import ordinary
from .cells import Cell
from .picks import sizes_of_groups
from .workloads import container

SMALL_MIB, PAGES = 64, "hugepages-"
"""An amount of memory that any node has; what the name of huge pages begins with."""
BEYOND_32_BITS = 4294968
"""CPUs that are less than one where thousandths have no more bits."""
LARGE_SHARE, MOST_SHARES = 3, 8
"""Memory is drawn in halves of this share of a NUMA node, as many of them at most."""
Json = dict[str, Any]
Containers = tuple[Sequence[Json], Sequence[Json]]
"""App containers, and init containers and sidecars."""


class NodeSizes:
    """What NUMA nodes of a machine have of each resource that may be asked for, most first."""

    def __init__(self, cell: Cell, others: Sequence[str], lot: random.Random) -> None:
        """Take the names of devices and huge pages that may be asked for as ``others``."""
        machine = cell.machine
        self._cell, self._lot, self._threads = cell, lot, machine.core_bits[0].bit_count()
        sizes = {"cpu": [cpus.bit_count() for cpus in numa_cpus(machine)]}
        if cell.memory:
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

    def mebibytes(self) -> int:
        """Draw an amount in MiB: mostly small, sometimes a good part of a NUMA node, or more than one holds."""
        if not self._cell.memory or self._lot.random() < 0.5:
            return SMALL_MIB
        sizes = [(node.memory or 0) >> 20 for node in self._cell.machine.memory]
        return max(SMALL_MIB, self._lot.randint(1, MOST_SHARES) * max(sizes) // (2 * LARGE_SHARE))

    def cpus(self, room: int) -> int:
        """Draw how many CPUs: about what is free, around the sizes of the machine's groups."""
        lot, machine = self._lot, self._cell.machine
        nodes = sorted(cpus.bit_count() for cpus in machine.numa_bits.values())
        sizes = sizes_of_groups(machine).union(accumulate(nodes))
        near = (size for group in sizes for size in (group, group - 1, group + 1))
        telling = sorted(size for size in near if 0 < size <= room)
        choice = lot.random()
        if choice < 0.45 and telling:
            size = lot.choice(telling)
        elif choice < 0.95:
            size = lot.randint(1, max(1, min(room, 1 + room * 2 // 3)))
        else:
            size = lot.choice((room + 1, BEYOND_32_BITS))
        if "full-pcpus-only" in self._cell.options and lot.random() < 0.9:
            size = -(-size // self._threads) * self._threads
        return size
