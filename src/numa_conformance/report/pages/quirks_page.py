"""The page of the quirks: where Kubernetes departs from its documentation."""

from __future__ import annotations

from ...sources.quirks import QUIRKS
from .markdown import joined
from .rules_page import rule_links

_ACTOR = {"scheduler": "The scheduler"}


def quirks_page() -> str:
    """Return ``docs/quirks.md``."""
    lines = [
        "# Quirks",
        "",
        "Where Kubernetes departs from its documentation. At level `exact` the reference shows every quirk of the "
        "Kubernetes version asked for; at level `documented` it shows none. "
        "Made by `numa-conformance quirks --markdown`.",
        "",
    ]
    for quirk in QUIRKS.values():
        rules = f" rules {rule_links(quirk.rules)};" if quirk.rules else ""
        issue = f" Public reference: {quirk.issue}." if quirk.issue else ""
        pull = f" Mended by {', '.join(quirk.pull)}." if quirk.pull else ""
        lines += [
            f"## `{quirk.id}`",
            "",
            f"{_ACTOR.get(quirk.area, 'The kubelet')}: {quirk.summary}.",
            "",
            f"The documentation, and the reference with the quirk off: {quirk.documented}.",
            "",
            f"Area {quirk.area};{rules} Kubernetes {quirk.versions}.{issue}{pull}",
            "",
        ]
    return joined(lines)
