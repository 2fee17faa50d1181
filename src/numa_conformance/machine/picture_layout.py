"""The layout of a machine's picture: boxes of sockets, NUMA nodes, caches and rows of cores, for every writer."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Literal

from ..cpuset import bits_of, iter_bits, union
from .model import Machine

Kind = Literal["socket", "NUMA", "L3", "cores"]


@dataclass(frozen=True, slots=True)
class Box:
    """A part of a machine: a socket, a NUMA node, a cache, or a row of cores; several alike where it is folded.

    ``ids``: their numbers, none of a row. ``is_part``: further CPUs of it are in other boxes. ``boxes`` lie within it.
    ``cores``: those of a row, each as its CPUs, ascending.
    """

    kind: Kind
    ids: tuple[int, ...]
    cpus: int
    is_part: bool = False
    boxes: "tuple[Box, ...]" = ()
    cores: tuple[tuple[int, ...], ...] = ()
    is_folded: bool = False

    @property
    def shape(self) -> Hashable:
        """What is equal for boxes that differ in their numbers alone; of rows the threads of a core."""
        return self.kind, self.is_part, frozenset(map(len, self.cores)), tuple(box.shape for box in self.boxes)

    @property
    def all_boxes(self) -> "Iterator[Box]":
        """The box and all that lie within it."""
        yield self
        for box in self.boxes:
            yield from box.all_boxes

    def ids_within(self, kind: Kind) -> list[int]:
        """Return the numbers of the boxes of a kind that lie within it, ascending."""
        return sorted({number for box in self.all_boxes if box.kind == kind for number in box.ids})


def machine_boxes(machine: Machine, row: int) -> tuple[Box, ...]:
    """Return the outermost boxes, those of NUMA nodes without CPUs last; rows have up to ``row`` cores.

    What hardware nests is nested. Of all orders of sockets, NUMA nodes and caches it is the one with the fewest boxes.
    So a cache holds NUMA nodes where it spans them, and a NUMA node holds sockets. What crosses is in several parts.
    """
    places = {(cpu.socket, cpu.numa, cpu.uncore) for cpu in machine.cpus}
    kinds: tuple[Kind, ...] = ("socket", "NUMA", "L3")

    def pieces(order: Sequence[int]) -> int:
        return sum(len({tuple(place[at] for at in order[:depth]) for place in places}) for depth in (1, 2, 3))

    order = [kinds[at] for at in min(permutations(range(len(kinds))), key=pieces)]
    boxes = _boxes(machine, machine.online_bits, order, row)
    return (*boxes, *(Box("NUMA", (node,), 0) for node, bits in machine.numa_bits.items() if not bits))


def _boxes(machine: Machine, cpus: int, order: Sequence[Kind], row: int) -> tuple[Box, ...]:
    """Return the boxes of CPUs, in the innermost rows of cores: equally long where that can be."""
    if not order:
        cores = [tuple(iter_bits(core & cpus)) for core in machine.core_bits if core & cpus]
        step = -(-len(cores) // -(-len(cores) // row))
        rows = (tuple(cores[at : at + step]) for at in range(0, len(cores), step))
        return tuple(Box("cores", (), bits_of(cpu for core in each for cpu in core), cores=each) for each in rows)
    kind, *inner = order
    whole = {"socket": machine.socket_bits, "NUMA": machine.numa_bits, "L3": machine.uncore_bits}[kind]
    boxes = [
        Box(kind, (number,), bits & cpus, bool(bits & ~cpus), _boxes(machine, bits & cpus, inner, row))
        for number, bits in whole.items()
        if bits & cpus
    ]
    rest = cpus & ~union(box.cpus for box in boxes)
    return (*boxes, *(_boxes(machine, rest, inner, row) if rest else ()))


def folded(boxes: Sequence[Box], state_of: Callable[[Box], Hashable | None]) -> tuple[Box, ...]:
    """Return the boxes with those folded in which nothing differs, if one of the same shape is drawn.

    ``state_of`` returns what is the same in all of a box, None where something differs within it.
    """
    drawn = {box.shape for outer in boxes for box in outer.all_boxes if state_of(box) is None}

    def fold(siblings: Sequence[Box]) -> tuple[Box, ...]:
        result: list[Box] = []
        last: Hashable = None
        for box in siblings:
            shape, state = box.shape, state_of(box)
            alike = shape, state, box.kind == "cores" or box.cpus.bit_count()
            if state is None or (box.cpus and shape not in drawn):
                drawn.add(shape)
                result.append(replace(box, boxes=fold(box.boxes)))
                last = None
                continue
            if alike == last:
                before = result[-1]
                ids, cpus, inner = before.ids + box.ids, before.cpus | box.cpus, before.boxes + box.boxes
                result[-1] = replace(before, ids=ids, cpus=cpus, boxes=inner, is_folded=True)
            else:
                result.append(replace(box, is_folded=box.kind != "cores"))  # one row takes no more than its text
            last = alike
        return tuple(result)

    return fold(boxes)
