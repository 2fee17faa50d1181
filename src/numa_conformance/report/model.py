"""What a run of the suite found: cases with verdicts, and what follows from them."""

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import msgspec

from .. import __version__
from ..asking.known_failures import NO_VERDICT, KnownFailures, LeftOut
from ..asking.profiles import Profile
from ..chapters import REQUIREMENTS
from ..printable import listed
from ..wire.messages.describe import Description
from .case import SILENT_CASES, VERDICTS, Case, Count, Verdict
from .claims import NOT_ASKED, NOT_JUDGED, Target, claim_of, measure_of, next_claim, no_claim_of, verdict_of
from .known import stale, unasked

MOST_MACHINES = 5
"""Machines that are named of those that a target does not support for the same reason, or contradicts itself on."""
SELDOM, MOST_SELDOM = 10, 12
"""Times below which a requirement is told to be asked seldom within a budget, and how many of them are named."""
_MOST_PAUSES = 6
"""Pauses of a kubelet before it starts a container again: 10 s, doubled each time. The sixth is the longest."""
FORMAT = "numa-conformance report 1"


class Summary(msgspec.Struct, frozen=True):
    """A run: who, at which level, every case, and what is wrong with the run itself."""

    target: Target
    level: str
    verdict: str
    claim: str
    counts: dict[str, Count]
    cases: list[Case]
    problems: list[str]
    addresses: dict[str, str] = {}
    """Requirement to the address at which Kubernetes documents it."""
    profile: str = ""
    """``name@version`` of the profile that was run whole; a narrowed run has none."""
    notes: list[str] = []
    """What a reader should know, and what changes no verdict."""
    suite: str = __version__
    """The version of numa-conformance that asked."""
    complete: bool = True
    """Whether all planned cases came to a verdict."""
    planned: Count = 0
    """The number of cases that were to come to one."""
    snapshots: str = ""
    """The folder of the target's own snapshots, with which its placements and scores were compared."""
    format: str = FORMAT

    @classmethod
    def of(
        cls,
        described: Description,
        level: str,
        profile: Profile,
        cases: Iterable[Case],
        known: KnownFailures,
        *,
        planned: Iterable[str],
        narrowed: bool,
        features: Iterable[str] | None = None,
        harness: Iterable[str] = (),
        problems: Iterable[str] = (),
        left_out: Sequence[LeftOut] = (),
        whole: bool = True,
        outside: Mapping[str, Sequence[str]] = MappingProxyType({}),
        contradictions: Mapping[str, Sequence[str]] = MappingProxyType({}),
        absences: Mapping[str, str] = MappingProxyType({}),
        restarts: int = 0,
    ) -> "Summary":
        """Draw the conclusions; cases are put in order, so that equal runs give equal reports.

        ``planned`` are the ids of all cases that were to be run; each must have come to a verdict. ``features`` are
        those that the target is taken to claim, where these are others than its own. ``harness`` says what went wrong
        with the suite itself, beside cases, ``problems`` with the run. ``left_out`` was not asked: of the ``whole``
        suite, unless a part or other machines were named. ``outside``: machines that the target does not support, as
        it says, by the reason; ``contradictions``: where it has said otherwise too, likewise. ``absences``: why the
        program behind the target was met on no machine, to its words; then nothing was asked. ``restarts``: the most
        times that the program ended, and was started again, before it was met.
        """
        if absences:
            cases = [msgspec.structs.replace(case, verdict="not claimed", details="", asked=0) for case in cases]
        ordered = sorted(cases, key=lambda case: case.id)
        features = sorted(described.features if features is None else features)
        target = Target(described.name, described.version, str(profile.version), sorted(described.surfaces), features)
        faults = list(harness)
        missing = sorted(set(planned) - {case.id for case in ordered})
        contradicted = (
            f"the target contradicts itself: {statement}: {listed(names, MOST_MACHINES, sign='; ')}"
            for statement, names in contradictions.items()
        )
        problems = [*faults, *problems, *_without_verdict(missing), *contradicted, *_unjudged(ordered)]
        if outside and not narrowed:
            problems += _alone(ordered, target.features, "the target supports no machine on which it is asked")
        narrowed = narrowed or bool(problems or outside or absences)
        absent = [*left_out, *(LeftOut(id, list(REQUIREMENTS), NO_VERDICT) for id in missing)]
        if not faults:
            problems += stale(known, ordered, absent, whole=whole)
        if not narrowed:
            problems += _untested(ordered, profile, target.features, level)
        name = "" if narrowed or problems else str(profile)
        idle = absences.keys() == {"silent"}
        why = "nothing is offered on these machines" if idle else "it could not be asked"
        silent = NOT_JUDGED if faults else NOT_ASKED if absences and not idle else ""
        whole_run = {"narrowed": narrowed, "complete": not missing}
        concluded = cls.concluded(target, level, name, ordered, problems, silent=silent, **whole_run)
        notes = [
            *(f"{why}: {' '.join(words.split())}" for words in absences.values()),
            *_restarted(restarts),
            *_unsupported(outside),
            *_unspent(ordered),
            *_in_part(ordered),
            *unasked(known, ordered, absent),
            *([] if narrowed else _alone(ordered, target.features, "each case needs another that is not claimed")),
            *(() if narrowed else next_claim(target, ordered)),
        ]
        return msgspec.structs.replace(concluded, notes=notes, planned=len(ordered) + len(missing))

    @classmethod
    def concluded(
        cls,
        target: Target,
        level: str,
        profile: str,
        cases: Iterable[Case],
        problems: list[str],
        *,
        narrowed: bool,
        silent: str = "",
        complete: bool = True,
    ) -> "Summary":
        """Draw verdict and claim from the cases. ``silent``: a verdict that no cases change; incomplete: no claim."""
        ordered = sorted(cases, key=lambda case: case.id)
        named = {name for case in ordered for name in case.requirements}
        counts = Counter(case.verdict for case in ordered)
        verdict = silent or verdict_of(ordered, counts, narrowed=narrowed or bool(problems) or not complete)
        claim = claim_of(verdict, target, measure_of(target, level, ordered), profile, counts)
        if verdict in ("partial", "conformant") and (problems or not (complete and counts["passed"])):
            claim = no_claim_of(target, problems, complete=complete)
        return cls(
            target=target,
            level=level,
            verdict=verdict,
            claim=claim,
            counts={name: counts.get(name, 0) for name in VERDICTS},
            cases=ordered,
            problems=problems,
            addresses={name: known.address for name, known in REQUIREMENTS.items() if name in named},
            profile=profile,
            complete=complete,
            planned=len(ordered),
        )

    def to_json(self) -> str:
        """Return the text of ``report.json``, which ``read_report`` reads back."""
        return msgspec.json.format(msgspec.json.encode(self), indent=2).decode() + "\n"

    @property
    def options(self) -> str:
        """The options with which the suite asks what it has asked, beside those that name the target."""
        if self.snapshots:
            return f" --numa-snapshots={shlex.quote(self.snapshots)}"
        return " --numa-level exact" if self.level == "exact" else ""

    def by_requirement(self) -> dict[str, list[Case]]:
        """Return requirement id to its cases, in the order of the registry."""
        cases_of: dict[str, list[Case]] = {name: [] for name in REQUIREMENTS}
        for case in self.cases:
            for name in case.requirements:
                cases_of.setdefault(name, []).append(case)
        return {name: cases for name, cases in cases_of.items() if cases}

    def by_area(self) -> dict[str, Counter[Verdict]]:
        """Return area to how many of its cases came to which verdict, ascending by name."""
        areas: dict[str, Counter[Verdict]] = {}
        for case in self.cases:
            areas.setdefault(case.area, Counter())[case.verdict] += 1
        return dict(sorted(areas.items()))

    def unmet(self) -> dict[str, list[Case]]:
        """Return the requirements that are not met, with the cases that say so."""
        bad = {name: [case for case in cases if case.unmet] for name, cases in self.by_requirement().items()}
        return {name: cases for name, cases in bad.items() if cases}

    def recommendations(self) -> dict[str, list[Case]]:
        """Return the recommendations (SHOULD) that are not followed, with the cases that say so: no verdict changes."""
        by_requirement = self.by_requirement().items()
        lax = {name: [case for case in cases if case.verdict == "not followed"] for name, cases in by_requirement}
        return {name: cases for name, cases in lax.items() if cases}


