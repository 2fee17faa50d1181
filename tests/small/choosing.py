"""Choosing CPUs: a small allocator's own packing, spreading and aligning. Sets of CPUs are bits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from numa_conformance.cpuset import iter_bits
from numa_conformance.machine import Machine

__all__ = ["Chooser"]

WHOLE, ACROSS_NUMA, ACROSS_CORES = "full-pcpus-only", "distribute-cpus-across-numa", "distribute-cpus-across-cores"


class Chooser:
    """Chooses CPUs on one machine under fixed options. Every step is a method that a kind of it may replace."""

    def __init__(self, machine: Machine, options: Iterable[str]) -> None:
        self.machine = machine
        self.options = frozenset(options)
        self.nodes = [cpus for _, cpus in sorted(machine.numa_bits.items()) if cpus]
        self.cores = list(machine.core_bits)

    @property
    def step(self) -> int:
        """CPUs that are only given together: those of a core under full-pcpus-only, where all cores are alike."""
        sizes = {core.bit_count() for core in self.cores}
        return sizes.pop() if WHOLE in self.options and len(sizes) == 1 else 1

    def offered(self, available: int) -> int:
        """Return what may be given of what is free: under full-pcpus-only whole cores."""
        if WHOLE not in self.options:
            return available
        return sum(core for core in self.cores if core & available == core)

    def choose(self, available: int, count: int, near: int | None = None) -> int | None:
        """Return so many CPUs, near those of a hint where they can hold the request; None: it cannot be."""
        if not self.fits(available, count):
            return None
        available = self.offered(available)
        if near is not None and self.fits(available & near, count):
            available &= near
        return self.taken(available, count)

    def fits(self, available: int, count: int) -> bool:
        """Tell whether so many can be given."""
        if WHOLE in self.options and not self.adds_up(available, count):
            return False
        return count <= self.offered(available).bit_count()

    def adds_up(self, available: int, count: int) -> bool:
        """Tell whether whole cores make up the number."""
        return self.sums([core for core in self.cores if core & available == core], count)

    def taken(self, available: int, count: int) -> int:
        """Return so many of what may be given, which are enough."""
        if WHOLE in self.options and self.step == 1 and len({core.bit_count() for core in self.cores}) > 1:
            open_nodes = [node & available for node in self.nodes if self.fits(node & available, count)]
            return self.of_cores(open_nodes[0] if open_nodes else available, count)
        if ACROSS_CORES in self.options:
            return self.spread(available, count)
        if ACROSS_NUMA in self.options and not self.one_node(available, count):
            shares = self.shares(available, count)
            if shares is not None:
                return sum(self.pack(available & node, share) for node, share in shares)
        return self.pack(available, count)

    def one_node(self, available: int, count: int) -> bool:
        """Tell whether one NUMA node can give all."""
        return any((node & available).bit_count() >= count for node in self.nodes)

    def shares(self, available: int, count: int) -> list[tuple[int, int]] | None:
        """Return the NUMA nodes of a distribution and what each gives: as few as can give even shares."""
        step = self.step
        if count % step:
            return None
        for number in range(2, len(self.nodes) + 1):
            even, more = divmod(count // step, number)
            wide = sorted(self.nodes, key=lambda node: -(node & available).bit_count())[:number]
            shares = [(even + (index < more)) * step for index in range(number)]
            if all((node & available).bit_count() >= share for node, share in zip(wide, shares, strict=True)):
                return list(zip(wide, shares, strict=True))
        return None

    def spread(self, available: int, count: int) -> int:
        """Take one CPU of each core, then a second one."""
        given = 0
        while given.bit_count() < count:
            for core in self.ordered([core & available & ~given for core in self.cores]):
                if core and given.bit_count() < count:
                    given |= self.first(core)
        return given

    def pack(self, available: int, count: int) -> int:
        """Fill NUMA nodes one after the other: all of the roomiest, and the last part from where it fits best."""
        given = 0
        while count:
            node = self.next_node([node & available & ~given for node in self.nodes], count)
            part = min(count, node.bit_count())
            given |= self.of_cores(node, part)
            count -= part
        return given

    def next_node(self, open_nodes: Sequence[int], count: int) -> int:
        """Choose the NUMA node that gives next: the one it fills best, else the one with most to give."""
        able = [node for node in open_nodes if node.bit_count() >= count]
        if able:
            return min(self.ordered(able), key=lambda node: (self.cores_for(node, count), node.bit_count()))
        return max(self.ordered(open_nodes), key=int.bit_count)

    def cores_for(self, available: int, count: int) -> int:
        """Return how many cores so many CPUs take at least."""
        needed = 0
        for size in sorted((core & available).bit_count() for core in self.cores)[::-1]:
            if count <= 0:
                break
            count -= size
            needed += 1
        return needed

    def of_cores(self, available: int, count: int) -> int:
        """Take the roomiest cores, and the last part from the smallest that holds it."""
        given = 0
        if WHOLE in self.options and self.step == 1 and self.adds_up(available, count):
            return self.whole_sum([core for core in self.cores if core & available == core], count)
        while count:
            parts = self.ordered([part for core in self.cores if (part := core & available & ~given)])
            able = [part for part in parts if part.bit_count() >= count]
            part = min(able, key=int.bit_count) if able else max(parts, key=int.bit_count)
            taken = self.some(part, min(count, part.bit_count()))
            given |= taken
            count -= taken.bit_count()
        return given

    def whole_sum(self, cores: Sequence[int], count: int) -> int:
        """Take whole cores that have so many CPUs together, where cores differ."""
        if count == 0:
            return 0
        *others, core = cores
        rest = (
            self.whole_sum(others, count - core.bit_count())
            if core.bit_count() <= count and self.sums(others, count - core.bit_count())
            else None
        )
        return self.whole_sum(others, count) if rest is None else core | rest

    def sums(self, cores: Sequence[int], count: int) -> bool:
        """Tell whether some of these cores have so many CPUs together."""
        reach = {0}
        for core in cores:
            reach |= {total + core.bit_count() for total in reach}
        return count in reach

    def some(self, cpus: int, count: int) -> int:
        """Take so many of these."""
        taken = 0
        for _ in range(count):
            taken |= self.first(cpus & ~taken)
        return taken

    def first(self, cpus: int) -> int:
        """Choose among CPUs that are alike: the lowest."""
        return cpus & -cpus

    def ordered(self, groups: Sequence[int]) -> Sequence[int]:
        """Order groups that are alike: as they come."""
        return groups

    def affinity(self, free: int, count: int) -> tuple[list[int], bool]:
        """Return the NUMA nodes for a request and whether they are as few as it ever needs; none: nothing fits."""
        able = [node for node, cpus in self.machine.numa_bits.items() if cpus]
        width = self.width(count)
        for number in range(width, len(able) + 1):
            roomy = sorted(able, key=lambda node: -(self.machine.numa_bits[node] & free).bit_count())
            chosen = roomy[:number]
            if sum((self.machine.numa_bits[node] & free).bit_count() for node in chosen) >= count:
                return self.narrowed(free, count, number, chosen), number == width
        return [], False

    def narrowed(self, free: int, count: int, number: int, chosen: list[int]) -> list[int]:
        """Choose among sets of NUMA nodes that all would do: the first of those that are few, else the roomiest."""
        able = [node for node, cpus in sorted(self.machine.numa_bits.items()) if cpus & free]
        if len(able) > 8:
            return sorted(chosen)
        for some in combinations(able, number):
            if sum((self.machine.numa_bits[node] & free).bit_count() for node in some) >= count:
                return list(some)
        return sorted(chosen)

    def width(self, count: int) -> int:
        """Return how many NUMA nodes so many CPUs need at least, were all free."""
        return self.least(sorted((cpus.bit_count() for cpus in self.nodes), reverse=True), count)

    def least(self, sizes: Sequence[int], count: int) -> int:
        """Return how many of these sizes add up to so many, largest first."""
        total = 0
        for number, size in enumerate(sizes, 1):
            total += size
            if total >= count:
                return number
        return max(1, len(sizes))

    def ascending_cores(self, count: int) -> int:
        """Return the CPUs of a reservation by number: core by core."""
        cpus = [cpu for core in self.cores for cpu in iter_bits(core)]
        return sum(1 << cpu for cpu in cpus[:count])
