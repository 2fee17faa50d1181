"""Sweeps of ``pick``: every kind of count, option set and state of use, over the machines of the catalogue."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations

from ...cpuset import MAX_ID, bits_of, format_bits, iter_bits
from ...judging.choice import numa_cpus
from ...machine import Machine
from ...sources.options import CHOOSING, STATIC_OPTIONS
from .scenario import Question, Scenario, Script, ask_all, or_the_catalogue


def renumber(machine: Machine, mapping: Mapping[int, int]) -> Machine:
    """Return the machine with CPU ``i`` called ``mapping[i]``; ids the mapping leaves out keep their number.

    Raises ``ValueError`` when two CPUs, online or offline, would get one number, or a number is out of range.
    """
    old = [cpu.id for cpu in machine.cpus] + list(machine.offline)
    new = [mapping.get(number, number) for number in old]
    if len(set(new)) < len(new):
        raise ValueError("the mapping gives one number to two CPUs")
    if not all(0 <= number <= MAX_ID for number in new):
        raise ValueError(f"the mapping gives a number outside 0..{MAX_ID}")
    cpus = (replace(cpu, id=mapping.get(cpu.id, cpu.id)) for cpu in machine.cpus)
    return replace(
        machine,
        cpus=tuple(sorted(cpus, key=lambda cpu: cpu.id)),
        offline=tuple(sorted(mapping.get(number, number) for number in machine.offline)),
    )


SMALL = 32
MOST_CPUS = 128
"""Larger machines are left to the deep profile: a question carries the machine."""
MOST_NODES = 16
"""NUMA nodes whose sets can be gone through one by one in the time that a target has."""
MOST_COUNTS = 14
"""Counts that a machine is asked: each where it has fewer CPUs, else first those around the sizes of its groups."""


def _option_sets() -> Iterator[tuple[str, ...]]:
    options = [STATIC_OPTIONS[name] for name in CHOOSING]
    for size in range(len(options) + 1):
        for together in combinations(options, size):
            refused = {name for option in together for name in (*option.excludes, *option.refused_with)}
            names = tuple(option.name for option in together)
            if refused.isdisjoint(names):
                yield names


OPTION_SETS: tuple[tuple[str, ...], ...] = tuple(_option_sets())
"""Every option of the static policy alone, and every set of them that may be on together and differs in a choice."""
UNTOUCHED = "empty"
IN_USE = ("one CPU taken", "a third of the cores taken", "some threads taken", "one NUMA node left")


def pick_sweep(
    machines: Sequence[Machine] | None, options: Sequence[frozenset[str]], *, counts: int, seed: int = 0
) -> Iterator[Scenario]:
    """Yield scenarios for each machine and option set, of up to ``counts`` counts.

    The machine is untouched every other time, in use else; both without options. Small machines are asked every
    count, and some have their CPUs renumbered; larger ones are asked counts around the sizes of their groups, and some
    by lot.
    """
    known = frozenset().union(*options)
    for place, plain in enumerate(or_the_catalogue(machines, MOST_CPUS)):
        for index, names in enumerate(filter(partial(_may_be_asked, plain), options)):
            drawn = random.Random(f"{seed} {plain.name} {sorted(names)}").sample(IN_USE, 1)
            drawn = [UNTOUCHED, *drawn] if not names else drawn if (place + index) % 2 else [UNTOUCHED]
            for turn, state in enumerate(drawn, place + index):
                cell = f"pick {'+'.join(sorted(names)) or 'no option'}, {state}"
                lot = random.Random(f"{seed} {plain.name} {cell}")
                machine = shuffled(plain, lot) if turn % 2 and len(plain.cpus) <= SMALL else plain
                yield Scenario("sweep", cell, machine, _Questions(machine, names, state, counts, known, lot), seed)


@dataclass(frozen=True)
class _Questions:
    """The questions of a scenario, drawn once it is asked: a part of all needs few."""

    machine: Machine
    options: frozenset[str]
    state: str
    counts: int
    known: frozenset[str]
    lot: random.Random

    @cached_property
    def questions(self) -> list[Question]:
        machine, names, lot = self.machine, self.options, self.lot
        free = available(machine, self.state, lot)
        every = [_question(free, count, names) for count in _counts(machine, free.bit_count(), self.counts, lot)]
        every += [_hinted(machine, free, names, lot, preferred=turn != 1) for turn in range(2)]
        off = sorted(self.known - names)
        return [_with_off(question, lot.sample(off, min(len(off), lot.randint(0, 2)))) for question in every]

    def __call__(self) -> Script:
        return ask_all(self.questions)


def _may_be_asked(machine: Machine, options: frozenset[str]) -> bool:
    """Tell whether a node comes up with these options, and answers in time.

    It does not come up with align-by-socket on more sockets than NUMA nodes. With distribute-cpus-across-numa the
    kubelet may go through all sets of NUMA nodes.
    """
    nodes = numa_cpus(machine)
    if "distribute-cpus-across-numa" in options and len(nodes) > MOST_NODES:
        return False
    return "align-by-socket" not in options or len(machine.socket_bits) <= len(nodes)


def shuffled(machine: Machine, lot: random.Random) -> Machine:
    """Return the machine with its CPUs renumbered by lot: ids tell nothing of cores, NUMA nodes and sockets."""
    ids = [cpu.id for cpu in machine.cpus]
    twin = renumber(machine, dict(zip(ids, lot.sample(ids, len(ids)), strict=True)))
    return replace(twin, name=f"{machine.name}, renumbered")


def available(machine: Machine, state: str, lot: random.Random) -> int:
    """Return what is free in a state of use."""
    online = machine.online_bits
    match state:
        case "one CPU taken":
            return online & (online - 1)
        case "a third of the cores taken":
            return online & ~sum(machine.core_bits[::3])
        case "some threads taken":
            return online & ~bits_of(cpu for cpu in iter_bits(online) if lot.random() < 0.25)
        case "one NUMA node left":
            return lot.choice(numa_cpus(machine))
        case _:
            return online


def sizes_of_groups(machine: Machine) -> set[int]:
    """Return how many CPUs its cores, uncore caches, NUMA nodes and sockets have."""
    groups = (*machine.core_bits, *machine.uncore_bits.values(), *machine.numa_bits.values())
    return {group.bit_count() for group in (*groups, *machine.socket_bits.values())} - {0}


def _counts(machine: Machine, free: int, most: int, lot: random.Random) -> list[int]:
    if free + 2 <= most:
        return list(range(free + 2))
    near = {size + step for size in sizes_of_groups(machine) for step in (-1, 0, 1)} | {3, free}
    telling = sorted(count for count in near if 2 < count <= free)
    lot.shuffle(telling)
    few = [0, 1, 2, free + 1]
    rest = [count for count in range(3, free + 1) if count not in near]
    return sorted(few + telling[: most - most // 4 - len(few)] + lot.sample(rest, min(len(rest), most // 4)))


def _question(
    free: int, count: int, names: frozenset[str], nodes: Sequence[int] | None = None, *, preferred: bool = True
) -> Question:
    params: dict[str, object] = {
        "available": format_bits(free),
        "count": count,
        "options": dict.fromkeys(sorted(names), True),
    }
    if nodes is not None:
        params["affinity"] = {"nodes": sorted(nodes), "preferred": preferred}
    return "pick", params


def _with_off(question: Question, off: Sequence[str]) -> Question:
    """Name options that are off, which is as if they were not named."""
    method, params = question
    return method, {**params, "options": {**params["options"], **dict.fromkeys(off, False)}}


def _hinted(
    machine: Machine, free: int, names: frozenset[str], lot: random.Random, *, preferred: bool = True
) -> Question:
    """Ask for what the NUMA nodes of a hint can hold."""
    nodes = [node for node, cpus in machine.numa_bits.items() if cpus & free]
    if not nodes:
        return _question(free, 1, names)
    hinted = lot.sample(nodes, lot.randint(1, min(3, len(nodes))))
    room = sum(machine.numa_bits[node] & free for node in hinted).bit_count()
    return _question(free, lot.randint(1, room), names, hinted, preferred=preferred)
