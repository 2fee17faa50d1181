"""Faults inside an algorithm: small allocators whose choice of CPUs has one wrong bound, order or measure."""

from __future__ import annotations

from numa_conformance.cpuset import iter_bits
from small.choosing import WHOLE, Chooser

from .declared import declared

__all__ = ["WRONG_CHOICES"]


class SiblingsHalfAway(Chooser):
    """Takes CPU i and i + n/2 for the threads of a core."""

    def __init__(self, machine, options):
        super().__init__(machine, options)
        ids = [cpu.id for cpu in machine.cpus]
        half = len(ids) // 2
        if {core.bit_count() for core in machine.core_bits} == {2}:
            self.cores = [1 << ids[index] | 1 << ids[index + half] for index in range(half)]


class AdjacentSiblings(Chooser):
    """Takes neighbouring ids for the threads of a core."""

    def __init__(self, machine, options):
        super().__init__(machine, options)
        ids = [cpu.id for cpu in machine.cpus]
        size = max(core.bit_count() for core in machine.core_bits)
        self.cores = [sum(1 << cpu for cpu in ids[index : index + size]) for index in range(0, len(ids), size)]


class CoresBySocketAlone(Chooser):
    """Takes CPUs with one core id for one core, though every socket counts its own."""

    def __init__(self, machine, options):
        super().__init__(machine, options)
        cores = {}
        for cpu in machine.cpus:
            cores[cpu.core] = cores.get(cpu.core, 0) | 1 << cpu.id
        self.cores = list(cores.values())


