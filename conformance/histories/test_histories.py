"""Requirements held against every step of generated conversations: sweeps of choices, lives of nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

import pytest

from numa_conformance.asking.findings.telling import CaseReport, finding_of, other_broken
from numa_conformance.asking.groups import judged
from numa_conformance.asking.outcomes import GroupOutcome, broken_first_in, broken_in, times_broken
from numa_conformance.asking.shrinking import shortened, times_seen
from numa_conformance.judging.verdicts import ANSWERED, WELL_FORMED
from numa_conformance.plugin.cases import TALLY, case_id
from numa_conformance.plugin.run import Run
from numa_conformance.plugin.spending import NO_TIME, TELLING
from numa_conformance.report.case import NOT_JUDGED, OUTSIDE
from numa_conformance.wire import BadReply, Client, TargetFault
from numa_conformance.wire.features import FEATURES
from numa_conformance.wire.history.history import History

SECONDS = 3.0
"""Time to look for a shorter conversation, for each requirement that is not met."""

COUNTED = ("tests", "histories")
MOST_REASONS = 3
"""Reasons why a requirement was not asked that are told, those that held it back most often."""
CASES = [pytest.param(name, id=name, marks=pytest.mark.requirement(name)) for name in judged()]
"""One case for each requirement that conversations are judged by."""


@pytest.mark.documented
@pytest.mark.generated
@pytest.mark.beside_node
@pytest.mark.xdist_group("numa-histories")
@pytest.mark.parametrize("name", CASES)
def test_every_step(
    name: str,
    asked: Callable[[str], list[GroupOutcome]],
    chosen: list[str],
    target: Client,
    conformance: Run,
    request: pytest.FixtureRequest,
) -> None:
    __tracebackhide__ = True
    outcomes = asked(name)
    if not outcomes:
        pytest.skip("not claimed: no surface on which this shows")
    faults = [fault for outcome in outcomes for fault in _faults(name, outcome, asked, chosen)]
    times, histories = (sum(getattr(outcome.verdicts, kind)[name] for outcome in outcomes) for kind in COUNTED)
    held_back = sum((outcome.verdicts.not_asked(name) for outcome in outcomes), Counter[str]())
    why = dict(held_back.most_common(MOST_REASONS))
    in_part = {each.group: (each.driven, each.whole) for each in outcomes if _is_in_part(each, conformance)}
    telling = {machine: number for (id, machine), number in conformance.telling.items() if id == name}
    tally = request.node.stash[TALLY] = CaseReport(times, histories, held_back=why, in_part=in_part, telling=telling)
    seconds = min(SECONDS, conformance.spending.left(TELLING)) if conformance.shrinks else 0.0
    if faults:
        history, fault = faults[0]
        told_by = WELL_FORMED if history.steps[-1].fault is None else ANSWERED
        seen = times_seen(history, told_by, target) if seconds else None
        request.node.stash[TALLY] = replace(
            tally,
            history=history,
            broken_in=len(faults),
            broken=len(faults),
            machines=_machines(each for each, _ in faults),
            repetitions=seen,
        )
        raise fault
    broken = broken_in(outcomes, name)
    if broken:
        machines = _machines(each.history for each in broken)
        known = conformance.known.machines(case_id(request.node), [name])
        new = [each for each in broken if each.history.head.machine.name not in known]
        shortest = shortened((new or broken)[0], target, seconds=seconds)
        told_known = tuple(machine for machine in machines if machine in known) if new else ()
        seen = times_seen(shortest.history, name, target) if seconds else None
        request.node.stash[TALLY] = replace(
            tally,
            history=shortest.history,
            broken_in=broken_first_in(outcomes, name),
            broken=times_broken(outcomes, name),
            machines=machines,
            known=told_known,
            other_requirements=other_broken(shortest),
            repetitions=seen,
        )
        raise finding_of(shortest)
    if not times and any(outcome.ended for outcome in outcomes):
        pytest.skip(f"{NOT_JUDGED}conversations of its kind ended without an answer{_because(why)}")
    if not times and broken_in(outcomes, WELL_FORMED):
        pytest.skip(f"{NOT_JUDGED}answers in conversations of its kind are malformed{_because(why)}")
    if not times and target.outside:
        pytest.skip(f"{OUTSIDE}: the machines on which it shows{_because(why)}")
    if not times and not conformance.machines.is_whole:
        pytest.skip(f"not asked on the machines that are chosen{_because(why)}")
    if not times and in_part:
        pytest.skip(f"{NO_TIME}{_because(why)}")
    if not times and conformance.features != frozenset(FEATURES):
        pytest.skip("not claimed: what is claimed leads to no conversation that asks it" + _because(why))
    if not times:
        leaves_out = " (fields that may be left out are)" if not held_back else ""
        pytest.skip(f"not asked: this target's answers never show it{leaves_out}{_because(why)}")


def _faults(
    name: str, outcome: GroupOutcome, asked: Callable[[str], list[GroupOutcome]], chosen: list[str]
) -> Iterator[tuple[History, TargetFault]]:
    """Yield the faults of a group that are told at a requirement, of malformed answers too: each is told once."""
    if outcome.ended and _tells(name, ANSWERED, outcome, asked, chosen):
        yield from outcome.ended
    if name != WELL_FORMED and _tells(name, WELL_FORMED, outcome, asked, chosen):
        for broken in broken_in([outcome], WELL_FORMED):
            yield broken.history.until(broken.step + 1), BadReply(f"an answer is malformed: {broken.violation.why}")


def _tells(
    name: str, tells: str, outcome: GroupOutcome, asked: Callable[[str], list[GroupOutcome]], chosen: list[str]
) -> bool:
    """Tell whether a requirement is told what another one tells where it is chosen: the first that has the group."""
    if tells in chosen:
        return name == tells
    return not any(outcome is other for earlier in chosen[: chosen.index(name)] for other in asked(earlier))


def _is_in_part(outcome: GroupOutcome, run: Run) -> bool:
    """Tell whether a budget left scenarios of a group out."""
    return not run.budget.is_whole and outcome.driven < outcome.whole


def _machines(histories: Iterable[History]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(history.head.machine.name for history in histories))


def _because(why: Mapping[str, int]) -> str:
    return f": {', '.join(f'{times:,} times {reason}' for reason, times in why.items())}" if why else ""
