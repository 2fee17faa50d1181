"""``python -m headings``: whether the first heading of a report is a sentence that a mutant was made to break.

Every mutant at the boundary that breaks a MUST is asked conversations of all groups, mixed alike for all, until some
show it. The headings are then in the order of a report. ``--save`` keeps what came of the conversations, ``--from``
orders the headings anew without asking.
"""

from __future__ import annotations

import argparse
import pickle
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from directly import Directly
from mutants import MUTANTS
from numa_conformance.asking.drive import drive
from numa_conformance.asking.groups import GROUPS, judged
from numa_conformance.asking.outcomes import GroupOutcome, broken_first_in, times_broken
from numa_conformance.chapters import REQUIREMENTS
from numa_conformance.judging.verdicts import ANSWERED, judge
from numa_conformance.report.case import Case
from numa_conformance.report.text import rank
from planted import mixed

MUST = frozenset(name for name in judged() if REQUIREMENTS[name].strength == "MUST")
MOST = 1200
"""Conversations that a mutant is asked at most."""


def demanded(name: str) -> frozenset[str]:
    """Return the ids of what is demanded of a mutant, which claims the features that it has."""
    claimed = Directly(MUTANTS[name]()).claimed
    return frozenset(id for id in MUST if claimed.issuperset(REQUIREMENTS[id].features))


def asked(name: str, enough: int) -> GroupOutcome:
    """Ask a mutant until so many conversations break a MUST, and return what came of it."""
    client, outcome = Directly(MUTANTS[name]()), GroupOutcome()
    groups = [group for group in GROUPS.values() if group.surface in client.description.surfaces]
    scenarios = mixed(scenario for group in groups for scenario in group.scenarios(client.claimed, 0))
    shown, musts = 0, demanded(name)
    for scenario in scenarios[:MOST]:
        history, fault = drive(scenario, client, "1.37")  # type: ignore[arg-type]  # Directly answers as a client does
        verdicts = judge(history)
        verdicts.held_back.clear()
        outcome.verdicts.add(verdicts)
        if fault is not None:
            outcome.ended.append((history, fault))
        shown += not musts.isdisjoint(verdicts.unmet)
        if shown == enough:
            break
    return outcome


def headings(mutant: str, outcome: GroupOutcome) -> list[str]:
    """Return what is demanded of a mutant and not met, in the order of a report."""
    unmet = demanded(mutant) & outcome.verdicts.unmet
    cases = [
        Case(
            name,
            [name],
            "",
            "crashed" if name == ANSWERED else "failed",
            asked=outcome.verdicts.tests[name],
            histories=outcome.verdicts.histories[name],
            broken_in=broken_first_in([outcome], name),
            broken=times_broken([outcome], name),
        )
        for name in judged()
        if name in unmet
    ]
    return [case.id for case in sorted(cases, key=rank)]


def told(outcomes: Mapping[str, GroupOutcome]) -> str:
    """Return the mutants whose first heading is another one, and how many of all have theirs first."""
    order = {name: headings(name, outcome) for name, outcome in outcomes.items()}
    seen = {name: found for name, found in order.items() if found}
    wrong = {name: found for name, found in seen.items() if found[0] not in MUTANTS[name].breaks}
    lines = [
        f"{name}: {', '.join(found[:4])}; made to break {', '.join(MUTANTS[name].breaks)}"
        for name, found in wrong.items()
    ]
    somewhere = sum(not set(MUTANTS[name].breaks).isdisjoint(found) for name, found in seen.items())
    lines.append(f"{len(seen) - len(wrong)} of {len(seen)} first, {somewhere} among those that are not met")
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask, or read what was asked, and tell."""
    parser = argparse.ArgumentParser(prog="headings", description=__doc__)
    parser.add_argument("--enough", type=int, default=8, help="conversations that break a MUST (default: 8)")
    parser.add_argument("--save", type=Path)
    parser.add_argument("--from", dest="saved", type=Path)
    options = parser.parse_args(arguments)
    if options.saved:
        outcomes = pickle.loads(options.saved.read_bytes())
    else:
        outcomes = {
            name: asked(name, options.enough) for name, mutant in MUTANTS.items() if not MUST.isdisjoint(mutant.breaks)
        }
    if options.save:
        options.save.write_bytes(pickle.dumps(outcomes))
    sys.stdout.write(told(outcomes))


if __name__ == "__main__":
    main()
