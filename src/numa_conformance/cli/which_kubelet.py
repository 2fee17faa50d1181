"""``numa-conformance which-kubelet``: as which Kubernetes minor a target decides, and what of that minor is mended."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import click

from ..report.minor_fit import TRAITS, Fit, ProbeAnswers, TraitProbe, fair_probes, fits, probes, shown_traits
from ..sources.changes import CHANGES
from ..sources.quirks import QUIRKS
from ..sources.versions import SUPPORTED, KubernetesVersion
from .options import TIMEOUT
from .targets import about_target, open_target, side, with_version_of
from .terminal import DIFFERENT, OK, print_json, say, with_progress

MOST_SHOWN = 5
"""Probes that nothing known explains and that are shown; more are counted."""
MOST_NAMED = 20
"""Quirks and changes of which no answer tells and that are named; more are counted."""


@click.command("which-kubelet")
@click.argument("target", metavar="TARGET")
@click.option("--messages", is_flag=True, help="Compare the wording of refusals too, which tells more minors apart.")
@TIMEOUT
@click.option("--json", "as_json", is_flag=True, help="Print the minors, quirks and changes as JSON.")
def command(target: str, messages: bool, timeout: float, as_json: bool) -> int:
    """Say as which Kubernetes minor a fork or another allocator decides, and which quirks of that minor it fixed.

    TARGET: as the sides of `diff`: 'command:./my-kubelet --stdio', target:package.module:factory, kubelet:./kubelet or
    reference@VERSION. It is asked short histories that show quirks and changes; the minors of which it departs least
    are shown. Exits with 0 if it decides as a released minor in all of them, with 1 if it departs from every minor, 3
    when it cannot be asked.
    """
    choice = with_version_of(side(target, timeout), None)
    with open_target(choice) as client:
        answers = ProbeAnswers(client, whole=choice.resource_fit, messages=messages)
        fair = list(fair_probes(client))
        for _ in with_progress(answers.ask(fair), "asking", len(fair)):
            pass
        best = fits(answers, with_progress(SUPPORTED, "comparing with each minor", len(SUPPORTED)))
        newest = shown_traits(answers, best[-1])
        count = len(answers.histories)
        about = {**about_target(target, client), "probes": count, "notAsked": len(probes()) - count}
    if as_json:
        traits = [{**_trait(name, best[-1].version), "shown": shown} for name, shown in newest.items()]
        print_json({**about, "decidesAs": [_as_json(fit) for fit in best], "traits": traits})
    else:
        say(*_lines(about, best, newest))
    return DIFFERENT if best[0].departures else OK


def _as_json(fit: Fit) -> dict[str, Any]:
    return {
        "version": str(fit.version),
        "turned": [_trait(name, fit.version) for name in fit.turned],
        "unexplained": [_title(probe) for probe in fit.unexplained],
    }


def _trait(name: str, version: KubernetesVersion) -> dict[str, Any]:
    """Return what is known of a quirk or a change: with a quirk that a minor shows, the pull request that mended it."""
    if name in QUIRKS:
        quirk = QUIRKS[name]
        known = {"versions": str(quirk.versions), "issue": quirk.issue, "pull": list(quirk.pull)}
        return {"id": name, "kind": "quirk", "ofTheMinor": version in quirk.versions, **known}
    change = CHANGES[name]
    known = {"versions": f"{change.since}+", "issue": None, "pull": [change.pull] if change.pull else []}
    return {"id": name, "kind": "change", "ofTheMinor": version >= change.since, **known}


def _title(probe: TraitProbe) -> str:
    return f"{probe.history.head.machine.name}: {' '.join(step.method for step in probe.history.steps)}"


def _lines(about: Mapping[str, Any], best: Sequence[Fit], shows: Mapping[str, bool | None]) -> Iterator[str]:
    yield f"{about['name']} {about['version']}, which says that it follows Kubernetes {about['kubernetesVersion']}"
    left = f" ({about['notAsked']} need what it does not claim)" if about["notAsked"] else ""
    yield f"{about['probes']} probes asked{left}"
    yield ""
    for _, alike in groupby(best, key=lambda fit: (fit.turned, fit.unexplained)):
        yield from _fit_lines(list(alike))
    version = best[-1].version
    yield ""
    yield f"beside {version}:"
    for title, wanted in (("quirks that it shows:", True), ("quirks that it does not show:", False)):
        names = [name for name in TRAITS if shows[name] is wanted and (name in QUIRKS)]
        names = [name for name in names if wanted or version in QUIRKS[name].versions or QUIRKS[name].pull]
        if names:
            yield f"  {title}"
        for quirk in (QUIRKS[name] for name in names):
            mended = f"; fixed by {', '.join(quirk.pull)}" if quirk.pull else ""
            yield f"    {quirk.id} (Kubernetes {quirk.versions}{mended})"
    if changed := [name for name in CHANGES if shows[name] is not None]:
        yield "  changes of Kubernetes:"
        yield from (f"    {name}: decides as {_side(name, shows[name])}" for name in changed)
    if untold := [name for name in TRAITS if shows[name] is None]:
        named = ", ".join(untold) if len(untold) <= MOST_NAMED else f"{len(untold)} (--json has them)"
        yield f"  no answer shows, of quirks and changes: {named}"


def _fit_lines(alike: Sequence[Fit]) -> Iterator[str]:
    fit = alike[-1]
    versions = " or ".join(str(other.version) for other in alike)
    if len(alike) > 1:
        versions += ", which no answer tells apart"
    if not fit.departures:
        yield f"decides as Kubernetes {versions}"
        return
    yield f"decides as Kubernetes {versions}, but:"
    yield from (f"  {_turn_line(name, fit.version)}" for name in fit.turned)
    for title, group in groupby(map(_title, fit.unexplained[:MOST_SHOWN])):
        count = len(list(group))
        yield f"  nothing known explains its answers on {title}{f' ({count} times)' if count > 1 else ''}"
    if len(fit.unexplained) > MOST_SHOWN:
        yield f"  ... and {len(fit.unexplained) - MOST_SHOWN} more"


def _turn_line(name: str, version: KubernetesVersion) -> str:
    if name in CHANGES:
        made = version >= CHANGES[name].since
        return f"change {name} of {CHANGES[name].since} is {'not made' if made else 'made'}{_by(name)}"
    return f"quirk {name} is {'mended' if version in QUIRKS[name].versions else 'shown'}{_by(name)}"


def _by(name: str) -> str:
    """Return the pull requests of a change, or that mended a quirk, in brackets."""
    pull = CHANGES[name].pull if name in CHANGES else ", ".join(QUIRKS[name].pull)
    return f" ({pull})" if pull else ""


def _side(name: str, shown: bool | None) -> str:
    since = CHANGES[name].since
    return f"{since} and later{_by(name)}" if shown else f"before {since}"