class NodesByIndex(Chooser):
    """Cuts the CPUs into as many equal runs of ids as there are NUMA nodes."""

    def __init__(self, machine, options):
        super().__init__(machine, options)
        ids = [cpu.id for cpu in machine.cpus]
        size = -(-len(ids) // len(self.nodes))
        self.nodes = [sum(1 << cpu for cpu in ids[index : index + size]) for index in range(0, len(ids), size)]


class SocketsForNodes(Chooser):
    """Counts sockets where NUMA nodes count."""

    def __init__(self, machine, options):
        super().__init__(machine, options)
        self.nodes = list(machine.socket_bits.values())


class AverageCores(Chooser):
    """Divides all CPUs by all cores to learn what a core is."""

    @property
    def step(self):
        return len(self.machine.cpus) // len(self.cores) if WHOLE in self.options else 1

    def offered(self, available):
        if WHOLE not in self.options:
            return available
        return sum(core & available for core in self.cores if (core & available).bit_count() >= self.step)

    def adds_up(self, available, count):
        return count % self.step == 0


class AcceptsHalfCores(Chooser):
    """Under full-pcpus-only looks at the number alone."""

    def offered(self, available):
        return available


class NeverOddSizes(Chooser):
    """Refuses what is no multiple of a core, whatever the options."""

    def fits(self, available, count):
        return super().fits(available, count) and count % self.cores[0].bit_count() == 0


class NotTheLastCpu(Chooser):
    """Keeps one CPU back: less than where it should be no more than."""

    def fits(self, available, count):
        return super().fits(available, count) and count < self.offered(available).bit_count()


class ServesOneTooMany(Chooser):
    """Serves one more than there are, with one CPU too few."""

    def fits(self, available, count):
        return count <= available.bit_count() + 1 and super().fits(available, min(count, available.bit_count()))

    def taken(self, available, count):
        return super().taken(available, min(count, available.bit_count()))


class NoPartNode(Chooser):
    """Divides over NUMA nodes as soon as a request is half a node."""

    def one_node(self, available, count):
        return any((node & available).bit_count() >= 2 * count for node in self.nodes)


class StrictlyLessThanANode(Chooser):
    """Distributes what fits a NUMA node exactly."""

    def one_node(self, available, count):
        return any((node & available).bit_count() > count for node in self.nodes)


class UnevenShares(Chooser):
    """Gives the first NUMA node of a distribution all that is left over at once, and one more."""

    def shares(self, available, count):
        told = super().shares(available, count)
        if told is None or told[-1][1] <= 2 * self.step:
            return told
        (first, most), *rest, (last, least) = told
        room = (first & available).bit_count()
        moved = min(2 * self.step, room - most)
        return [(first, most + moved), *rest, (last, least - moved)]


class DistributesOverTwo(Chooser):
    """Knows distributions over two NUMA nodes only."""

    def shares(self, available, count):
        told = super().shares(available, count)
        return told if told is not None and len(told) == 2 else None


class DistributesOverAll(Chooser):
    """Divides over every NUMA node, not over as few as needed: uneven where one has little."""

    def shares(self, available, count):
        step, number = self.step, len(self.nodes)
        even, more = divmod(count // step, number)
        shares = [(even + (index < more)) * step for index in range(number)]
        if count % step or any((n & available).bit_count() < s for n, s in zip(self.nodes, shares, strict=True)):
            return None
        return list(zip(self.nodes, [count - sum(shares[1:]), *shares[1:]], strict=True))


class SharesOfSingleThreads(Chooser):
    """Forgets whole cores when it divides."""

    @property
    def step(self):
        return 1

    def taken(self, available, count):
        return super().taken(available, count)


class FirstNodesShare(Chooser):
    """Takes the first NUMA nodes of a distribution, whether they have the most or not."""

    def shares(self, available, count):
        for number in range(2, len(self.nodes) + 1):
            even, more = divmod(count // self.step, number)
            shares = [(even + (index < more)) * self.step for index in range(number)]
            chosen = self.nodes[:number]
            if sum((node & available).bit_count() for node in chosen) >= count:
                parts, left = [], count
                for node, share in zip(chosen, shares, strict=True):
                    parts.append((node, min(share, (node & available).bit_count())))
                    left -= parts[-1][1]
                return parts if not left else None
        return None


class SpreadsInOneNode(Chooser):
    """Spreads over the cores of one NUMA node, though there are more."""

    def spread(self, available, count):
        best = max((node & available for node in self.nodes), key=int.bit_count)
        return super().spread(best if best.bit_count() >= count else available, count)


class SpreadsOverHalfCores(Chooser):
    """Takes two threads of a core before the next core."""

    def spread(self, available, count):
        given = 0
        for core in self.cores:
            for cpu in list(iter_bits(core & available))[:2]:
                if given.bit_count() < count:
                    given |= 1 << cpu
        return given | self.some(available & ~given, count - given.bit_count())


class LowestIds(Chooser):
    """Packs by number: the lowest ids, wherever they are."""

    def pack(self, available, count):
        return self.some(available, count)


class CoresRoundRobin(Chooser):
    """Packs cores in turns over NUMA nodes."""

    def pack(self, available, count):
        given = 0
        parts = [[core & available for core in self.cores if core & available & node] for node in self.nodes]
        for turn in range(max(map(len, parts))):
            for cores in parts:
                if turn < len(cores) and given.bit_count() < count:
                    given |= self.some(cores[turn], min(count - given.bit_count(), cores[turn].bit_count()))
        return given | self.some(available & ~given, count - given.bit_count())


class SmallestNodeFirst(Chooser):
    """Begins with the NUMA node that has least, though it does not hold the request."""

    def next_node(self, open_nodes, count):
        return min((node for node in open_nodes if node), key=int.bit_count)


class SmallestCoreFirst(Chooser):
    """Uses up single threads first, and so more cores than it needs."""

    def of_cores(self, available, count):
        given = 0
        while given.bit_count() < count:
            parts = [part for core in self.cores if (part := core & available & ~given)]
            part = min(parts, key=int.bit_count)
            given |= self.some(part, 1)
        return given


class OneThreadOfEachCore(Chooser):
    """Packs a NUMA node thread by thread."""

    def of_cores(self, available, count):
        return self.spread(available, count)


class LastPartOfANewCore(Chooser):
    """Begins a core for the odd CPU although one is begun."""

    def of_cores(self, available, count):
        size = max(core.bit_count() for core in self.cores)
        if count % size == 0 or count < size:
            return super().of_cores(available, count)
        given = super().of_cores(available, count - 1)
        fresh = [core & available for core in self.cores if core & available and not core & given]
        return given | self.some(fresh[0] if fresh else available & ~given, 1)


class CountsOfflineCpus(Chooser):
    """Counts CPUs that are offline with those of the first NUMA node."""

    def __init__(self, machine, options):
        super().__init__(machine, options)
        self.nodes[0] |= sum(1 << cpu for cpu in machine.offline)
        self._more = sum(1 << cpu for cpu in machine.offline)

    def taken(self, available, count):
        return super().taken(available | self._more, count)

    def of_cores(self, available, count):
        return (
            super().of_cores(available & ~self._more, count)
            if count <= (available & ~self._more).bit_count()
            else self.some(available, count)
        )


class LosesTheHighestId(Chooser):
    """Ends its loops one CPU early."""

    def offered(self, available):
        offered = super().offered(available)
        top = 1 << (self.machine.online_bits.bit_length() - 1)
        return offered & ~top


class ReservesFromTheTop(Chooser):
    """Reserves one CPU more than it was told on machines with several NUMA nodes."""

    def ascending_cores(self, count):
        return super().ascending_cores(count + (len(self.nodes) > 1))


WRONG_CHOICES = declared(globals(), Chooser)
"""Every wrong chooser by name."""
