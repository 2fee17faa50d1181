"""``python -m measured places`` in this folder: where each requirement shows is asked anew and written.

Of all places those are taken that together show everything, cheaply.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from directly import Directly
from numa_conformance.asking import rarest as places
from numa_conformance.asking.drive import drive
from numa_conformance.asking.groups import GROUPS, judged
from numa_conformance.judging.verdicts import judge
from numa_conformance.lab.kubelet.target import CLAIMED, untold_fields
from numa_conformance.reference.target import Level, ReferenceTarget
from numa_conformance.sources.versions import NEWEST
from numa_conformance.wire.features import FEATURES
from numa_conformance.wire.messages import SURFACES

CLAIMS = {
    "all": ("documented", SURFACES, frozenset(FEATURES), frozenset[str](), {}),
    "a kubelet's": (
        "exact",
        {"node"},
        CLAIMED,
        untold_fields(NEWEST),
        {"node.start": 0.3, "node.restart": 0.5, "node.admit": 0.06, "node.remove": 0.1},
    ),
}
"""Of a target with everything, and of a node seen from outside: level, surfaces, features, fields that are not told,
and what questions cost beside a cost of their own, in seconds."""
Shown = dict[places.Place, tuple[float, set[str]]]
"""What a scenario costs, and the requirements that it asks."""


class Untelling(Directly):
    """Leaves fields out of the reference's answers."""

    def __init__(self, level: Level, untold: Collection[str]) -> None:
        super().__init__(ReferenceTarget(level))
        self._untold = untold

    def call(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        return self._without(super().call(method, params))  # type: ignore[no-any-return]

    def _without(self, told: Any) -> Any:
        if isinstance(told, list):
            return [self._without(each) for each in told]
        if isinstance(told, dict):
            return {name: self._without(value) for name, value in told.items() if name not in self._untold}
        return told


def shown_at(
    level: Level,
    surfaces: Collection[str],
    claimed: Collection[str],
    untold: Collection[str],
    costs: Mapping[str, float],
) -> Shown:
    """Return what each scenario shows of the reference; a few dozen seconds of processor time."""
    client, shown = Untelling(level, untold), Shown()
    for group in (each for each in GROUPS.values() if each.surface in surfaces):
        for scenario in group.scenarios(frozenset(claimed), 0):
            history, _ = drive(scenario, client, str(NEWEST))
            place = scenario.generator, scenario.cell, scenario.machine.name
            cost = 0.1 + sum(costs.get(step.method, 0.0) for step in history.steps)
            shown.setdefault(place, (cost, set(judge(history).tests)))  # of two alike the first is asked
    return shown


def cheapest(shown: Shown) -> dict[str, places.Place]:
    """Return a place for each requirement, always the one that shows most of what is left for what it costs."""
    chosen, left = dict[str, places.Place](), set(judged()) & set().union(*(each for _, each in shown.values()))
    while left:
        place = max(shown, key=lambda place: len(shown[place][1] & left) / shown[place][0])
        chosen.update(dict.fromkeys(shown[place][1] & left, place))
        left -= shown[place][1]
    return chosen


def main() -> None:
    """Write the file beside the module that reads it."""
    chosen = [cheapest(shown_at(*claims)) for claims in CLAIMS.values()]
    rows = (
        f"{json.dumps(name)}: {json.dumps([*dict.fromkeys(one[name] for one in chosen if name in one)])}"
        for name in sorted(set().union(*chosen))
    )
    file = Path(places.__file__).with_name(places.FILE)
    file.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
