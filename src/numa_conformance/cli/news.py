"""``numa-conformance news``: the requirements that are new or tightened since a release of the suite."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from ..asking.examples.index import surfaces_of_tests
from ..asking.groups import groups_of
from ..chapters import REQUIREMENTS, Requirement
from ..documents import read_documents
from ..errors import Fault, UsageError, closest
from ..fields import object_at
from ..judging.releases import RELEASES
from ..report.circumstances import report_file
from ..report.pages.api_page import new_in
from .options import FILE
from .terminal import print_json, say

_Claims = tuple[frozenset[str], frozenset[str]]


@click.command("news")
@click.option(
    "--since", default=next(iter(RELEASES)), show_default=True, metavar="RELEASE", help="The release in use so far."
)
@click.option("--claims", type=FILE, help="A report, or what smoke --json prints: only what that target claims.")
@click.option("--json", "as_json", is_flag=True, help="Print the requirements as JSON.")
def command(since: str, claims: Path | None, as_json: bool) -> None:
    """List the requirements that are new or tightened since a release: an implementation that passed may fail them."""
    minor = ".".join(since.split(".")[:2])
    if minor not in RELEASES:
        wrong = f"there is no release {since!r}"
        raise UsageError(Fault("--since", wrong, ", ".join(RELEASES), closest(minor, RELEASES)))
    rows = list(_rows([*RELEASES][[*RELEASES].index(minor) + 1 :], _claims(claims) if claims else None))
    if as_json:
        print_json(rows)
        return
    for row in rows:
        level = "" if row["level"] == "documented" else f", level {row['level']}"
        say(f"{row['release']}, {row['change']}: {row['id']} ({row['strength']}{level})", f"    {row['text']}")
    counts = ", ".join(f"{sum(row['change'] == name for row in rows)} {name}" for name in ("new", "tightened"))
    say(f"{counts} since {minor}" + ("" if claims is None else f", of what {claims} claims"))


def _rows(releases: list[str], claims: _Claims | None) -> Iterator[dict[str, Any]]:
    for release in releases:
        changes = {id: ("tightened", f"now tested too: {cases}") for id, cases in RELEASES[release].tightened.items()}
        changes |= {each.id: ("new", each.text) for each in new_in(release)}
        for id, (change, text) in sorted(changes.items(), key=lambda item: item[1][0]):
            known = REQUIREMENTS[id]
            if claims is None or _concerns(known, *claims):
                of_it = {name: getattr(known, name) for name in ("strength", "level", "features", "address")}
                yield {"release": release, "change": change, "id": id, "text": text, **of_it}


def _concerns(known: Requirement, features: frozenset[str], surfaces: frozenset[str]) -> bool:
    """Tell whether a target with these claims is asked about a requirement."""
    shown_by_tests = surfaces & surfaces_of_tests().get(known.id, frozenset())
    return bool(shown_by_tests or groups_of(known.id, surfaces, features)) and features.issuperset(known.features)


def _claims(path: Path) -> _Claims:
    """Return features and surfaces of a report's target, or of one asked by ``smoke``; raises ``UsageError``."""
    file = report_file(path)
    described = object_at(next((document.value for document in read_documents(file)), None))
    described = object_at(described, "target") or described
    features, surfaces = described.get("features"), described.get("surfaces")
    if not isinstance(features, list) or not isinstance(surfaces, list):
        accepted = "a report of the suite, or what numa-conformance smoke --json prints"
        raise UsageError(Fault(str(file), "names no features and surfaces", accepted))
    return frozenset(map(str, features)), frozenset(map(str, surfaces))
