"""What a run lets one say of a target: its verdict, and the claim in one sentence."""

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from ..asking.groups import groups_of
from ..asking.profiles import Profile
from ..chapters import REQUIREMENTS
from ..chapters.exact import COMPARING_IDS, GOLDEN_IDS
from ..files import text_of
from .case import SILENT_CASES, Case, Verdict

TARGET_SNAPSHOTS = "documented, with own snapshots"
"""What stands for the level where placements and scores are compared with those that the target had before."""
NOT_JUDGED = "not judged"
"""The verdict of a run in which the suite itself went wrong: nothing is said of the target."""
NOT_FINISHED = "not finished"
"""The verdict of a run until it ends: what dies before its end leaves it."""
NOT_ASKED = "could not be asked"
"""The verdict of a run in which the program behind the target started on no machine."""
SILENT = (NOT_FINISHED, NOT_JUDGED, NOT_ASKED)
"""The verdicts that no cases can change, the one that decides first."""
_CLAIMS = dict(line.split(": ", 1) for line in text_of(__package__, "claims.txt").splitlines())
"""What each verdict of a run lets one say."""


class Target(msgspec.Struct, frozen=True):
    """The implementation under test, as it described itself."""

    name: str
    version: str
    kubernetes: str
    surfaces: list[str]
    features: list[str]


def verdict_of(cases: list[Case], counts: Counter[Verdict], *, narrowed: bool) -> str:
    """Return the verdict of a run, which is partial where it was narrowed."""
    if counts["error"]:
        return NOT_JUDGED
    if all(case.verdict in SILENT_CASES for case in cases):
        return "not tested"
    if any(case.unmet for case in cases):
        return "not conformant"
    if narrowed or counts["not claimed"] or counts["not judged"] or counts["expected failure"]:
        return "partial"
    return "conformant"


def measure_of(target: Target, level: str, cases: list[Case]) -> str:
    """Return what a target was held against, in words."""
    if level == "exact":
        names = {name for case in cases if case.verdict not in SILENT_CASES for name in case.requirements}
        if not names.isdisjoint(COMPARING_IDS):
            return f"the placements of Kubernetes {target.kubernetes}, to the CPU id"
        return f"the answers of Kubernetes {target.kubernetes}; no CPU ids were compared"
    documented = f"the documented behaviour of Kubernetes {target.kubernetes}"
    if level != TARGET_SNAPSHOTS:
        return documented
    unmet = [case for case in cases if case.unmet]
    judged = unmet or [case for case in cases if case.verdict not in SILENT_CASES]
    of_snapshots = {not GOLDEN_IDS.isdisjoint(case.requirements) for case in judged}
    both = [documented] * (False in of_snapshots) + ["its own snapshots"] * (True in of_snapshots)
    return f"{' or' if unmet else ' and'} to ".join(both)


def claim_of(verdict: str, target: Target, what: str, profile: str, counts: Counter[Verdict]) -> str:
    """Return the claim that a verdict allows; ``what``: what the target was held against."""
    who = f"{target.name} {target.version}"
    name = profile.partition("@")[0]
    if name not in ("", "all"):
        what = f"{what}, profile {name}{_chosen(name, target)}"
    known, unclaimed = counts["expected failure"], counts["not claimed"]
    lacks = ["no surface"] * (not target.surfaces) + ["no feature"] * (not target.features)
    return _CLAIMS[verdict].format(
        who=who,
        what=what,
        where=" in every area this suite tests" if name == "all" else "",
        known=f", but for {known} cases that are known failures" if known else "",
        unclaimed=f"; {unclaimed} cases were not claimed" if unclaimed else "",
        lacks=f": it claims {' and '.join(lacks)}" if lacks else "",
    )


def next_claim(target: Target, cases: Sequence[Case]) -> Iterator[str]:
    """Say which features bring most cases when they are claimed next, where most are not asked for want of claims."""
    unclaimed = [case for case in cases if case.verdict == "not claimed" and not case.details]
    lacking = Counter(
        frozenset(REQUIREMENTS[name].features) - {*target.features}
        for name in (name for case in unclaimed for name in case.requirements)
        if groups_of(name, target.surfaces, frozenset(REQUIREMENTS[name].features).union(target.features))
    )
    ranked = sorted(filter(None, lacking), key=lambda features: (len(features), -lacking[features], sorted(features)))
    if ranked and 2 * len(unclaimed) > len(cases):
        what = f"{len(unclaimed)} of {len(cases)} cases need what is not claimed"
        yield f"{what}; claim {' and '.join(sorted(ranked[0]))} next, and {lacking[ranked[0]]} more are asked"


def no_claim_of(target: Target, problems: Sequence[str], *, complete: bool) -> str:
    """Say why nothing is claimed."""
    why = "There is a problem" if problems else "No case passed"
    why = why if complete else "The run ended before all cases came to a verdict"
    return f"{why}, so nothing is claimed for {target.name} {target.version}."


def _chosen(profile: str, target: Target) -> str:
    """Tell which of the features that a profile leaves open the target has."""
    followed = Profile.parse(profile, target.kubernetes)
    open_to_it = followed.optional & followed.offered
    chosen = sorted(name.partition("/")[2] for name in open_to_it.intersection(target.features))
    if not open_to_it:
        return ""
    return f" with {', '.join(chosen)}" if chosen else " without any of its options"
