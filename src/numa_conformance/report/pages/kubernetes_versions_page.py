"""The page that tells, minor by minor, what the kubelet began to do otherwise and what it does not meet."""

from __future__ import annotations

from collections.abc import Iterator

from ...chapters import OF_TARGETS, REQUIREMENTS
from ...judging.chapter import Strength
from ...judging.departures import DEPARTURES, TOGETHER, Causes
from ...sources.changes import CHANGES
from ...sources.options import POLICY_OPTIONS
from ...sources.patches import SHOWN_OF
from ...sources.quirks import QUIRKS, Quirk
from ...sources.versions import OLDEST, SUPPORTED, KubernetesVersion
from .links import link_to
from .markdown import joined, table

PATCHES = tuple(map(str, SHOWN_OF.values()))
"""Of each version the patch whose code the reference at level exact is compared with: go/kubelet/minors.txt."""


def kubernetes_versions_page() -> str:
    """Return ``docs/kubernetes-versions.md``."""
    unmet, asked = _told("MUST")
    not_followed, recommended = _told("SHOULD")
    lines = [
        "# Kubernetes, minor by minor",
        "",
        "- **For:** those who run nodes and move them from one version to the next.",
        "- **At the end:** you know what a version changes, and what the kubelet of each version does not meet.",
        "",
        "`numa-conformance requirements --kubernetes-versions` makes this page from the records of changes, quirks and "
        "options. [versions.md](versions.md) tells what the pages promise from version to version.",
        "",
        "## What changed",
        *(line for version in SUPPORTED if version > OLDEST for line in _section(version)),
        "",
        "## What the kubelet does not meet",
        "",
        f"The pages demand {asked} requirements. Some version does not meet these {len(unmet)}. All others are met.",
        "",
        "- yes: met.",
        "- -: not promised in that version.",
        "- A number names a quirk below. Without it the shortest conversation that breaks the requirement keeps it. Of "
        "several numbers any one will do. Numbers joined by + do so only together. Further quirks may hide behind it.",
        "",
        "To measure it, `cd tests && python -m measured departures` asks the reference the whole suite at level "
        "`documented`, with the quirks of each version.",
        "",
        *table(("requirement", *map(str, SUPPORTED)), (_row(name) for name in unmet)),
        "",
        f"They recommend {recommended} more, or say that it is tried. These {len(not_followed)} are not followed "
        "everywhere. no: by no quirk. What the pages describe does not follow them everywhere either.",
        "",
        *table(("recommendation", *map(str, SUPPORTED)), (_row(name) for name in not_followed)),
        "",
        *(f"{number}. [`{quirk}`](quirks.md#{quirk}): {QUIRKS[quirk].summary}." for quirk, number in _NUMBERS.items()),
        "",
        "## Held against what",
        "",
        "Level `exact` of each version was compared with the managers and the scheduler plugin of one patch: "
        f"{', '.join(PATCHES[:-1])} and {PATCHES[-1]}. [Measurements](measurements.md) tell the outcome. "
        "[Patches](versions.md#patches) tell what older patches of a minor do otherwise.",
    ]
    return joined(lines)


_NUMBERS = {
    quirk: number
    for number, quirk in enumerate(
        sorted(
            {
                quirk
                for by_version in DEPARTURES.values()
                for causes in by_version.values()
                for cause in causes
                for quirk in cause.split(TOGETHER)
            }
        ),
        1,
    )
}


def _told(strength: Strength) -> tuple[list[str], int]:
    """Return the requirements of a strength that some version does not meet, and how many there are."""
    asked = [
        requirement.id
        for requirement in OF_TARGETS.values()
        if requirement.level == "documented" and requirement.strength == strength
    ]
    return [name for name in asked if name in DEPARTURES], len(asked)


def _section(version: KubernetesVersion) -> Iterator[str]:
    lines = [*_changes(version), *_quirks(version), *_options(version)]
    yield from ("", f"### {version}", "")
    yield from lines or ["- nothing that the resource managers decide."]


def _changes(version: KubernetesVersion) -> Iterator[str]:
    for change in CHANGES.values():
        if change.since == version:
            issue = f" ({change.pull})" if change.pull else ""
            before = SUPPORTED[SUPPORTED.index(version) - 1]
            yield f"- Until {before} {change.before}. From {version} on {change.after}{issue}."


def _quirks(version: KubernetesVersion) -> Iterator[str]:
    before = SUPPORTED[SUPPORTED.index(version) - 1]
    for quirk in QUIRKS.values():
        if _ends_with(quirk, before):
            yield f"- Mended: {quirk.documented}. Until {before}, {quirk.summary} (`{quirk.id}`)."
        elif quirk.versions.since == version:
            yield f"- New, beside the documentation: {quirk.summary} (`{quirk.id}`)."


def _ends_with(quirk: Quirk, version: KubernetesVersion) -> bool:
    """Tell whether a quirk ends with the last patch of a version; what a patch mended, versions.md tells."""
    until = quirk.versions.until
    return until is not None and until == version and until.patch is None


def _options(version: KubernetesVersion) -> Iterator[str]:
    before = SUPPORTED[SUPPORTED.index(version) - 1]
    for option in POLICY_OPTIONS.values():
        was, now = option.maturity.at(before), option.maturity.at(version)
        if now and now != was:
            stage = now.upper() if now == "ga" else now
            yield f"- `{option.name}` is {stage}{'' if was else ', new'}: {option.text}."


def _row(requirement: str) -> Iterator[str]:
    yield link_to(requirement)
    departures = DEPARTURES[requirement]
    for version in SUPPORTED:
        if not REQUIREMENTS[requirement].holds_in(version):
            yield "-"
        else:
            yield _cell(departures[version]) if version in departures else "yes"


def _cell(causes: Causes) -> str:
    numbers = ("+".join(str(_NUMBERS[quirk]) for quirk in cause.split(TOGETHER)) for cause in causes)
    return ", ".join(numbers) or "no"
