"""Lives: short scripts that provoke what chance rarely draws. Each stands in the chapter whose sentence it provokes.

A life yields what tells its scenarios: a cell, the machine as it is equipped, and the script that asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from ...machine import Machine
from .scenario import Scenario, Script, or_the_catalogue

Machines = Sequence[Machine] | None
Lives = Iterator[tuple[str, Machine, Callable[[], Script]]]


@dataclass(frozen=True, slots=True)
class LifeContext:
    """What a life knows beside its machine: what is claimed, how many machines had it before, the seed of the run."""

    claimed: frozenset[str]
    number: int
    seed: int


LIVES: list[Callable[[frozenset[str], Machines, int], Iterator[Scenario]]] = []
"""Every life; chapters add theirs when they are imported."""


def life(
    *needed: str, suits: Callable[[Machine], bool], on: int | None = None, generator: str = "walk"
) -> Callable[[Callable[[Machine, LifeContext], Lives]], Callable[[Machine, LifeContext], Lives]]:
    """Declare a life: what a target must claim, which machines suit, and of how many of these it is asked."""

    def declare(made: Callable[[Machine, LifeContext], Lives]) -> Callable[[Machine, LifeContext], Lives]:
        def scenarios(claimed: frozenset[str], machines: Machines, seed: int) -> Iterator[Scenario]:
            able = islice(filter(suits, or_the_catalogue(machines)), on) if claimed.issuperset(needed) else ()
            for number, machine in enumerate(able):
                for cell, equipped, script in made(machine, LifeContext(claimed, number, seed)):
                    yield Scenario(generator, cell, equipped, script, seed)

        LIVES.append(scenarios)
        return made

    return declare


def example(*needed: str) -> Callable[[Callable[[frozenset[str]], Lives]], Callable[[frozenset[str]], Lives]]:
    """Declare a life on machines of its choice, beside those of the pages."""

    def declare(made: Callable[[frozenset[str]], Lives]) -> Callable[[frozenset[str]], Lives]:
        def scenarios(claimed: frozenset[str], _machines: Machines, _seed: int) -> Iterator[Scenario]:
            for about, machine, script in made(claimed) if claimed.issuperset(needed) else ():
                yield Scenario("example", f"node, {about}", machine, script)

        LIVES.append(scenarios)
        return made

    return declare


def lives(claimed: frozenset[str], machines: Machines = None, seed: int = 0) -> Iterator[Scenario]:
    """Yield every life within what a target claims, on the machines that alone are asked if there are such."""
    for scenarios in LIVES:
        yield from scenarios(claimed, machines, seed)
