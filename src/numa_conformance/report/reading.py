"""Reading a report.json, whoever wrote it: its names are known ones, and a profile's cases are all there.

That proves nothing about the honesty of who made it.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import msgspec

from .. import __version__
from ..asking.groups import GROUPS, groups_of, judged
from ..asking.profiles import Profile
from ..chapters import OF_TARGETS, REQUIREMENTS
from ..errors import Fault, UsageError, closest
from ..judging.releases import RELEASES
from ..machine.data_files import data_folder
from ..printable import listed
from ..sources.versions import KubernetesVersion
from .circumstances import read_form
from .claims import SILENT, TARGET_SNAPSHOTS
from .model import Summary

MAX_BYTES = 256 * 1024 * 1024
"""Of a report.json that is read at most."""
LEVELS = ("documented", "exact", TARGET_SNAPSHOTS)
_SHAPE = re.compile(r"[\w-]+(/[\w-]+)+")
_CASE = re.compile(r"(?P<file>[\w/-]+)::(?P<test>\w+)(\[[^\n]*\])?")
_FILE = re.compile(r"histories/[\w/-]+\.jsonl")


def read_report(path: Path) -> Summary:
    """Read a report.json or its folder, and draw its verdict anew; raises ``UsageError``, also for wrong counts."""
    file = path / "report.json" if path.is_dir() else path
    summary = read_form(file, Summary, MAX_BYTES, "is no report of this suite")
    _check_counts(file, Counter(summary.counts), Counter(str(case.verdict) for case in summary.cases))
    _check(file, summary)
    concluded = Summary.concluded(
        summary.target,
        summary.level,
        summary.profile,
        summary.cases,
        summary.problems,
        narrowed=not summary.profile,
        silent=summary.verdict if summary.verdict in SILENT else "",
        complete=summary.complete,
    )
    unchanged = {name: getattr(summary, name) for name in ("notes", "suite", "snapshots", "planned")}
    return msgspec.structs.replace(concluded, **unchanged)


def _check_counts(file: Path, stated: Counter[str], held: Counter[str]) -> None:
    """Refuse a report out of which cases were taken, or into which they were put, after it was written."""
    wrong = [
        f"{stated[name]} cases as {name}, and has {held[name]}"
        for name in {**stated, **held}
        if stated[name] != held[name]
    ]
    if wrong:
        accepted = "a report as the suite has written it"
        raise UsageError(Fault(str(file), f"is no whole report: it counts {'; '.join(wrong)}", accepted))


def _check(file: Path, summary: Summary) -> None:
    """Refuse a report with free text in place of names, or without what it claims; raises ``UsageError``."""
    faults = [Fault(f"{file}: {place}", *rest) for place, *rest in (*_heads(summary), *_cases(summary))]
    if not faults and summary.profile:
        faults = [Fault(f"{file}: {place}", *rest) for place, *rest in _plan(summary)]
    if faults:
        raise UsageError(faults)


def _heads(summary: Summary) -> Iterator[tuple[str, str, str]]:
    target = summary.target
    for field, text in (("name", target.name), ("version", target.version), ("suite", summary.suite)):
        if not text.isprintable():
            yield field, f"is {text[:40]!a}", "one line of printable characters"
    if summary.level not in LEVELS:
        yield "level", f"is {summary.level[:40]!a}", ", ".join(LEVELS)
    if release_of(summary) not in RELEASES:
        yield "suite", f"is {summary.suite[:40]!a}", f"a version of numa-conformance: {', '.join(RELEASES)}"
    try:
        KubernetesVersion.supported(target.kubernetes)
        if summary.profile and summary.profile != str(Profile.parse(summary.profile, target.kubernetes)):
            yield "profile", f"is {summary.profile[:40]!a}", "NAME@VERSION"
        elif summary.profile and summary.profile.partition("@")[2] != target.kubernetes:
            yield "profile", f"is {summary.profile[:40]!a}", f"one of Kubernetes {target.kubernetes}, as its target"
    except UsageError as error:
        yield "profile", str(error.faults[0].message), error.faults[0].accepted or "a known one"


def _cases(summary: Summary) -> Iterator[tuple[str, str, str]]:
    """Yield what is wrong with cases; of another version of the suite the names have a shape alone."""
    ours = summary.suite == __version__
    for name, count in Counter(case.id for case in summary.cases).items():
        match = _CASE.fullmatch(name)
        if count > 1:
            yield "cases", f"{name[:80]!a} is there {count} times", "each case once"
        if match is None or (ours and match["test"] not in _tests().get(match["file"], ())):
            yield "cases", f"{name[:80]!a} is no case of the suite", "FILE::TEST[PARAMETERS]"
    for name in {name for case in summary.cases for name in (*case.requirements, *case.with_it)}:
        if name not in REQUIREMENTS and (ours or not _SHAPE.fullmatch(name)):
            yield "cases", f"{name[:80]!a} is no requirement", closest(name, REQUIREMENTS) or "an id"
    for case in summary.cases:
        if not all(_FILE.fullmatch(name) for name in (*filter(None, [case.history]), *case.conversations)):
            yield "cases", f"{case.id[:80]!a} names a file elsewhere", "histories/NAME.jsonl"


@cache
def _tests() -> dict[str, frozenset[str]]:
    """Return the tests of each file of the suite."""
    suite = data_folder("conformance")
    return {
        file.relative_to(suite).with_suffix("").as_posix(): frozenset(
            re.findall(r"^def (test_\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
        )
        for file in suite.rglob("test_*.py")
    }


def release_of(summary: Summary) -> str:
    """Return the release of the suite that asked: without what mends it alone."""
    return ".".join(summary.suite.split(".")[:2])


def _plan(summary: Summary) -> Iterator[tuple[str, str, str]]:
    """Yield what a report of a whole profile lacks: its planned cases, and a case for each requirement."""
    if summary.planned != len(summary.cases):
        yield "planned", f"is {summary.planned}, and {len(summary.cases)} cases are there", "as many"
    present = {name for case in summary.cases for name in case.requirements}
    absent = sorted(set(requirements_of_profile(summary)) - present)
    if absent:
        yield "profile", f"{len(absent)} of its requirements have no case: {listed(absent, 3)}", "all of them"


def requirements_of_profile(summary: Summary) -> Iterator[str]:
    """Yield the requirements of which a whole run of the profile has a case, as its release of the suite had them."""
    profile = Profile.parse(summary.profile, summary.target.kubernetes)
    releases = list(RELEASES)[: list(RELEASES).index(release_of(summary)) + 1]
    known = {name for release in releases for name in RELEASES[release].new}
    at_level = set(judged()) if summary.level == "documented" else {n for n in OF_TARGETS if n.startswith("exact/")}
    open_to_it = profile.optional.difference(summary.target.features)
    for name in known & at_level & OF_TARGETS.keys():
        features = OF_TARGETS[name].features
        belongs = profile.asks(features) and open_to_it.isdisjoint(features)
        if belongs and OF_TARGETS[name].holds_in(profile.version) and _shows(name, summary, profile):
            yield name


def _shows(name: str, summary: Summary, profile: Profile) -> bool:
    """Tell whether a requirement shows on a surface that is asked; beside a node narrow ones are not."""
    if summary.level != "documented":
        return profile.surface is None
    claimed = profile.offered.intersection(summary.target.features)
    surfaces = {GROUPS[group].surface for group in groups_of(name, claimed=claimed)}
    if profile.surface is not None:
        return profile.surface in surfaces
    return "node" not in summary.target.surfaces or not surfaces.isdisjoint(summary.target.surfaces)
