"""The page of the track record: which known bugs of released code are shown, by what, and when last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bugs import LIVES, Bug, bugs
from third_parties import Party, parties

from numa_conformance.report.pages.source_pages import table
from numa_conformance.sources.changes import CHANGES

__all__ = ["track_record_page"]

HEAD = ("bug", "public", "releases", "shown by", "repeated on", "without it", "asking", "last")


def track_record_page(repeated: Mapping[str, Mapping[str, Any]], asked: Iterable[str]) -> str:
    """Return ``docs/track-record.md`` of what was repeated; ``asked``: the bugs that there are questions for."""
    every, asked = list(bugs()), set(asked)
    shown = [bug for bug in every if bug.id in repeated]
    waiting = [bug for bug in every if bug.id not in repeated and bug.id in asked]
    by_life = {life.quirk for life in LIVES}
    unasked = [bug for bug in every if bug.id not in asked | by_life]
    known = len(every) + sum(not life.quirk for life in LIVES)
    lines = [
        "# Track record",
        "",
        f"{len(shown)} of {known} known bugs were repeated with released code. One is repeated by",
        "",
        "```sh",
        "tox run -e track-record -- groups-may-cross          # builds the managers of two releases (needs Go)",
        "tox run -e track-record -- --built groups-may-cross  # asks the nearest releases that are built already",
        "```",
        "",
        "Each bug has a few questions in [go/track_record/histories](../go/track_record/histories). The kubelet's own "
        "managers ([go/kubelet](../go/kubelet/README.md)) are asked them: of a release that has the bug, and of one "
        "without it. Both answer as the reference at level `exact` of their versions, and they differ. Where a "
        "requirement is named, the first breaks it and the second does not. A bug that the newest release still has is "
        "compared with the reference without that quirk. *Asking* is the time of the questions. Building a release "
        "takes minutes the first time.",
        "",
        "`python go/track_record/track_record.py --page` makes this page. Releases and references come from records "
        "of quirks and changes, the rest from what was repeated last.",
        "",
        "## Shown and repeated",
        "",
        table(HEAD, [_row(bug, repeated[bug.id]) for bug in shown]),
        "",
    ]
    if waiting:
        lines += ["## Shown by questions, not repeated yet", "", table(HEAD[:3], [_bug(bug) for bug in waiting]), ""]
    lines += [
        "## Shown by pods and steps",
        "",
        "[Steps](steps.md) boot the machine, and let device plugins be late or offer nothing. Each list is a file in "
        "[go/track_record/lives](../go/track_record/lives), asked of the reference:",
        "",
        "```sh",
        "numa-conformance bisect --machine go/track_record/lives/machine.yaml --config "
        "go/track_record/lives/kubelet.yaml \\",
        "    --from 1.27.5 --to 1.27.6 go/track_record/lives/plugin-late-at-restart.yaml",
        "```",
        "",
        table(
            ("bug", "public", "releases", "steps", "shown on", "without it"),
            [
                (
                    one.what,
                    _public(one.references),
                    one.releases,
                    f"`{one.id}`",
                    one.shown_on,
                    one.without or "none yet",
                )
                for one in LIVES
            ],
        ),
        "",
        "## Shown on the reference alone",
        "",
        "The suite shows these on the reference of a version that has them ([Quirks](quirks.md)); there is no "
        "history here to repeat them by.",
        "",
        table(HEAD[:3], [_bug(bug) for bug in unasked]),
        "",
        "## Third parties",
        "",
        "What allocators of others do not meet (MUST). [Who conforms](who-conforms.md) says why, and what "
        "recommendations are not followed. `tox run -e track-record -- ROW` asks for these requirements alone, and "
        "`tox run -e third-party` for all of them.",
        "",
        table(
            ("row", "allocator", "shown by", "asking", "last"), [_party(one, repeated.get(one.id)) for one in parties()]
        ),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _party(party: Party, came: Mapping[str, Any] | None) -> tuple[str, ...]:
    unmet = "<br>".join(f"`{one}`" for one in party.unmet)
    seconds, when = (f"{came['seconds']} s", came["when"]) if came else ("-", "not repeated alone")
    return f"`{party.id}`", f"{party.title} {party.version}", unmet, seconds, when


def _row(bug: Bug, came: Mapping[str, Any]) -> tuple[str, ...]:
    requirements = "<br>".join(f"`{one}`" for one in came["requirements"][:2]) or "level `exact`"
    seconds = f"{came['seconds']} s"
    return (*_bug(bug), requirements, came["shown_on"], came["without"], seconds, came["when"])


def _bug(bug: Bug) -> tuple[str, str, str]:
    link = f"[`{bug.id}`](kubernetes-versions.md)" if bug.id in CHANGES else f"[`{bug.id}`](quirks.md#{bug.id})"
    last = "open" if bug.last is None else bug.last
    return f"{link}: {bug.what}", _public((bug.issue, *bug.pulls)), f"{bug.since} to {last}"


def _public(references: Iterable[str | None]) -> str:
    named = [one for one in references if one]
    links = (
        f"[{one.partition('#')[2]}](https://github.com/kubernetes/kubernetes/issues/{one.partition('#')[2]})"
        for one in named
    )
    return ", ".join(links) or "none known"
