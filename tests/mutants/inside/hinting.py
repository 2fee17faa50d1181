"""Faults in hints: small allocators that make them, or follow them, with one wrong bound or measure."""

from __future__ import annotations

from small.choosing import Chooser

from .declared import declared

__all__ = ["WRONG_HINTS"]


class ForgetsTheHint(Chooser):
    """Packs best where no hint said."""

    def choose(self, available, count, near=None):
        return super().choose(available, count)


class HintIsTheLowestNode(Chooser):
    """Looks at the first NUMA node of a hint alone, then anywhere."""

    def choose(self, available, count, near=None):
        if near is not None:
            near = next(node for node in self.nodes if node & near) if any(n & near for n in self.nodes) else near
        return super().choose(available, count, near)


class HintByPosition(Chooser):
    """Takes the number of a NUMA node for its place in the list."""

    def affinity(self, free, count):
        nodes, preferred = super().affinity(free, count)
        known = sorted(self.machine.numa_bits)
        return [known.index(node) for node in nodes], preferred


class HintMustHoldTwice(Chooser):
    """Leaves the hinted NUMA nodes when they hold the request exactly."""

    def choose(self, available, count, near=None):
        if near is not None and (self.offered(available) & near).bit_count() == count:
            near = None
        return super().choose(available, count, near)


class WidthByFreeCpus(Chooser):
    """Counts free CPUs, not all, to learn how many NUMA nodes a request needs."""

    def affinity(self, free, count):
        sizes = sorted(((cpus & free).bit_count() for cpus in self.nodes), reverse=True)
        width = self.least(sizes, count)
        able = sorted(
            (node for node, cpus in self.machine.numa_bits.items() if cpus),
            key=lambda node: -(self.machine.numa_bits[node] & free).bit_count(),
        )[:width]
        enough = sum((self.machine.numa_bits[node] & free).bit_count() for node in able) >= count
        return (sorted(able), True) if enough else ([], False)


class WidthByTheFirstNode(Chooser):
    """Divides by the size of the first NUMA node, as though all were alike."""

    def width(self, count):
        return max(1, min(len(self.nodes), -(-count // self.nodes[0].bit_count())))


class WidthByTheMean(Chooser):
    """Divides by the mean size of NUMA nodes, those without CPUs included."""

    def width(self, count):
        return max(1, -(-count * len(self.machine.numa_ids) // len(self.machine.cpus)))


class WidthInCores(Chooser):
    """Counts cores where CPUs count."""

    def width(self, count):
        sizes = sorted((sum(1 for core in self.cores if core & node) for node in self.nodes), reverse=True)
        return self.least(sizes, count)


class AnyWidthIsPreferred(Chooser):
    """Prefers every set of NUMA nodes that holds the request."""

    def affinity(self, free, count):
        nodes, _ = super().affinity(free, count)
        return nodes, bool(nodes)


class NothingIsPreferred(Chooser):
    """Prefers nothing wider than one NUMA node."""

    def affinity(self, free, count):
        nodes, preferred = super().affinity(free, count)
        return nodes, preferred and len(nodes) == 1


class OneNodeTooWide(Chooser):
    """Names one NUMA node too many where there are more."""

    def affinity(self, free, count):
        nodes, preferred = super().affinity(free, count)
        more = [node for node, cpus in self.machine.numa_bits.items() if cpus and node not in nodes]
        return sorted([*nodes, *more[-1:]]), preferred

    def choose(self, available, count, near=None):
        return super().choose(available, count, near)


class FirstSetOfItsWidth(Chooser):
    """Takes the first NUMA nodes for the hint, free or not."""

    def affinity(self, free, count):
        able = [node for node, cpus in sorted(self.machine.numa_bits.items()) if cpus]
        width = self.width(count)
        return able[:width], sum((self.machine.numa_bits[n] & free).bit_count() for n in able[:width]) >= count


class NeighboursOnly(Chooser):
    """Looks at NUMA nodes that follow each other, as though no other set were one."""

    def affinity(self, free, count):
        able = [node for node, cpus in sorted(self.machine.numa_bits.items()) if cpus]
        width = self.width(count)
        for index in range(len(able) - width + 1):
            some = able[index : index + width]
            if sum((self.machine.numa_bits[node] & free).bit_count() for node in some) >= count:
                return some, True
        return [], False


class PairsOnly(Chooser):
    """Looks at no more than two NUMA nodes together."""

    def affinity(self, free, count):
        nodes, preferred = super().affinity(free, count)
        return (nodes, preferred) if len(nodes) <= 2 else ([], False)


WRONG_HINTS = declared(globals(), Chooser)
"""Every wrong chooser by name."""
