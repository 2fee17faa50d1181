"""The page that lists, for each release of the suite, the requirements that are new or tightened."""

from __future__ import annotations

from collections.abc import Iterator

from ...chapters import REQUIREMENTS
from ...judging.releases import NEXT, RELEASES
from .markdown import joined, link_to, table


def requirement_changes_page() -> str:
    """Return ``docs/requirement-changes.md``."""
    first, *later = RELEASES
    lines = [
        "# New and tightened requirements",
        "",
        "An implementation that passed may fail these after an update of the suite. "
        "`numa-conformance requirements --changes` makes this page from the registry. "
        "The [changelog](../CHANGELOG.md) lists everything else.",
    ]
    for release in reversed(later):
        lines += ["", f"## {release}", *_new(release), *_tightened(release)]
    lines += ["", f"## {first}", "", f"The first release, with {len(RELEASES[first].new)} requirements."]
    return joined(lines)


def _new(release: str) -> Iterator[str]:
    listed = {id for each in RELEASES.values() for id in each.new}
    of_release = set(RELEASES[release].new) | (REQUIREMENTS.keys() - listed if release == NEXT else set())
    new = [requirement for id, requirement in REQUIREMENTS.items() if id in of_release]
    yield from ("", f"{len(new)} are new:", "")
    yield from table(("requirement", "strength", "text"), ((link_to(r.id), r.strength, r.text) for r in new))


def _tightened(release: str) -> Iterator[str]:
    tightened = RELEASES[release].tightened
    yield from ("", f"{len(tightened)} are tightened. They are tested in more cases:", "")
    yield from table(("requirement", "now tested too"), ((link_to(id), cases) for id, cases in tightened.items()))
