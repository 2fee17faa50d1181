"""The page that tells what changes from one version of Kubernetes to the next."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from ...sources.defaults import DEFAULTS, FieldDefault
from ...sources.gates import GATES, GateState
from ...sources.options import POLICY_OPTIONS, PolicyOption
from ...sources.pages import Section
from ...sources.patches import PATCH_CHANGES, SHOWN_OF, PatchChange
from ...sources.policies import POLICIES, Policy
from ...sources.unmodelled import UNMODELLED, Unmodelled
from ...sources.versions import SUPPORTED, SUPPORTED_RANGE
from .markdown import joined, table

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
        f"shown: {', '.join(map(str, SHOWN_OF.values()))}.",
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
