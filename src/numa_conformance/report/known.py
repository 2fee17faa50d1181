"""Known failures beside what a run found: entries that are stale, entries that were not asked, a file written anew."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from msgspec import structs

from ..asking.known_failures import KnownFailure, KnownFailures, LeftOut
from ..errors import Fault, UsageError
from ..printable import listed
from .case import UNMET, Case

MOST_NAMED = 3
NO_VERDICTS = ("not claimed", "error")
"""Verdicts that tell nothing of whether a known failure is one still."""
_FAILING = (*UNMET, "not judged")


def stale(known: KnownFailures, cases: Sequence[Case], left_out: Sequence[LeftOut], *, whole: bool) -> list[str]:
    """Name known failures that are met now or untested; of the ``whole`` suite also those whose cases do not exist."""
    problems: list[str] = []
    for entry in known.entries.values():
        concerned = [case for case in cases if entry.concerns(case.id, case.requirements)]
        missed = [case for case in left_out if entry.concerns(case.id, case.requirements)]
        met = [case.id for case in concerned if case.verdict not in (*NO_VERDICTS, *_FAILING, "expected failure")]
        absent = set(entry.listed or ()) - {case.id for case in concerned} - {case.id for case in missed}
        problem = f"known failure {entry.name}:"
        if whole and (absent or not (concerned or missed)):
            what = f"the suite has no case {min(absent)}" if absent else "no case tests it"
            problems.append(f"{problem} {what}; remove the entry" + (" or the case" if entry.cases else ""))
        elif met and len(met) == len(concerned) and not any(case.by_chance for case in missed):
            problems.append(f"{problem} it is met now; remove the entry")
        elif met and entry.cases is not None:
            problems += [f"{problem} {name} is met now; remove it from its cases" for name in met]
    return problems


def unasked(known: KnownFailures, cases: Sequence[Case], left_out: Sequence[LeftOut]) -> list[str]:
    """Say which known failures could not be asked in this run, and so are not found stale, and why."""
    by_reason: defaultdict[str, list[str]] = defaultdict(list)
    for entry in known.entries.values():
        concerned = [case for case in cases if entry.concerns(case.id, case.requirements)]
        if all(case.verdict in NO_VERDICTS for case in concerned):
            reasons: list[str] = [case.verdict for case in concerned]
            reasons += [case.why for case in left_out if entry.concerns(case.id, case.requirements)]
            by_reason[reasons[0] if reasons else "not collected"].append(entry.name)
    return [
        f"known failures that were not asked in this run ({why}): {listed(names, MOST_NAMED)}"
        for why, names in by_reason.items()
    ]


def refreshed(before: KnownFailures, cases: Sequence[Case], new: KnownFailure | None) -> KnownFailures:
    """Return the entries for what fails now, with the cases and machines on which it does.

    An entry that is met now goes; what was not asked stays. What fails and has no entry gets the reason, link and
    expiry of ``new``; raises ``UsageError`` where there is none.
    """
    judged = [case for case in cases if case.verdict not in NO_VERDICTS]
    entries = {name: entry for name, old in before.entries.items() if (entry := _renewed(old, judged, before))}
    excused = [entry for entry in entries.values() if entry.case]
    failing: defaultdict[str, list[Case]] = defaultdict(list)
    for case in judged:
        if case.verdict in _FAILING and not any(entry.concerns(case.id, case.requirements) for entry in excused):
            for name in case.requirements:
                failing[name].append(case)
    missing = sorted(failing.keys() - entries.keys())
    if missing and new is None:
        shown = ", ".join(missing[:3]) + (", ..." if len(missing) > 3 else "")
        raise UsageError(Fault("", f"{len(missing)} new entries need a reason and a link: {shown}"))
    added = {name: _recorded(new, name, failing[name]) for name in missing} if new else {}
    return KnownFailures({**entries, **added})


def _renewed(old: KnownFailure, judged: Sequence[Case], before: KnownFailures) -> KnownFailure | None:
    """Return an entry as it is now, None where it is met."""
    if old.cases is None:
        concerned = [case for case in judged if old.concerns(case.id, case.requirements)]
        return old if not concerned or any(_fails(case) for case in concerned) else None
    of_it = [case for case in judged if old.requirement in case.requirements]
    elsewhere = {other.case for other in before.entries.values() if other is not old}
    entry = _recorded(old, old.name, [case for case in of_it if _fails(case) and case.id not in elsewhere])
    unasked = [name for name in old.cases if name not in {case.id for case in of_it}]
    cases = sorted({*(entry.cases or ()), *unasked})
    # Where the conversations were not asked, the machines of before are all that is known.
    machines = entry.machines if any(case.histories for case in of_it) else old.machines
    return structs.replace(entry, cases=cases, machines=machines) if cases else None


def _fails(case: Case) -> bool:
    return case.verdict in (*_FAILING, "expected failure")


def _recorded(entry: KnownFailure, requirement: str, failing: Iterable[Case]) -> KnownFailure:
    cases = list(failing)
    names = sorted({name for case in cases for name in case.machines})
    ids = sorted(case.id for case in cases)
    machines = "all" if entry.machines == "all" else names or None
    return structs.replace(entry, requirement=requirement, cases=ids, machines=machines)
