"""The pages of versions: what the documentation promises in each, and what the kubelet of each does."""

from collections.abc import Iterable, Iterator
from itertools import groupby, pairwise
from typing import Any

from ...chapters import OF_TARGETS, REQUIREMENTS
from ...judging.chapter import Strength
from ...judging.departures import DEPARTURES, TOGETHER
from ...sources.changes import CHANGES
from ...sources.defaults import DEFAULTS, FieldDefault
from ...sources.gates import GATES, UNMODELLED, GateState, Unmodelled
from ...sources.handlers import HANDLERS, AdmissionHandler
from ...sources.options import POLICY_OPTIONS, PolicyOption
from ...sources.pages import Section
from ...sources.patches import PATCH_CHANGES, SHOWN_OF, PatchChange
from ...sources.policies import POLICIES, Policy
from ...sources.quirks import QUIRKS
from ...sources.versions import SUPPORTED, SUPPORTED_RANGE, KubernetesVersion
from ..html import render
from .source_pages import link_to, table

PATCHES = tuple(map(str, SHOWN_OF.values()))
"""Of each version the patch whose code the reference at level exact is compared with: go/kubelet/minors.txt."""


def kubernetes_versions_page() -> str:
    """Return ``docs/kubernetes-versions.md``."""
    unmet, demanded = _unmet("MUST")
    not_followed, recommended = _unmet("SHOULD")
    return render(
        "kubernetes_versions.md",
        changes=[(version, list(_changes(before, version))) for before, version in pairwise(SUPPORTED)],
        demanded=demanded,
        unmet=unmet,
        demands=table(("requirement", *map(str, SUPPORTED)), map(_row, unmet)),
        recommended=recommended,
        not_followed=not_followed,
        recommendations=table(("recommendation", *map(str, SUPPORTED)), map(_row, not_followed)),
        numbers=_NUMBERS,
        quirks=QUIRKS,
        patches=PATCHES,
    )


_CAUSES = {cause for by_version in DEPARTURES.values() for causes in by_version.values() for cause in causes}
_NUMBERS = {
    quirk: at for at, quirk in enumerate(sorted({name for each in _CAUSES for name in each.split(TOGETHER)}), 1)
}


def _unmet(strength: Strength) -> tuple[list[str], int]:
    """Return the requirements of a strength that some version does not meet, and how many there are."""
    ids = [each.id for each in OF_TARGETS.values() if each.level == "documented" and each.strength == strength]
    return [name for name in ids if name in DEPARTURES], len(ids)


def _changes(before: KubernetesVersion, version: KubernetesVersion) -> Iterator[str]:
    """Yield what a minor does otherwise than the one before: changes, then quirks, then options of policies."""
    for change in CHANGES.values():
        if change.since == version:
            issue = f" ({change.pull})" if change.pull else ""
            yield f"Until {before} {change.before}. From {version} on {change.after}{issue}."
    for quirk in QUIRKS.values():
        until = quirk.versions.until
        if until is not None and until == before and until.patch is None:  # what a patch mended, versions.md tells
            yield f"Fixed: {quirk.documented}. Until {before}, {quirk.summary} (`{quirk.id}`)."
        elif quirk.versions.since == version:
            yield f"New, beside the documentation: {quirk.summary} (`{quirk.id}`)."
    for option in POLICY_OPTIONS.values():
        was, now = option.maturity.at(before), option.maturity.at(version)
        if now and now != was:
            yield f"`{option.name}` is {_stage(now)}{'' if was else ', new'}: {option.text}."


def _row(requirement: str) -> Iterator[str]:
    yield link_to(requirement)
    departures = DEPARTURES[requirement]
    for version in SUPPORTED:
        if not REQUIREMENTS[requirement].holds_in(version):
            yield "-"
        elif version not in departures:
            yield "yes"
        else:
            causes = [cause.split(TOGETHER) for cause in departures[version]]
            yield ", ".join("+".join(str(_NUMBERS[quirk]) for quirk in quirks) for quirks in causes) or "no"


_PLATFORMS = {"any": "", "linux": "Linux", "windows": "Windows"}


def versions_page() -> str:
    """Return ``docs/versions.md``."""
    handlers = "handler", "versions", "a kubelet refuses a pod if", "reasons", "here"
    patches = "until", "what the patches before do", "from it on", "at level exact"
    return render(
        "versions.md",
        range=SUPPORTED_RANGE,
        policies=table(("field", "may be", "since", "platform"), map(_policy_row, POLICIES)),
        options=table(("option", "what it is", *map(str, SUPPORTED)), map(_option_row, POLICY_OPTIONS.values())),
        gates=table(("gate", *map(str, SUPPORTED)), _gate_rows()),
        defaults=table(("field", "default"), map(_default_row, DEFAULTS.values())),
        patches=PATCHES,
        patch_changes=table(patches, map(_patch_row, PATCH_CHANGES)),
        unmodelled=table(("gate", "what it does", "why it is left out", "first"), map(_unmodelled_row, UNMODELLED)),
        handlers=table(handlers, map(_handler_row, HANDLERS.values())),
    )


def _link(text: str, source: Section) -> str:
    return f"[`{text}`]({source.address})"


def _policy_row(policy: Policy) -> Iterable[str]:
    return f"`{policy.field}`", _link(policy.name, policy.source), str(policy.since), _PLATFORMS[policy.platform]


def _option_row(option: PolicyOption) -> Iterable[str]:
    stages = (option.maturity.at(version) for version in SUPPORTED)
    return _link(option.name, option.source), option.text, *(_stage(stage) if stage else "-" for stage in stages)


def _stage(name: str) -> str:
    return name.upper() if name == "ga" else name


def _gate_rows() -> Iterable[Iterable[str]]:
    for gate in GATES.values():
        yield _link(gate.name, gate.source), *(_gate_cell(gate.history.at(version)) for version in SUPPORTED)


def _gate_cell(state: GateState | None) -> str:
    if state is None:
        return "-"
    if state.locked:
        return "locked"
    expected = state.stage != "alpha"
    name = _stage(state.stage)
    return name if state.on == expected else f"{name}, {'on' if state.on else 'off'}"


def _patch_row(change: PatchChange) -> Iterable[str]:
    issue = f" ({change.issue})" if change.issue else ""
    met = f"quirk [`{change.quirk}`](quirks.md#{change.quirk})" if change.quirk else "no question meets it"
    return str(change.since), change.before, f"{change.after}{issue}", met


def _unmodelled_row(feature: Unmodelled) -> Iterable[str]:
    gate = GATES[feature.gate]
    return _link(gate.name, gate.source), feature.does, feature.why, str(gate.history.steps[0][0])


def _handler_row(handler: AdmissionHandler) -> Iterable[str]:
    reasons = ", ".join(f"`{reason}`" for reason in handler.reasons)
    return handler.name, str(handler.versions), handler.refuses, reasons, handler.modelled


def _default_row(default: FieldDefault[Any]) -> Iterable[str]:
    """Tell what the supported versions have; a default that did not change among them is told once."""
    by_version = [(version, _shown(default.at(version))) for version in SUPPORTED]
    steps = [(next(run)[0], value) for value, run in groupby(by_version, key=lambda step: step[1])]
    text = "; ".join(value if since == SUPPORTED[0] else f"from {since} {value}" for since, value in steps)
    return _link(default.name, default.source), text


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"`{name}: {amount}`" for name, amount in value.items())
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"
