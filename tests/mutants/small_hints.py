"""Faults in hints: small allocators that make them, or follow them, with one wrong bound or measure."""

from __future__ import annotations

from small.choosing import Chooser

from .mutant import mutant


@mutant().instead_of(Chooser, "choose")
def packs_without_the_hint(right, self, available, count, near=None):
    """Packs best where no hint said."""
    return right(self, available, count)


@mutant().instead_of(Chooser, "choose")
def hint_is_the_lowest_node(right, self, available, count, near=None):
    """Looks at the first NUMA node of a hint alone, then anywhere."""
    if near is not None:
        near = next(node for node in self.nodes if node & near) if any(n & near for n in self.nodes) else near
    return right(self, available, count, near)


@mutant().instead_of(Chooser, "affinity")
def hint_by_position(right, self, free, count):
    """Takes the number of a NUMA node for its place in the list."""
    nodes, preferred = right(self, free, count)
    known = sorted(self.machine.numa_bits)
    return [known.index(node) for node in nodes], preferred


@mutant().instead_of(Chooser, "choose")
def hint_must_hold_twice(right, self, available, count, near=None):
    """Leaves the hinted NUMA nodes when they hold the request exactly."""
    if near is not None and (self.offered(available) & near).bit_count() == count:
        near = None
    return right(self, available, count, near)


@mutant().instead_of(Chooser, "affinity")
def width_by_free_cpus(right, self, free, count):
    """Counts free CPUs, not all, to learn how many NUMA nodes a request needs."""
    sizes = sorted(((cpus & free).bit_count() for cpus in self.nodes), reverse=True)
    width = self.least(sizes, count)
    able = sorted(
        (node for node, cpus in self.machine.numa_bits.items() if cpus),
        key=lambda node: -(self.machine.numa_bits[node] & free).bit_count(),
    )[:width]
    enough = sum((self.machine.numa_bits[node] & free).bit_count() for node in able) >= count
    return (sorted(able), True) if enough else ([], False)


@mutant().instead_of(Chooser, "width")
def width_by_the_first_node(right, self, count):
    """Divides by the size of the first NUMA node, as though all were alike."""
    return max(1, min(len(self.nodes), -(-count // self.nodes[0].bit_count())))


@mutant().instead_of(Chooser, "width")
def width_by_the_mean(right, self, count):
    """Divides by the mean size of NUMA nodes, those without CPUs included."""
    return max(1, -(-count * len(self.machine.numa_ids) // len(self.machine.cpus)))


@mutant().instead_of(Chooser, "width")
def width_in_cores(right, self, count):
    """Counts cores where CPUs count."""
    sizes = sorted((sum(1 for core in self.cores if core & node) for node in self.nodes), reverse=True)
    return self.least(sizes, count)


@mutant().instead_of(Chooser, "affinity")
def any_width_is_preferred(right, self, free, count):
    """Prefers every set of NUMA nodes that holds the request."""
    nodes, _ = right(self, free, count)
    return nodes, bool(nodes)


@mutant().instead_of(Chooser, "affinity")
def nothing_is_preferred(right, self, free, count):
    """Prefers nothing wider than one NUMA node."""
    nodes, preferred = right(self, free, count)
    return nodes, preferred and len(nodes) == 1


@mutant().instead_of(Chooser, "affinity")
def one_node_too_wide(right, self, free, count):
    """Names one NUMA node too many where there are more."""
    nodes, preferred = right(self, free, count)
    more = [node for node, cpus in self.machine.numa_bits.items() if cpus and node not in nodes]
    return sorted([*nodes, *more[-1:]]), preferred


@one_node_too_wide.instead_of(Chooser, "choose")
def one_node_too_wide(right, self, available, count, near=None):
    return right(self, available, count, near)


@mutant().instead_of(Chooser, "affinity")
def first_set_of_its_width(right, self, free, count):
    """Takes the first NUMA nodes for the hint, free or not."""
    able = [node for node, cpus in sorted(self.machine.numa_bits.items()) if cpus]
    width = self.width(count)
    return able[:width], sum((self.machine.numa_bits[n] & free).bit_count() for n in able[:width]) >= count


@mutant().instead_of(Chooser, "affinity")
def neighbours_only(right, self, free, count):
    """Looks at NUMA nodes that follow each other, as though no other set were one."""
    able = [node for node, cpus in sorted(self.machine.numa_bits.items()) if cpus]
    width = self.width(count)
    for index in range(len(able) - width + 1):
        some = able[index : index + width]
        if sum((self.machine.numa_bits[node] & free).bit_count() for node in some) >= count:
            return some, True
    return [], False


@mutant().instead_of(Chooser, "affinity")
def pairs_only(right, self, free, count):
    """Looks at no more than two NUMA nodes together."""
    nodes, preferred = right(self, free, count)
    return (nodes, preferred) if len(nodes) <= 2 else ([], False)
