"""Which scenario shows a fault, remembered: asked first, it spares a search through thousands.

What is remembered proves nothing: the scenario is asked anew each time, and where it shows nothing (any more) all are
asked. ``python -m measured faults`` in the folder ``tests`` remembers anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

from asked_in_full import DEEP
from directly import OFFERED, Directly, broken_in
from mutants import INSIDE, MUTANTS
from numa_conformance.asking.generators.scenario import Scenario
from numa_conformance.asking.groups import GROUPS, judged, requirements_in
from numa_conformance.chapters import REQUIREMENTS
from planted import mixed

MOST = 300
"""Scenarios of a group in which a mutant's faults are looked for, examples first."""
FILE = Path(__file__).with_suffix(".json")
Where = tuple[str, str, str]
"""A group, a cell and a machine."""


@cache
def _remembered() -> dict[str, dict[str, Where]]:
    """Return by the name of a fault what it breaks, and where."""
    known: dict[str, dict[str, Where]] = json.loads(FILE.read_text(encoding="utf-8"))
    return known


def shown(name: str, make: Callable[[], object]) -> set[str]:
    """Return the requirements that a fault is seen to break where it did so before; none in the deep profile."""
    places = {} if DEEP else _remembered().get(name, {})
    return {requirement for requirement, where in places.items() if _breaks(make, requirement, *where)}


def _breaks(make: Callable[[], object], requirement: str, group: str, cell: str, machine: str) -> bool:
    client = Directly(make())
    found = (
        scenario
        for scenario in _scenarios(group, client.claimed)
        if (scenario.cell, scenario.machine.name) == (cell, machine)
    )
    return any(requirement in broken_in(scenario, client, only={requirement}) for scenario in found)


@cache
def _scenarios(group: str, claimed: frozenset[str]) -> tuple[Scenario, ...]:
    return tuple(GROUPS[group].scenarios(claimed & OFFERED, 0))


def _search(make: Callable[[], object], wanted: set[str], most: int | None) -> dict[str, Where]:
    """Return where what is wanted shows; of each group so many scenarios at most are asked, of all over it."""
    client, found = Directly(make()), dict[str, Where]()
    for group in GROUPS.values():
        if group.surface not in client.description.surfaces or not wanted.intersection(
            requirements_in(group, client.claimed)
        ):
            continue
        scenarios = mixed(_scenarios(group.name, client.claimed))
        for scenario in sorted(scenarios, key=lambda scenario: scenario.generator != "example")[:most]:
            where = (group.name, scenario.cell, scenario.machine.name)
            found = dict.fromkeys(wanted.intersection(broken_in(scenario, client)), where) | found
            if found and (most is None or found.keys() >= wanted):
                return found
    return found


def main() -> None:
    """Search anew for what is not remembered, or not so any more."""
    by_strength = {
        strength: {name for name in judged() if REQUIREMENTS[name].strength == strength}
        for strength in ("MUST", "SHOULD")
    }
    wanted = {name: by_strength[mutant.strength] for name, mutant in INSIDE.items()}
    for name, mutant in MUTANTS.items():
        wanted[name] = set(mutant.breaks).intersection(judged()) if mutant.level == "documented" else set()
    rows = []
    for name in sorted(wanted):
        make = INSIDE.get(name) or MUTANTS[name]
        places = {each: _remembered()[name][each] for each in shown(name, make)}
        if not places or (name in MUTANTS and wanted[name] - places.keys()):
            places |= _search(make, wanted[name] - places.keys(), MOST if name in MUTANTS else None)
        if places:
            rows.append(f"{json.dumps(name)}: {json.dumps(places)}")
            FILE.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
