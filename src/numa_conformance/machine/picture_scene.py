"""What a picture shows on a machine: who has which CPUs, memory, huge pages and devices, each with a symbol."""

import string
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

from ..cpuset import Unchecked, bits_of, format_bits, iter_bits, union
from ..printable import listed
from .compact import UNITS
from .model import Device, Machine, MemoryNode
from .picture_layout import Box, folded, machine_boxes

FREE = "-"
_FIXED = {"reserved": "R", "shared": "."}
_MARKS = "XYZ"
_LETTERS = string.ascii_lowercase + "".join(sorted(set(string.ascii_uppercase) - {"R", *_MARKS}))
_HUES = 8
_DRAWN = 512
"""CPUs of a machine up to which boxes of one owner are drawn."""
_MOST_DEVICES = 4
"""Devices of a resource in a NUMA node of which free ones are named; of more there is the number of free ones."""
_MOST_PARTS = 12
"""Parts of owners that a line names."""
_LONGEST_LIST = 40
"""Characters of a list of CPUs that stands in a caption."""


@dataclass(frozen=True, slots=True)
class Amounts:
    """What an owner has next to CPUs.

    ``memory``: type as Kubernetes writes it (``memory``, ``hugepages-2Mi``), NUMA nodes, bytes. ``devices``: resource
    to device ids.
    """

    memory: Sequence[tuple[str, Sequence[Unchecked], int]] = ()
    devices: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def of_answer(cls, holding: Mapping[str, Any]) -> "Amounts":
        """Return them of what a target says that a container holds; raises as ``int`` and look-ups do."""
        blocks, devices = holding.get("memory") or (), (holding.get("devices") or {}).items()
        memory = [(str(block["type"]), [*map(int, block["nodes"])], int(block["bytes"])) for block in blocks]
        return cls(memory, {str(resource): [*map(str, ids)] for resource, ids in devices})


class Stock(NamedTuple):
    """Memory, pages of one size or devices of one resource in a NUMA node: how much, and the parts of owners."""

    name: str
    total: int
    parts: list[tuple[str, int]]
    text: str
    is_held: bool


def owner_symbols(labels: Iterable[str]) -> dict[str, str]:
    """Give each owner a symbol, in the order given: ``R`` and ``.`` for reserved and shared, else a letter.

    Beyond the letters there are numbers, in round brackets.
    """
    named = list(labels)
    others = (label for label in named if label not in _FIXED)
    letters = {label: _LETTERS[at] if at < len(_LETTERS) else f"({at + 1})" for at, label in enumerate(others)}
    return {label: _FIXED.get(label) or letters[label] for label in named}


def differing(first: Mapping[str, int], other: Mapping[str, int]) -> int:
    """Return the CPUs that have other owners in one than in the other, apart from those that are only shared."""
    return union(first.get(label, 0) ^ other.get(label, 0) for label in (first.keys() | other.keys()) - {"shared"})


