"""Probes: short histories of which each shows some quirks and changes, for telling whose decisions a target makes.

``probes.jsonl.gz`` is written by ``tests/probing.py``: histories without answers, whose cell names what they show.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ..comparing.recorded.device_file import DEVICE_FILE
from ..comparing.recorded.needs import features_needed
from ..judging.files import CPU_FILE, MEMORY_FILE
from ..machine import machine_to_dict
from ..wire import Client
from ..wire.history.history import History, Step, read_histories

FILE = Path(__file__).with_suffix(".jsonl.gz")
_WRITTEN = {
    CPU_FILE: "cpu-manager/state-file",
    MEMORY_FILE: "memory-manager/state-file",
    DEVICE_FILE: "device-manager/state-file",
}
UNSEEN = {
    "options-flag-takes-one-pair": "a target is given a configuration, and no flags of a command line",
    "reconcile-period-is-fixed": "no question tells the time: a pass of the loop comes when it is asked for",
    "ended-init-containers-need-their-plugin": "managers alone do not show it: plugins are late beside whole kubelets",
    "reservations-are-told-beside-capacity": "managers alone do not show it: a whole kubelet makes the check",
    "class-by-container": "the pods that tell are refused by the API server, and never come to a node",
}
"""Quirks and changes that no answer shows, and why."""
_KINDS = {"allocate": "cpu-static", "hints": "cpu-static", "merge": "merge", "score": "noderesourcesfit"}


@dataclass(frozen=True, eq=False, slots=True)
class Probe:
    """Questions, and the ids of the quirks and changes that they show in some version.

    ``surface`` and ``needs``: what a target must claim to be asked them.
    """

    history: History
    traits: tuple[str, ...]
    surface: str
    needs: frozenset[str]

    @classmethod
    def of(cls, history: History) -> Probe:
        """Read a history whose cell names what it shows."""
        surface = history.steps[0].method.partition(".")[0]
        return cls(history, tuple(history.head.cell.split()), surface, _needs(history, surface))


@cache
def probes() -> tuple[Probe, ...]:
    """Return every probe."""
    with gzip.open(FILE, "rt", encoding="utf-8") as lines:
        return tuple(map(Probe.of, read_histories(lines)))


def asked_of(client: Client) -> Iterator[Probe]:
    """Yield the probes that are fair questions to a target: it claims what they need."""
    return (probe for probe in probes() if probe.surface in client.surfaces and probe.needs <= client.features)


def _needs(history: History, surface: str) -> frozenset[str]:
    first = history.steps[0].params
    if surface == "node":
        return _of_life(history)
    if surface == "pick":
        return frozenset(f"cpu-manager/{name}" for name, on in (first.get("options") or {}).items() if on)
    if surface == "classify":
        return frozenset({"node/qos"})
    needed = features_needed(_KINDS[surface], {**first})
    return needed - {"cpu-manager/hints"} if surface == "allocate" else needed


def _of_life(history: History) -> frozenset[str]:
    needed: frozenset[str] = frozenset()
    for step in history.steps:
        if step.method in ("node.start", "node.restart"):
            needed |= {_WRITTEN[name] for name in step.params.get("files") or () if name in _WRITTEN}
        if isinstance(step.params.get("kubelet"), Mapping):
            needed |= features_needed("lifecycle", _life(history, step.params["kubelet"]))
        if step.method == "node.resize":
            needed |= {"node/resize"}
    return needed


def _life(history: History, kubelet: Mapping[str, Any]) -> dict[str, Any]:
    """Return the life of a node as recorded decisions have it."""
    return {
        "machine": machine_to_dict(history.head.machine),
        "kubelet": {"topologyManagerScope": "container", **kubelet},
        "steps": [_as_recorded(step) for step in history.steps],
    }


def _as_recorded(step: Step) -> dict[str, Any]:
    return {"op": step.method.removeprefix("node."), **step.params}
