"""By which quirks the kubelet does not meet requirements: measured, as its code was asked at level ``documented``.

``departures.json`` is written by ``python -m measured departures`` in the folder ``tests``: the whole suite asked of
the reference with the quirks of each version. A cause is a quirk without which the shortest conversation that broke the
requirement keeps it, or several together where none alone is the reason.
"""

import json
from collections.abc import Mapping
from pathlib import Path

from ..files import text_of
from ..sources.versions import SUPPORTED, KubernetesVersion, Span

Causes = tuple[str, ...]
FILE = Path(__file__).with_suffix(".json")
TOGETHER = "+"
"""Between the quirks of one cause."""
_WRITTEN: dict[str, dict[str, list[str]]] = json.loads(text_of(__package__, FILE.name))
DEPARTURES: Mapping[str, Mapping[KubernetesVersion, Causes]] = {
    requirement: {
        version: tuple(causes) for span, causes in spans.items() for version in SUPPORTED if version in Span.parse(span)
    }
    for requirement, spans in _WRITTEN.items()
}
"""Requirement to the versions that do not meet it, with the causes; empty where no quirk is the reason."""


def departing(requirement: str, version: KubernetesVersion) -> Causes:
    """Return the quirks by which the kubelet of a version does not meet a requirement; none where it does."""
    causes = DEPARTURES.get(requirement, {}).get(version, ())
    return tuple(dict.fromkeys(quirk for cause in causes for quirk in cause.split(TOGETHER)))