@dataclass(frozen=True)
class Scene:
    """A machine with ``owners`` of CPUs (bits), further CPUs by what they are (``marks``), and amounts by owner.

    ``shown``: CPUs whose boxes are never folded.
    """

    machine: Machine
    owners: Mapping[str, int]
    amounts: Mapping[str, Amounts] = field(default_factory=dict)
    marks: Mapping[str, int] = field(default_factory=dict)
    shown: int = 0

    @cached_property
    def symbols(self) -> dict[str, str]:
        """The symbol of each owner, then of each mark: ``X``, ``Y``, ``Z``, else a number with a ``!``."""
        marks = {label: _MARKS[at] if at < len(_MARKS) else f"({at + 1}!)" for at, label in enumerate(self.marks)}
        return {**owner_symbols(dict.fromkeys([*self.owners, *self.amounts])), **marks}

    @cached_property
    def labels(self) -> dict[int, tuple[str, ...]]:
        """The owners and marks of each CPU that has any."""
        labels: dict[int, tuple[str, ...]] = {}
        for label, bits in (*self.owners.items(), *self.marks.items()):
            for cpu in iter_bits(bits):
                labels[cpu] = (*labels.get(cpu, ()), label)
        return labels

    @cached_property
    def colours(self) -> dict[str, str]:
        """The colour of each owner: ``R``, none of the shared pool, else one of eight, which more owners share."""
        plain = [label for label in self.symbols if label not in _FIXED and label not in self.marks]
        return {"reserved": "cR"} | {label: f"c{at % _HUES}" for at, label in enumerate(plain)}

    @property
    def remarks(self) -> list[str]:
        """What is in no box: CPUs that are offline, and those of owners that are not online."""
        strangers = format_bits(union((*self.owners.values(), *self.marks.values())) & ~self.machine.online_bits)
        offline = format_bits(bits_of(self.machine.offline))
        lines = f"offline: {offline}", f"not online, and yet given away: {strangers}"
        return [line for line, cpus in zip(lines, (offline, strangers), strict=True) if cpus]

    def symbols_of(self, labels: Sequence[str]) -> str:
        """Return the symbols of a CPU or device, those of several owners in square brackets; empty for none."""
        text = "".join(self.symbols[label] for label in labels)
        return text if len(labels) < 2 else f"[{text}]"

    def boxes(self, row: int, fold: int | None) -> tuple[Box, ...]:
        """Return the boxes; those of a machine of more than ``fold`` CPUs folded where nothing differs."""
        boxes = machine_boxes(self.machine, row)
        return boxes if fold is None or len(self.machine.cpus) <= fold else folded(boxes, self._state)

    def _state(self, box: Box) -> Hashable | None:
        """Return what is the same in all of a box, None where something differs within it."""
        labels = {self.labels.get(cpu, ()) for cpu in iter_bits(box.cpus)}
        stocks = [stock for node in box.ids_within("NUMA") for stock in self.stocks[node]]
        is_owned = labels - {(), ("shared",)} and not self.shown and len(self.machine.cpus) <= _DRAWN
        if len(labels) > 1 or is_owned or box.cpus & self.shown or any(stock.is_held for stock in stocks):
            return None
        amounts = {(stock.name, min(stock.total, 1) if stock.name == "memory" else stock.total) for stock in stocks}
        return frozenset(labels), frozenset(amounts)

    @cached_property
    def memory(self) -> dict[int, MemoryNode]:
        """The memory of each NUMA node."""
        unknown = (MemoryNode(node, None) for node in self.machine.numa_ids)
        return {memory.node: memory for memory in (*unknown, *self.machine.memory)}

    def stocks_in(self, box: Box) -> list[Stock]:
        """Return what a box of a NUMA node has, none of others; of a node in several parts the first has it."""
        cpus = self.machine.numa_bits[box.ids[0]] if box.kind == "NUMA" else 0
        return self.stocks[box.ids[0]] if box.kind == "NUMA" and not (cpus & -cpus) & ~box.cpus else []

    @cached_property
    def stocks(self) -> dict[int, list[Stock]]:
        """The memory of each NUMA node, huge pages included, then its pages by size, then its devices."""
        return {node: [*self._memory_stocks(node), *self.devices(node)] for node in self.memory}

    def _memory_stocks(self, node: int) -> Iterator[Stock]:
        memory = self.memory[node]
        totals = {"memory": memory.memory}
        for size, count in sorted(memory.hugepages.items(), key=lambda pages: _page_bytes(pages[0])):
            totals[f"hugepages-{size}"] = count * _page_bytes(size)
        held: dict[str, list[tuple[str, int, Sequence[Unchecked]]]] = {name: [] for name in totals}
        for label, amounts in self.amounts.items():
            for name, nodes, number in amounts.memory:
                if node in nodes and number > 0:
                    held.setdefault(name, []).append((label, number, nodes))
        for name, parts in held.items():
            words = [f"{self.symbols[label]} {size_text(number)}{_others(nodes)}" for label, number, nodes in parts]
            total, title = totals.get(name), name.removeprefix("hugepages-") + " pages" * (name != "memory")
            text = f"no {title}" if total == 0 else f"{title} {'unknown' if total is None else size_text(total)}"
            text = f"{text}: {listed(words, _MOST_PARTS)}" if words else text
            # Of what lies on several NUMA nodes nobody knows the part on each.
            known = [(label, number) for label, number, nodes in parts if len(nodes) == 1]
            yield Stock(title, total or 0, known, text, bool(words))

    @cached_property
    def _holders(self) -> Mapping[tuple[str, str], tuple[str, ...]]:
        holders: dict[tuple[str, str], tuple[str, ...]] = defaultdict(tuple)
        for label, amounts in self.amounts.items():
            for resource, ids in amounts.devices.items():
                for each in ids:
                    holders[resource, each] += (label,)
        return holders

    def devices(self, node: int | None) -> list[Stock]:
        """Return the devices of a NUMA node by resource; of None those that name no NUMA node of the machine."""
        by_resource: dict[str, list[Device]] = {}
        for device in self.machine.devices:
            known = self.memory.keys() & {*device.numa}
            if node in known or (node is None and not known):
                by_resource.setdefault(device.resource, []).append(device)
        return [self._stock(resource, devices) for resource, devices in sorted(by_resource.items())]

    def _stock(self, resource: str, devices: Sequence[Device]) -> Stock:
        held = [(device, self._holders[resource, device.id]) for device in devices]
        free = [device for device, holders in held if device.healthy and not holders]
        counted = set(free if len(devices) > _MOST_DEVICES else ())
        words = [
            f"{each.id}{_others(each.numa)}{' unhealthy' * (not each.healthy)} {self.symbols_of(holders)}".rstrip()
            for each, holders in held
            if each not in counted
        ]
        words += [f"{len(counted)} free"] if counted else []
        text = f"{resource}: {listed(words, _MOST_PARTS)}"
        parts = [(holders[0], 1) for _, holders in held if holders]
        return Stock(resource, len(devices), parts, text, len(free) < len(devices))

    def name(self, box: Box) -> str:
        """Return the name of a box, such as ``NUMA 1-3`` or ``L3 0 (part)``; empty for a row."""
        numbers = ",".join(map(str, box.ids)) if min(box.ids, default=0) < 0 else format_bits(bits_of(box.ids))
        return "" if box.kind == "cores" else f"{box.kind} {numbers}{' (part)' if box.is_part else ''}"

    def caption(self, box: Box) -> str:
        """Return what is in a folded box, such as ``32 CPUs free, 62.9Gi``; what is in each where it is several."""
        several = max(1, len(box.ids))
        number, nodes = box.cpus.bit_count() // several, box.ids_within("NUMA")
        labels = [self.labels.get(cpu, ()) for cpu in iter_bits(box.cpus)]
        who = f" of {' and '.join(labels[0])}" if any(labels[:1]) else " free" if self.symbols else ""
        who = who if len(set(labels)) < 2 else f", {labels.count(())} free"
        parts = [f"{number} CPU{'s' * (number != 1)}{who}" if number else "no CPUs"]
        sizes = [size for node in nodes if (size := self.memory[node].memory) is not None]
        memory = "-".join(dict.fromkeys(map(size_text, (min(sizes), max(sizes))))) if sizes else ""
        if nodes and box.kind != "NUMA":
            each = " each" if nodes[1:] else ""
            memory = f"NUMA {format_bits(bits_of(nodes))} of {memory or 'unknown memory'}{each}"
        devices = Counter(device.resource for node in nodes for device in self.machine.devices if node in device.numa)
        parts += [memory, *(f"{count // several} {resource}" for resource, count in devices.items())]
        cpus = format_bits(box.cpus)
        return ", ".join(filter(None, parts)) + (f" ({cpus})" if 0 < len(cpus) <= _LONGEST_LIST else "")


def scenes_of(
    machine: Machine,
    sides: Mapping[str, tuple[Mapping[str, int], Mapping[str, Amounts]]],
    marks: Mapping[str, int] | None = None,
) -> dict[str, Scene]:
    """Return scenes to compare, by their headings: an owner has one symbol in all, and what differs is not folded."""
    labels = dict.fromkeys(label for owners, amounts in sides.values() for label in (*owners, *amounts))
    shown = union(differing(first, other) for first, other in pairwise([owners for owners, _ in sides.values()]))
    return {
        heading: Scene(machine, {label: owners.get(label, 0) for label in labels}, amounts, marks or {}, shown)
        for heading, (owners, amounts) in sides.items()
    }


def size_text(number: int) -> str:
    """Return bytes as Kubernetes writes them, rounded: ``62.8Gi``."""
    unit, name = (2**30, "Gi") if number >= 2**30 else (2**20, "Mi")
    return f"{f'{number / unit:.1f}'.removesuffix('.0')}{name}" if number else "no memory"


def _page_bytes(size: str) -> int:
    return int(size[:-2]) * UNITS[size[-2:]]


def _others(nodes: Sequence[Unchecked]) -> str:
    return f" ({','.join(map(str, nodes))})" if nodes[1:] else ""
