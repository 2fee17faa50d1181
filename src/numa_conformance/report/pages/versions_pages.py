"""The pages of versions: what the documentation promises in each, and what the kubelet of each does."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from ...chapters import OF_TARGETS, REQUIREMENTS
from ...judging.chapter import Strength
from ...judging.departures import DEPARTURES, TOGETHER, Causes
from ...sources.changes import CHANGES
from ...sources.defaults import DEFAULTS, FieldDefault
from ...sources.gates import GATES, UNMODELLED, GateState, Unmodelled
from ...sources.handlers import HANDLERS, AdmissionHandler
from ...sources.options import POLICY_OPTIONS, PolicyOption
from ...sources.pages import Section
from ...sources.patches import PATCH_CHANGES, SHOWN_OF, PatchChange
from ...sources.policies import POLICIES, Policy
from ...sources.quirks import QUIRKS, Quirk
from ...sources.versions import OLDEST, SUPPORTED, SUPPORTED_RANGE, KubernetesVersion
from .markdown import joined, link_to, table

PATCHES = tuple(map(str, SHOWN_OF.values()))
"""Of each version the patch whose code the reference at level exact is compared with: go/kubelet/minors.txt."""


def kubernetes_versions_page() -> str:
    """Return ``docs/kubernetes-versions.md``."""
    unmet, demanded = _unmet("MUST")
    not_followed, recommended = _unmet("SHOULD")
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
        f"The pages demand {demanded} requirements. Some version does not meet these {len(unmet)}. All others are met.",
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


def _unmet(strength: Strength) -> tuple[list[str], int]:
    """Return the requirements of a strength that some version does not meet, and how many there are."""
    ids = [each.id for each in OF_TARGETS.values() if each.level == "documented" and each.strength == strength]
    return [name for name in ids if name in DEPARTURES], len(ids)


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
            yield f"- `{option.name}` is {_stage(now)}{'' if was else ', new'}: {option.text}."


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


_HANDLER_COLUMNS = ("handler", "versions", "a kubelet refuses a pod if", "reasons", "here")
_PLATFORMS = {"any": "", "linux": "Linux", "windows": "Windows"}


def versions_page() -> str:
    """Return ``docs/versions.md``."""
    lines = [
        "# Versions of Kubernetes",
        "",
        f"What the resource managers' documentation says from version to version. Behaviour is known from "
        f"{SUPPORTED_RANGE}. [quirks.md](quirks.md) tells where a version departs from its documentation. Made from "
        "the room `sources/` by `numa-conformance requirements --versions`.",
        "",
        "## Policies, scopes and strategies",
        "",
        *table(("field", "may be", "since", "platform"), map(_policy_row, POLICIES)),
        "",
        "## Policy options",
        "",
        "alpha, beta: there while the gate of that group is on. GA: always there. -: not there yet.",
        "",
        *table(("option", "what it is", *map(str, SUPPORTED)), map(_option_row, POLICY_OPTIONS.values())),
        "",
        "## Feature gates",
        "",
        "alpha: off by default. beta: on by default. Where it is otherwise, the table says so. locked: cannot be "
        "changed. gone: cannot be set, and what it guarded is there. -: not there yet.",
        "",
        *table(("gate", *map(str, SUPPORTED)), _gate_rows()),
        "",
        "## Defaults",
        "",
        "What a KubeletConfiguration means where it says nothing.",
        "",
        *table(("field", "default"), map(_default_row, DEFAULTS.values())),
        "",
        "## Patches",
        "",
        "A version may name a patch (`1.34.0`). Alone (`1.34`) it is the newest patch of which level `exact` was "
        f"shown: {', '.join(PATCHES)}.",
        "",
        "Within a minor, patches differ in what the managers decide only here, in the Device Manager:",
        "",
        *table(("until", "what the patches before do", "from it on", "at level exact"), map(_patch_row, PATCH_CHANGES)),
        "",
        "Where no question meets a difference, level `exact` does not tell the patches apart: it restarts a kubelet "
        "with all device plugins registered. Of 1.34.6 no module is published. It is counted to the patches before "
        "1.34.7.",
        "",
        "## Not modelled",
        "",
        "What Kubernetes has near NUMA placement, and level `exact` does not reproduce. The gates themselves are "
        "known: a configuration that sets one is accepted or refused as by the kubelet.",
        "",
        *table(("gate", "what it does", "why it is left out", "first"), map(_unmodelled_row, UNMODELLED)),
        "",
        "## The chain of admission",
        "",
        "A pod passes these handlers of a kubelet, in this order. The first that refuses it ends it. `simulate` and "
        "`explain` go through them; what is not modelled they tell of each pod that uses it. A *Node* is one among the "
        "pods that they read.",
        "",
        *table(_HANDLER_COLUMNS, map(_handler_row, HANDLERS.values())),
    ]
    return joined(lines)


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
    since = gate.history.steps[0][0]
    return _link(gate.name, gate.source), feature.does, feature.why, str(since)


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
