"""What a run of the suite found: cases with verdicts, and what follows from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal, Protocol, get_args

import msgspec

from .. import __version__
from ..errors import Fault, UsageError
from ..files import read_bounded
from ..protocol.messages.describe import Description
from ..suite.profiles import Profile
from ..suite.requirements import REQUIREMENTS
from .case_ids import with_folder

__all__ = ["UNMET", "VERDICTS", "Case", "Summary", "Target", "Verdict", "read_report"]

MAX_BYTES = 256 * 1024 * 1024
"""Of a report.json that is read at most."""
Verdict = Literal[
    "passed",
    "failed",
    "timed out",
    "crashed",
    "bad reply",
    "not followed",
    "expected failure",
    "unexpectedly passed",
    "not claimed",
    "error",
]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
UNMET: tuple[Verdict, ...] = ("failed", "timed out", "crashed", "bad reply")
"""What says that the target does not meet a requirement."""
_WEIGHTS: tuple[Verdict, ...] = (
    "not claimed",
    "passed",
    "not followed",
    "expected failure",
    "unexpectedly passed",
    "error",
    "failed",
    "bad reply",
    "timed out",
    "crashed",
)
FORMAT = "numa-conformance report 1"


class Case(msgspec.Struct, frozen=True, omit_defaults=True):
    """One test with its parameters: its id, the requirements it checks, its area, its verdict, and why."""

    id: str
    requirements: list[str]
    area: str
    verdict: Verdict
    details: str = ""
    scenario: dict[str, Any] | None = None
    asked: int = 0
    """How often its requirement was asked, where it is judged on conversations."""
    histories: int = 0
    """In how many conversations that was."""
    history: str = ""
    """The file, in the folder of the report, that holds the shortest conversation in which it is not met."""
    with_it: list[str] = []
    """The other requirements that this conversation does not meet."""

    @property
    def unmet(self) -> bool:
        """Whether it says that the target does not meet a requirement."""
        return self.verdict in UNMET

    @property
    def badness(self) -> int:
        """How much the verdict weighs when several runs hold the case; the heaviest stays."""
        return _WEIGHTS.index(self.verdict)

    def with_verdict(self, verdict: Verdict, details: str, scenario: dict[str, Any] | None) -> Case:
        """Return the case with its outcome."""
        return msgspec.structs.replace(self, verdict=verdict, details=details, scenario=scenario)

    def to_json(self) -> str:
        """Return the case as a text that travels between processes."""
        return msgspec.json.encode(self).decode()

    @classmethod
    def from_json(cls, text: str) -> Case:
        """Read the text of ``to_json``."""
        return msgspec.json.decode(text, type=cls)


class Target(msgspec.Struct, frozen=True):
    """The implementation under test, as it described itself."""

    name: str
    version: str
    kubernetes: str
    surfaces: list[str]
    features: list[str]


class _Known(Protocol):
    @property
    def entries(self) -> dict[str, Any]:
        """Known failures by requirement."""


class Summary(msgspec.Struct, frozen=True):
    """A run: who, at which level, every case, and what is wrong with the run itself."""

    target: Target
    level: str
    verdict: str
    claim: str
    counts: dict[str, int]
    cases: list[Case]
    problems: list[str]
    addresses: dict[str, str] = {}
    """Requirement to the address at which Kubernetes documents it."""
    profile: str = ""
    """``name@version`` of the profile that was run whole; a narrowed run has none."""
    suite: str = __version__
    """The version of numa-conformance that asked."""
    format: str = FORMAT

    @classmethod
    def of(
        cls,
        described: Description,
        level: str,
        profile: Profile,
        cases: Iterable[Case],
        known: _Known,
        *,
        planned: Iterable[str],
        narrowed: bool,
    ) -> Summary:
        """Draw the conclusions; cases are put in order, so that equal runs give equal reports.

        ``planned`` are the ids of all cases that were to be run; each must have come to a verdict.
        """
        ordered = sorted(cases, key=lambda case: case.id)
        target = Target(
            described.name,
            described.version,
            str(profile.version),
            sorted(described.surfaces),
            sorted(described.features),
        )
        problems = _without_verdict(ordered, planned)
        narrowed = narrowed or bool(problems)
        if not narrowed:
            problems = [*_stale(ordered, known), *_untested(ordered, profile, target.features, level)]
        name = "" if narrowed else str(profile)
        return cls.concluded(target, level, name, ordered, problems, narrowed=narrowed)

    @classmethod
    def concluded(
        cls, target: Target, level: str, profile: str, cases: Iterable[Case], problems: list[str], *, narrowed: bool
    ) -> Summary:
        """Count the cases and draw the verdict and the claim."""
        ordered = sorted(cases, key=lambda case: case.id)
        counts = Counter(case.verdict for case in ordered)
        verdict = _verdict(ordered, counts, narrowed=narrowed)
        return cls(
            target=target,
            level=level,
            verdict=verdict,
            claim=_claim(verdict, target, level, profile, counts),
            counts={name: counts.get(name, 0) for name in VERDICTS},
            cases=ordered,
            problems=problems,
            addresses=_addresses(ordered),
            profile=profile,
        )

    def to_json(self) -> str:
        """Return the text of ``report.json``, which ``read_report`` reads back."""
        return msgspec.json.format(msgspec.json.encode(self), indent=2).decode() + "\n"

    @property
    def planned(self) -> int:
        """The number of cases, each with one verdict."""
        return len(self.cases)

    def by_requirement(self) -> dict[str, list[Case]]:
        """Return requirement id to its cases, in the order of the registry."""
        cases_of: dict[str, list[Case]] = {name: [] for name in REQUIREMENTS}
        for case in self.cases:
            for name in case.requirements:
                cases_of.setdefault(name, []).append(case)
        return {name: cases for name, cases in cases_of.items() if cases}

    def unmet(self) -> dict[str, list[Case]]:
        """Return the requirements that are not met, with the cases that say so."""
        bad = {name: [case for case in cases if case.unmet] for name, cases in self.by_requirement().items()}
        return {name: cases for name, cases in bad.items() if cases}

    def recommendations(self) -> dict[str, list[Case]]:
        """Return the recommendations (SHOULD) that are not followed, with the cases that say so: no verdict changes."""
        asked = self.by_requirement().items()
        lax = {name: [case for case in cases if case.verdict == "not followed"] for name, cases in asked}
        return {name: cases for name, cases in lax.items() if cases}

    def tested(self) -> set[str]:
        """Return the requirements of which some case was asked."""
        return self._with(lambda case: case.verdict != "not claimed")

    def tolerated(self) -> set[str]:
        """Return the requirements that a known failure excuses."""
        return self._with(lambda case: case.verdict == "expected failure")

    def _with(self, wanted: Callable[[Case], bool]) -> set[str]:
        return {name for case in self.cases if wanted(case) for name in case.requirements}


def _addresses(cases: Iterable[Case]) -> dict[str, str]:
    named = {name for case in cases for name in case.requirements}
    return {name: known.address for name, known in REQUIREMENTS.items() if name in named}


def _verdict(cases: list[Case], counts: Counter[Verdict], *, narrowed: bool) -> str:
    if not any(case.verdict != "not claimed" for case in cases):
        return "not tested"
    if any(case.unmet for case in cases) or counts["error"]:
        return "not conformant"
    if narrowed or counts["not claimed"] or counts["expected failure"]:
        return "partial"
    return "conformant"


def _claim(verdict: str, target: Target, level: str, profile: str, counts: Counter[Verdict]) -> str:
    who = f"{target.name} {target.version}"
    what = f"the documented behaviour of Kubernetes {target.kubernetes}"
    if level == "exact":
        what = f"the placements of Kubernetes {target.kubernetes}, to the CPU id"
    name = profile.partition("@")[0]
    if name not in ("", "all"):
        what = f"{what}, profile {name}"
    if verdict == "conformant":
        where = " in every area this suite tests" if name == "all" else ""
        return f"{who} conforms to {what}{where}."
    if verdict == "partial":
        but = (
            f", but for {counts['expected failure']} cases that are known failures"
            if counts["expected failure"]
            else ""
        )
        rest = f"; {counts['not claimed']} cases were not claimed" if counts["not claimed"] else ""
        return f"{who} conforms to {what} where it was tested{but}{rest}."
    if verdict == "not tested":
        return f"No case was run, so nothing can be said of {who}."
    return f"{who} does not conform to {what}."


def _stale(cases: list[Case], known: _Known) -> list[str]:
    """Name known failures that no longer fail, or that no case tests."""
    problems = []
    for name in known.entries:
        verdicts = {case.verdict for case in cases if name in case.requirements}
        if not verdicts:
            problems.append(f"known failure {name}: no case tests it in this run; remove the entry")
        elif "expected failure" not in verdicts and "not claimed" not in verdicts:
            problems.append(f"known failure {name}: it is met now; remove the entry")
    return problems


def _without_verdict(cases: list[Case], planned: Iterable[str]) -> list[str]:
    """Name planned cases that came to no verdict: the run was stopped, or a worker died."""
    missing = sorted(set(planned) - {case.id for case in cases})
    if not missing:
        return []
    shown = ", ".join(missing[:3]) + (", ..." if len(missing) > 3 else "")
    return [f"{len(missing)} planned cases came to no verdict: {shown}"]


def _untested(cases: list[Case], profile: Profile, features: list[str], level: str) -> list[str]:
    """Name claimed features of which no case was run; at level exact those that only documented cases ask are left."""
    tested = {
        feature
        for case in cases
        if case.verdict != "not claimed"
        for name in case.requirements
        for feature in REQUIREMENTS[name].features
    }
    asked = [
        requirement
        for requirement in REQUIREMENTS.values()
        if profile.asks(requirement.features) and requirement.holds_in(profile.version)
    ]
    known = {name for case in cases for name in case.requirements}
    testable = {
        feature
        for requirement in asked
        if level != "exact" or requirement.id in known
        for feature in requirement.features
    }
    return [
        f"feature {feature} is claimed and no case was run for it"
        for feature in features
        if feature in testable and feature not in tested
    ]


def read_report(path: Path) -> Summary:
    """Read a report.json, or the folder that holds one; raises ``UsageError``."""
    file = path / "report.json" if path.is_dir() else path
    try:
        summary = msgspec.json.decode(read_bounded(file, MAX_BYTES), type=Summary)
    except OSError as error:
        raise UsageError(Fault(str(file), f"cannot be read: {error.strerror or error}")) from error
    except msgspec.MsgspecError as error:
        raise UsageError(Fault(str(file), f"is no report of this suite: {error}")) from error
    cases = [msgspec.structs.replace(case, id=with_folder(case.id, case.requirements)) for case in summary.cases]
    return msgspec.structs.replace(summary, cases=sorted(cases, key=lambda case: case.id))
