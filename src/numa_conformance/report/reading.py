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
from ..errors import Fault, UsageError
from ..fields import Fields, shown
from ..files import data_folder
from ..judging.releases import RELEASES
from ..printable import listed
from ..sources.versions import KubernetesVersion
from .circumstances import read_form, report_file
from .claims import SILENT, TARGET_SNAPSHOTS
from .model import FORMAT, Summary

MAX_BYTES = 256 * 1024 * 1024
"""Of a report.json that is read at most."""
LEVELS = ("documented", "exact", TARGET_SNAPSHOTS)
_SHAPE = re.compile(r"[\w-]+(/[\w-]+)+")
_CASE = re.compile(r"(?P<file>[\w/-]+)::(?P<test>\w+)(\[[^\n]*\])?")
_FILE = re.compile(r"histories/[\w/-]+\.jsonl")


def read_report(path: Path) -> Summary:
    """Read a report.json or its folder, and draw its verdict anew; raises ``UsageError``, also for wrong counts."""
    file = report_file(path)
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
    """Refuse a report with free text in place of names, or without what it claims; raises ``UsageError``.

    Of another version of the suite the names of cases and requirements have a shape alone.
    """
    fields, target, ours = Fields(str(file)), summary.target, summary.suite == __version__
    fields.name(target.name, "target.name")
    fields.name(target.version, "target.version")
    of_suite = (("format", summary.format, (FORMAT,)), ("suite", release_of(summary), RELEASES))
    for field, value, known in (("level", summary.level, LEVELS), *of_suite):
        if value not in known:
            fields.fault(field, f"is {shown(value)}", ", ".join(known))
    try:
        KubernetesVersion.supported(target.kubernetes)
        if summary.profile and summary.profile != f"{_profile(summary).name}@{target.kubernetes}":
            fields.fault("profile", f"is {shown(summary.profile)}", f"NAME@{target.kubernetes}")
    except UsageError as error:
        fields.take("profile", error)
    counts = Counter(case.id for case in summary.cases)
    for at, case in enumerate(summary.cases):
        match = _CASE.fullmatch(case.id)
        if match is None or counts[case.id] > 1 or (ours and match["test"] not in _tests().get(match["file"], ())):
            fields.fault(f"cases[{at}].id", f"is {shown(case.id)}", "a case of the suite, once")
        if case.judges_conversations and not case.id.endswith(f"[{''.join(case.requirements)}]"):
            fields.fault(f"cases[{at}].id", f"is {shown(case.id)}", "a case of its requirement")
        for name in (*case.requirements, *case.with_it):
            if name not in REQUIREMENTS and (ours or not _SHAPE.fullmatch(name)):
                fields.fault(f"cases[{at}].requirements", f"has {shown(name)}", "ids of requirements")
        for name in filter(None, (case.history, *case.conversations)):
            if not _FILE.fullmatch(name):
                fields.fault(f"cases[{at}].history", f"is {shown(name)}", "histories/NAME.jsonl")
    if summary.planned < len(summary.cases):
        fields.fault("planned", f"is {summary.planned}, and {len(summary.cases)} cases are there", "no fewer")
    fields.raise_if_any()
    if summary.profile:
        _check_plan(summary, fields)


def _profile(summary: Summary) -> Profile:
    return Profile.parse(summary.profile, summary.target.kubernetes)


@cache
def _tests() -> dict[str, frozenset[str]]:
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


def _check_plan(summary: Summary, fields: Fields) -> None:
    """Refuse a report of a whole profile that lacks planned cases, or one of a requirement."""
    if summary.planned != len(summary.cases):
        fields.fault("planned", f"is {summary.planned}, and {len(summary.cases)} cases are there", "as many")
    present = {name for case in summary.cases for name in case.requirements}
    if absent := sorted(set(requirements_of_profile(summary)) - present):
        fields.fault("profile", f"{len(absent)} of its requirements have no case: {listed(absent, 3)}", "all of them")
    fields.raise_if_any()


def requirements_of_profile(summary: Summary) -> Iterator[str]:
    """Yield the requirements of which a whole run of the profile has a case, as its release of the suite had them."""
    profile = _profile(summary)
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