def _restarted(times: int) -> Iterator[str]:
    if times:
        pauses = listed([f"{min(10 * 2**number, 300)} s" for number in range(min(times, _MOST_PAUSES))], _MOST_PAUSES)
        yield f"the program ended, and was restarted at most {times}x in a row; a kubelet would have waited {pauses}"


def _unsupported(outside: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for reason, machines in outside.items():
        shown = listed(machines, MOST_MACHINES, sign="; ", what=" machines")
        yield f"outside of what the target supports: {shown}: {reason}"


def _unspent(cases: Iterable[Case]) -> Iterator[str]:
    """Tell what a budget left out: of which groups, and which requirements were asked seldom for it."""
    short = sorted((case for case in cases if case.in_part), key=lambda case: case.asked)
    if groups := {name: counts for case in short for name, counts in case.in_part.items()}:
        parts = ", ".join(f"{driven:,} of {whole:,} of {name}" for name, (driven, whole) in groups.items())
        yield f"the budget left histories out; tested were {parts}"
    for what, low, high in (("not tested", 0, 1), (f"tested less than {SELDOM} times", 1, SELDOM)):
        if names := [name for case in short if low <= case.asked < high for name in case.requirements]:
            yield f"within the budget {len(names)} requirements were {what}: {listed(names, MOST_SELDOM)}"


def _in_part(cases: Iterable[Case]) -> Iterator[str]:
    """Name what is claimed and yet was not asked, without which no profile was run whole."""
    names = [name for case in cases if case.verdict == "not claimed" and case.details for name in case.requirements]
    if names:
        yield f"no profile was tested whole, as these are claimed and were not tested: {listed(names, MOST_MACHINES)}"


def _unjudged(cases: Iterable[Case]) -> Iterator[str]:
    if names := [name for case in cases if case.verdict == "not judged" for name in case.requirements]:
        yield f"{len(names)} requirements are not judged, as answers are malformed or missing: {listed(names)}"


def _without_verdict(missing: Sequence[str]) -> list[str]:
    """Name planned cases that came to no verdict: the run was stopped, or a worker died."""
    if not missing:
        return []
    shown = ", ".join(missing[:3]) + (", ..." if len(missing) > 3 else "")
    return [f"{len(missing)} planned cases came to no verdict: {shown}"]


def _untested(cases: list[Case], profile: Profile, claimed: list[str], level: str) -> list[str]:
    """Name claimed features of which no case was run; at level exact those that only documented cases ask are left."""
    known = {name for case in cases for name in case.requirements}
    offered = [each for each in REQUIREMENTS.values() if profile.asks(each.features) and each.holds_in(profile.version)]
    able = [each.features for each in offered if level != "exact" or each.id in known]
    untested = {feature for features in able for feature in features} - _features_of(cases)
    return [f"feature {feature} is claimed and no case was run for it" for feature in claimed if feature in untested]


def _alone(cases: list[Case], claimed: list[str], why: str) -> list[str]:
    """Name claimed features none of whose cases was asked."""
    alone = _features_of(cases) - _features_of(case for case in cases if case.verdict not in SILENT_CASES)
    return [f"feature {feature} is claimed, and not tested: {why}" for feature in claimed if feature in alone]


def _features_of(cases: Iterable[Case]) -> set[str]:
    return {feature for case in cases for name in case.requirements for feature in REQUIREMENTS[name].features}


def report_schema() -> dict[str, Any]:
    """Return the JSON Schema of ``report.json``; ``fixtures/schemas/report.schema.json`` is shipped, and equal."""
    references, definitions = msgspec.json.schema_components([Summary], ref_template="#/$defs/{name}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **references[0],
        "$defs": dict(sorted(definitions.items())),
    }
