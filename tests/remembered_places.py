"""``python -m remembered_places`` in this folder: where each requirement shows is asked anew and written.

Of all places those are taken that together show everything with the fewest scenarios.
"""

from __future__ import annotations

import json
from pathlib import Path

from directly import Directly
from numa_conformance.protocol import ReferenceTarget
from numa_conformance.protocol.features import FEATURES
from numa_conformance.suite.asking import places
from numa_conformance.suite.asking.drive import drive
from numa_conformance.suite.asking.groups import GROUPS, JUDGED
from numa_conformance.suite.checkers.verdicts import judge

VERSION = "1.37"


def shown_at() -> dict[places.Place, set[str]]:
    """Return what each scenario shows of the documented reference; a few dozen seconds of processor time."""
    client, shown = Directly(ReferenceTarget("documented")), dict[places.Place, set[str]]()
    for group in GROUPS.values():
        for scenario in group.scenarios(frozenset(FEATURES), 0):
            history, _ = drive(scenario, client, VERSION)
            place = scenario.generator, scenario.cell, scenario.machine.name
            shown.setdefault(place, set(judge(history).asked))  # of two alike the first is asked
    return shown


def fewest(shown: dict[places.Place, set[str]]) -> dict[str, places.Place]:
    """Return a place for each requirement, always the one that shows most of what is left."""
    chosen, left = dict[str, places.Place](), set(JUDGED).intersection(*[set().union(*shown.values())])
    while left:
        place = max(shown, key=lambda place: len(shown[place] & left))
        chosen.update(dict.fromkeys(shown[place] & left, place))
        left -= shown[place]
    return chosen


def main() -> None:
    """Write the file beside the module that reads it."""
    chosen = fewest(shown_at())
    rows = [f"{json.dumps(name)}: {json.dumps(chosen[name])}" for name in sorted(chosen)]
    file = Path(places.__file__).with_name(places.FILE)
    file.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
