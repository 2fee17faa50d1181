"""Nodes asked for memory, CPUs and devices of several NUMA nodes, alone and together, empty and in use."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import cycle
from typing import Any

from ...judging.choice import ACROSS_NUMA, WHOLE_CORES, numa_cpus
from ...judging.room import ordinary
from ...machine import Machine
from .cells import Cell, are_too_many, devices_near, kubelet_of
from .scenario import Question, Scenario, Script, come_and_go, or_the_catalogue
from .workloads import best_effort, guaranteed

DEVICE = "example.com/nic"
DEVICES = "device-manager/allocation"
MOST_CPUS, MANY_CPUS, MOST_NODES = 32, 96, 12
"""CPUs of a machine at most, of one with as many NUMA nodes as are looked at, and how many these are."""
LEAST_MIB = 2048
"""Memory of each NUMA node that has some, at least: a reservation leaves most of it."""
POLICIES = ("restricted", "best-effort")
SMALL_MIB, GROUP = 64, 2
SHARED_EVENLY, LEAST_SHARED = ((ACROSS_NUMA,), (WHOLE_CORES, ACROSS_NUMA)), 3
"""Options in turn of nodes under best-effort with so many NUMA nodes; memory, which might decide, is not aligned."""
PAGES, ROOM_FOR_PAGES, NODES_WITH_PAGES = 16, 4 << 30, 4
"""Huge pages of 2 MiB that each NUMA node is given beside one of 1 GiB, the memory that it needs for that; on few."""
PAGED = {"1Gi": 1, "2Mi": PAGES}


def wide(claimed: frozenset[str], machines: Sequence[Machine] | None = None, *, seed: int = 0) -> Iterator[Scenario]:
    """Yield lives on each machine of several NUMA nodes with memory, one for each policy, in turn in each scope.

    Where NUMA nodes are many only one or two managers at a time have an opinion, and that of memory is asked alone.
    """
    known, shared = or_the_catalogue(machines), cycle(SHARED_EVENLY)
    for number, machine in enumerate(filter(_is_able, known)):
        if DEVICES in claimed and not machine.devices:
            machine = _with_devices(machine)
        if "memory-manager/hugepages" in claimed:
            machine = _with_pages(machine)
        few = not are_too_many(machine, 2)
        for turn, policy in enumerate(POLICIES if few else (*POLICIES, "none")):
            scope = ("container", "pod")[(number + turn) % 2]
            is_shared = few and policy == "best-effort" and len(numa_cpus(machine)) >= LEAST_SHARED
            options = frozenset(next(shared) if is_shared else ())
            memory = policy == "none" or (few and not options)
            cell = Cell(machine, True, options, policy, scope, memory=memory, reservation="a thread")
            if cell.features <= claimed:
                name = f"wide {seed} {machine.name} {policy}"
                restarts = "node/restart" in claimed
                yield Scenario("walk", cell.name, machine, partial(_life, cell, name, restarts=restarts), seed)


def _is_able(machine: Machine) -> bool:
    nodes, cpus = len(machine.numa_ids), len(machine.cpus)
    few = 1 < nodes <= MOST_NODES and cpus <= (MANY_CPUS if nodes == MOST_NODES else MOST_CPUS)
    return few and len(_memory(machine)) > 1 and min(_memory(machine)) >= LEAST_MIB


def _memory(machine: Machine) -> list[int]:
    """Return the MiB of each NUMA node that has memory, most first."""
    return sorted((size for node in machine.memory if (size := ordinary(node) >> 20)), reverse=True)


def _with_devices(machine: Machine) -> Machine:
    """Put two devices near each NUMA node with CPUs."""
    nodes = [node for node, cpus in machine.numa_bits.items() if cpus]
    return replace(machine, name=f"{machine.name} with devices", devices=devices_near(DEVICE, nodes, 2))


def _with_pages(machine: Machine) -> Machine:
    """Set huge pages of two sizes aside on each NUMA node, where there are none yet and all have the memory."""
    able = all(not node.hugepages and (node.memory or 0) >= ROOM_FOR_PAGES for node in machine.memory)
    if not able or len(machine.numa_ids) > NODES_WITH_PAGES:
        return machine
    memory = tuple(replace(node, hugepages=PAGED) for node in machine.memory)
    return replace(machine, name=f"{machine.name} and pages", memory=memory)


def _life(cell: Cell, name: str, *, restarts: bool) -> Script:
    """Ask an empty node; then one with a pod on one NUMA node, and on several; then once these have gone; restart.

    With many NUMA nodes each answer takes long: only the empty node and the fullest are asked.
    """
    lot = random.Random(name)
    started = yield "node.start", {"kubelet": kubelet_of(cell, lot)}
    if started.get("result") != "started":
        return
    threads = cell.machine.core_bits[0].bit_count() if WHOLE_CORES in cell.options else 1
    wanted, few = _Requests(cell.machine, lot, threads), not are_too_many(cell.machine, 2)
    yield from wanted.each()
    yield from wanted.pages()
    small = wanted.small(memory=_memory(cell.machine)[0] // 2)
    yield "node.admit", {"pod": small}
    if few:
        yield from wanted.each()
    group, gone = wanted.of(memory=2), [small]
    neighbours = wanted.small()
    if len(_memory(cell.machine)) == GROUP:  # only without the first pod there are so many NUMA nodes for a group
        yield _remove(gone.pop())
        neighbours = wanted.of_pages(GROUP * PAGES + 2, 1) if wanted.paged else neighbours
    yield "node.admit", {"pod": group}
    yield "node.admit", {"pod": neighbours}
    yield from wanted.each()
    for each in (*gone, group):
        yield _remove(each)
    if few:
        yield from wanted.each()
    yield from wanted.devices_here_and_there()
    if restarts and few:
        yield _remove(neighbours)
        yield from wanted.restarted()


def _remove(pod: Mapping[str, Any]) -> Question:
    return "node.remove", {"uid": pod["metadata"]["uid"]}


class _Requests:
    """Pods to ask for, each more than some NUMA nodes have, were they free."""

    def __init__(self, machine: Machine, lot: random.Random, threads: int = 1) -> None:
        """Take the machine, and how many CPUs are given together."""
        self._threads = threads
        self._memory, self._lot, self._count = _memory(machine), lot, 0
        self._together = not are_too_many(machine, 3)
        self._cpus = sorted((cpus.bit_count() for cpus in numa_cpus(machine)), reverse=True)
        self._resource = machine.devices[0].resource if machine.devices else ""
        known = [device for device in machine.devices if device.resource == self._resource and device.healthy]
        self.paged = all(node.hugepages == PAGED for node in machine.memory)
        self._places = {device.id: device.numa for device in known}
        near = (sum(node in numa for numa in self._places.values()) for node in machine.numa_ids)
        self._near = sorted(filter(None, near), reverse=True)

    def each(self) -> Script:
        """Ask for what so many NUMA nodes have, in several ways; what is admitted goes again."""
        most = max(2, min(3, len(self._memory) - 1))
        pods = [
            self.of(memory=self._lot.randint(2, most)),
            self.of(cpus=2, memory=2),
            self.of(cpus=self._lot.randint(2, most)),
            *([best_effort(self._name(), **self._some(devices=self._lot.randint(2, most)))] if self._near else []),
            *([self.of(cpus=2, memory=2, devices=2)] if self._together else []),
        ]
        yield from come_and_go(pods)

    def pages(self) -> Script:
        """Ask for huge pages of both sizes, more of the one or of the other than a NUMA node has."""
        if self.paged:
            yield from come_and_go((self.of_pages(GROUP * PAGES + 2, 1), self.of_pages(2, 2)))

    def devices_here_and_there(self) -> Script:
        """Leave a pod with a device at each NUMA node, and ask for as many as one had."""
        nodes, gone = set[tuple[int, ...]](), list[str]()
        for _ in self._places if self._near else ():
            each = best_effort(self._name(), **{self._resource: "1"})
            answer = yield "node.admit", {"pod": each}
            devices = (answer.get("containers") or {}).get("c", {}).get("devices") or {}
            for id in devices.get(self._resource, ()):
                place = self._places.get(id, ())
                if place in nodes:
                    gone.append(each["metadata"]["uid"])
                nodes.add(place)
        for uid in gone:
            yield "node.remove", {"uid": uid}
        if gone:
            yield "node.admit", {"pod": best_effort(self._name(), **{self._resource: str(self._near[0])})}

    def restarted(self) -> Script:
        """Restart beside a pod on two NUMA nodes, and ask for memory that one of them had and that both do not have."""
        first, second = self._memory[:2]
        yield "node.admit", {"pod": guaranteed(self._name(), "100m", f"{first + second // 2}Mi")}
        yield "node.restart", {}
        yield "node.admit", {"pod": guaranteed(self._name(), "100m", f"{second * 3 // 4}Mi")}

    def of(self, *, memory: int = 0, cpus: int = 0, devices: int = 0) -> dict[str, Any]:
        """Return a pod that needs so many NUMA nodes for each; of what needs none it asks for little."""
        cpu = sum(self._cpus[: cpus - 1]) + self._threads if cpus else "100m"
        size = sum(self._memory[: memory - 1]) + SMALL_MIB if memory else SMALL_MIB
        return guaranteed(self._name(), cpu, f"{size}Mi", **self._some(devices))

    def of_pages(self, small: int, large: int) -> dict[str, Any]:
        """Return a pod with huge pages of both sizes: so many MiB in small ones, so many GiB in large ones."""
        pages = {"hugepages-2Mi": f"{small}Mi", "hugepages-1Gi": f"{large}Gi"}
        return guaranteed(self._name(), "100m", f"{SMALL_MIB}Mi", **pages)

    def small(self, memory: int = SMALL_MIB) -> dict[str, Any]:
        """Return a pod that one NUMA node has."""
        return guaranteed(self._name(), self._threads, f"{memory}Mi")

    def _some(self, devices: int) -> dict[str, str]:
        return {self._resource: str(sum(self._near[: devices - 1]) + 1)} if devices and self._near else {}

    def _name(self) -> str:
        self._count += 1
        return f"p{self._count}"
