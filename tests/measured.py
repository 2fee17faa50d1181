"""``python -m measured [NAME...]`` in this folder: what is measured and kept as JSON is measured anew and written.

What is kept proves nothing. Where it only spares a search, tests tell what is stale and pass (``hint``); what a run or
a page tells from it must hold. Names, all of them by default:

- ``questions``: how many questions a whole run asks, and how long judging takes (``plugin/expectation.json``)
- ``places``: which scenarios show a requirement (``asking/requirement_index.json``)
- ``faults``: which scenario shows a planted fault (``shown_by.json``)
- ``departures``: by which quirks the kubelet does not meet a requirement (``judging/departures.json``): the whole
  suite is asked of every version, one to four minutes each. ``--reports FOLDER`` keeps the reports, and takes those
  that are there.
- ``releases``: the requirements that are new in the release to come (``judging/releases.json``), when it is made; not
  by default
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import defaultdict
from collections.abc import Collection, Sized
from pathlib import Path

import pytest

import departing
import remembered_places
import shown_by
from numa_conformance.asking.drive import drive
from numa_conformance.asking.groups import ALL, GROUPS
from numa_conformance.chapters import REQUIREMENTS
from numa_conformance.judging import releases
from numa_conformance.judging.verdicts import judge
from numa_conformance.plugin import expectation
from numa_conformance.sources.versions import NEWEST

KINDS = ("questions", "starts", "seconds", "groups")


def hint(name: str, differences: Sized) -> None:
    """Skip a test with what to do, where what is kept is not what is measured now."""
    if differences:
        pytest.skip(f"{name}: {len(differences)} are measured otherwise now: cd tests && python -m measured {name}")


def questions() -> dict[str, dict[str, int]]:
    """Return by surface how many questions, starts apart, a whole run asks; seconds of judging; what groups cost."""
    client = remembered_places.Untelling("documented", ())
    counted: dict[str, dict[str, float]] = {kind: defaultdict(float) for kind in KINDS}
    for group in GROUPS.values():
        for scenario in group.scenarios(ALL, 0):
            began = time.process_time()
            history, _ = drive(scenario, client, str(NEWEST))
            driven = time.process_time()
            starts = sum(map(expectation.is_start, history.steps))
            counted["starts"][group.surface] += starts
            counted["questions"][group.surface] += len(history.steps) - starts
            judge(history)
            counted["seconds"]["judging"] += time.process_time() - driven
            counted["groups"][group.name] += 1000 * (time.process_time() - began)
    return {kind: {name: round(number) for name, number in each.items() if number} for kind, each in counted.items()}


def main(names: Collection[str], reports: Path) -> None:
    """Measure, and write the files beside the modules that read them."""
    if "questions" in names:
        expectation.FILE.write_text(json.dumps(questions(), indent=1) + "\n", encoding="utf-8")
    if "places" in names:
        remembered_places.main()
    if "faults" in names:
        shown_by.main()
    if "departures" in names:
        departing.main(reports)
    if "releases" in names:
        written = json.loads(releases.FILE.read_text(encoding="utf-8"))
        listed = {id for each in written.values() for id in each["new"]}
        written[releases.NEXT]["new"] += [id for id in REQUIREMENTS if id not in listed]
        releases.FILE.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    every = ("questions", "places", "faults", "departures")
    parser = argparse.ArgumentParser(prog="measured", description="Measure anew what is kept as JSON.")
    parser.add_argument("names", nargs="*", metavar="NAME", choices=(*every, "releases", "all"), default="all")
    parser.add_argument("--reports", type=Path, help="where reports of departures are kept")
    typed = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        main(every if "all" in typed.names else typed.names, typed.reports or Path(folder))
