"""The allocation rules, word for word and slow: sets, sorts and every subset. Only for comparison.

It follows CPU-ALLOC, CPU-UNC and CPU-DIST as they are written and shares nothing with the allocator it checks.
"""

import math
from collections.abc import Callable
from contextlib import suppress
from itertools import combinations

from numa_conformance.machine.model import KubeletView, ViewCpu

PREFIX = {1: 1, 2: 2, 3: 3, 4: 3, 5: 5, 6: 5, 7: 5, 8: 5, 9: 9}


class EndlessError(Exception):
    pass


class FailedError(Exception):
    pass


Key = Callable[[ViewCpu], int]


def numa(cpu: ViewCpu) -> int:
    return cpu.numa


def socket(cpu: ViewCpu) -> int:
    return cpu.socket


def core(cpu: ViewCpu) -> int:
    return cpu.core


def uncore(cpu: ViewCpu) -> int:
    return cpu.uncore


class Literal:
    def __init__(self, view: KubeletView, available: set[int], need: int) -> None:
        self.view = view
        self.rows = {cpu.id: cpu for cpu in view.cpus}
        self.free = {cpu for cpu in available if cpu in self.rows}
        self.offered = len(available)
        self.need = need
        self.result: set[int] = set()
        self.numa_first = view.num_sockets >= len({cpu.numa for cpu in view.cpus})
        self.per_core = view.num_cpus // view.num_cores
        self.per_socket = view.num_cpus // view.num_sockets
        self.per_uncore = view.num_cpus // len({cpu.uncore for cpu in view.cpus})

    def members(self, key: Key, one: int) -> set[int]:
        return {cpu.id for cpu in self.view.cpus if key(cpu) == one}

    def count(self, key: Key, one: int) -> int:
        return len(self.members(key, one) & self.free)

    def inside(self, key: Key, parent: Key, one: int) -> list[int]:
        found = {key(self.rows[cpu]) for cpu in self.free if parent(self.rows[cpu]) == one}
        return sorted(found, key=lambda element: (self.count(key, element), element))

    def every(self, key: Key) -> list[int]:
        found = {key(self.rows[cpu]) for cpu in self.free}
        return sorted(found, key=lambda element: (self.count(key, element), element))

    def nodes(self) -> list[int]:
        if self.numa_first:
            return self.every(numa)
        return [node for one in self.every(socket) for node in self.inside(numa, socket, one)]

    def sockets(self) -> list[int]:
        if not self.numa_first:
            return self.every(socket)
        return [found for node in self.every(numa) for found in self.inside(socket, numa, node)]

    def cores(self) -> list[int]:
        if self.numa_first:
            return [found for one in self.sockets() for found in self.inside(core, socket, one)]
        return [found for node in self.nodes() for found in self.inside(core, numa, node)]

    def uncores(self) -> list[int]:
        return [found for node in self.nodes() for found in self.inside(uncore, numa, node)]

    def take(self, cpus: set[int]) -> None:
        self.result |= cpus
        self.free -= cpus
        self.need -= len(cpus)

    def take_full(self, key: Key, order: list[int], full: Callable[[int], int]) -> bool:
        for one in [one for one in order if self.count(key, one) == full(one)]:
            cpus = self.members(key, one)
            if len(cpus) > self.need:
                continue
            self.take(cpus)
            if self.need < 1:
                return True
        return False

    def full_nodes(self) -> bool:
        return self.take_full(numa, self.nodes(), lambda one: len(self.members(numa, one)))

    def full_sockets(self) -> bool:
        return self.take_full(socket, self.sockets(), lambda one: self.per_socket)

    def uncore_step(self) -> bool:
        for one in self.uncores():
            if self.need >= self.per_uncore and self.take_full(
                uncore, self.uncores(), lambda one: len(self.members(uncore, one))
            ):
                return True
            with_free = sorted({self.rows[cpu].core for cpu in self.free & self.members(uncore, one)})
            chosen = with_free[: self.need // self.per_core]
            cpus = {cpu for cpu in self.free if self.rows[cpu].core in chosen}
            if len(cpus) == self.need:
                self.take(cpus)
                return True
        return False

    def enough(self) -> None:
        if self.need > len(self.free):
            raise FailedError(
                f"not enough cpus available to satisfy request: requested={self.need}, available={self.offered}"
            )

    def packed(self, *, spread: bool = False, align_uncore: bool = False) -> set[int]:
        if self.need <= 0:
            return set()
        self.enough()
        first, second = (
            (self.full_nodes, self.full_sockets) if self.numa_first else (self.full_sockets, self.full_nodes)
        )
        if first() or second() or (align_uncore and self.uncore_step()):
            return self.result
        if not spread and self.take_full(core, self.cores(), lambda one: self.per_core):
            return self.result
        if spread:
            singles = [cpu for one in self.sockets() for cpu in sorted(self.free & self.members(socket, one))]
        else:
            singles = [cpu for one in self.cores() for cpu in sorted(self.free & self.members(core, one))]
        for cpu in singles:
            self.take({cpu})
            if self.need < 1:
                return self.result
        raise FailedError("failed to allocate cpus")

    def distributed(self, group: int) -> set[int]:
        count = self.need
        if count % group:
            return self.packed()
        if count <= 0:
            return set()
        self.enough()
        order = self.nodes()
        free = {node: self.count(numa, node) for node in order}
        groups = math.ceil(len(self.rows) / group)
        per_node = math.ceil(groups / len({cpu.numa for cpu in self.view.cpus}))
        needed = math.ceil(count / group)
        for k in range(math.ceil(needed / per_node), min(needed, len(free)) + 1):
            kept = search(order, free, count, group, k)
            if kept is not None:
                return self.spend(*kept, count // k // group * group, count, group)
        return self.packed()

    def spend(self, nodes: list[int], remainder: list[int], share: int, count: int, group: int) -> set[int]:
        for node in nodes:
            self.take_within(node, share)
        rest = count - share * len(nodes)
        while rest > 0:
            before = rest
            for node in remainder:
                if rest == 0:
                    break
                if self.count(numa, node) >= group:
                    self.take_within(node, group)
                    rest -= group
            if rest == before:
                raise EndlessError
        if self.need:
            words = "not enough" if self.need > 0 else "too many"
            raise FailedError(f"accounting error, {words} CPUs allocated, remaining: {self.need}")
        return self.result

    def take_within(self, node: int, count: int) -> None:
        with suppress(FailedError):
            self.take(Literal(self.view, self.free & self.members(numa, node), count).packed())


class Slot:
    """A kept subset, and what later visits of the same enumeration do to it."""

    def __init__(self) -> None:
        self.size = 0
        self.enumeration: object = None
        self.content: list[int] = []

    def visit(self, enumeration: object, subset: tuple[int, ...], values: list[int]) -> None:
        if enumeration == self.enumeration and subset[: PREFIX.get(self.size, 9)] == self.start:
            self.content = values

    def keep(self, enumeration: object, subset: tuple[int, ...], values: list[int]) -> None:
        self.enumeration, self.size, self.content = enumeration, len(subset), values
        self.start = subset[: PREFIX.get(len(subset), 9)]


def search(
    order: list[int], free: dict[int, int], count: int, group: int, k: int
) -> tuple[list[int], list[int]] | None:
    best = math.inf
    slot = Slot()
    remainder: list[int] = []
    for subset in combinations(range(len(order)), k):
        nodes = [order[i] for i in subset]
        slot.visit("C", subset, nodes)
        if best == 0:
            break
        share = count // k // group * group
        if sum(free[node] for node in set(nodes)) < count:
            continue
        if group * sum(free[node] // group for node in nodes) < count:
            continue
        if any(free[node] < share for node in nodes):
            continue
        left = dict(free)
        for node in nodes:
            left[node] -= share
        score, chosen = judge(left, nodes, count - share * k, group)
        if score < best:
            best, remainder = score, chosen
            slot.keep("C", subset, nodes)
    return (slot.content, remainder) if best < math.inf else None


def judge(left: dict[int, int], nodes: list[int], rest: int, group: int) -> tuple[float, list[int]]:
    if rest == 0:
        return deviation(list(left.values())), []
    best = math.inf
    slot = Slot()
    among = [node for node in nodes if left[node] >= group]
    for j in range(len(among), 0, -1):
        for subset in combinations(range(len(among)), j):
            chosen = [among[i] for i in subset]
            slot.visit(j, subset, chosen)
            if sum(left[node] for node in chosen) < rest:
                continue
            after, togo = dict(left), rest
            while togo > 0:
                before = togo
                for node in chosen:
                    if togo > 0 and after[node] >= group:
                        after[node] -= group
                        togo -= group
                if togo == before:
                    raise EndlessError
            score = deviation(list(after.values()))
            if score < best:
                best = score
                slot.keep(j, subset, chosen)
    return best, slot.content


def rounded(value: float) -> float:
    return math.floor(value * 1000 + 0.5) / 1000


def deviation(values: list[int]) -> float:
    mean = rounded(sum(values) / len(values))
    return rounded(math.sqrt(sum((value - mean) * (value - mean) for value in values) / len(values)))
