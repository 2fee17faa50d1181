"""Feature gates of the resource managers and their neighbours, by Kubernetes version.

A gate of other parts of Kubernetes is not listed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from ..files import records_of, text_of
from .pages import FEATURE_GATES, FEATURE_GATES_REMOVED, Section
from .versions import NEWEST, KubernetesVersion, Timeline

Stage = Literal["alpha", "beta", "ga", "deprecated", "gone"]


@dataclass(frozen=True, slots=True)
class GateState:
    """How mature a gate is, whether it is on by default, and whether it is locked to that.

    A gate that is ``gone`` cannot be set: its feature is always on, or was removed (``on`` false).
    """

    stage: Stage
    on: bool
    locked: bool = False


@dataclass(frozen=True, slots=True)
class FeatureGate:
    """One gate and what became of it from version to version.

    ``needs``: gates without which it cannot be on (GATES_NEED_OTHERS).
    """

    name: str
    history: Timeline[GateState]
    needs: tuple[str, ...] = ()

    @property
    def source(self) -> Section:
        """Where Kubernetes documents the gate."""
        last = self.history.at(NEWEST)
        page = FEATURE_GATES_REMOVED if last and last.stage == "gone" else FEATURE_GATES
        return page.section(self.name, self.name)


_STATES = {
    "alpha": GateState("alpha", on=False),
    "beta": GateState("beta", on=True),
    "beta-off": GateState("beta", on=False),
    "ga": GateState("ga", on=True),
    "locked": GateState("ga", on=True, locked=True),
    "deprecated": GateState("deprecated", on=True),
    "deprecated-off": GateState("deprecated", on=False),
    "deprecated-locked": GateState("deprecated", on=True, locked=True),
    "gone": GateState("gone", on=True),
    "gone-off": GateState("gone", on=False),
}
TEXT = text_of(__package__, "gates.txt")
"""A gate a line, continued by indentation: its name, each version with its state from then on, the gates it needs."""


def _read_gate(line: str) -> FeatureGate:
    history, _, needs = line.partition("; needs ")
    name, _, steps = history.partition(" ")
    pairs = (step.split(" ") for step in steps.split(", "))
    return FeatureGate(name, Timeline(*((since, _STATES[state]) for since, state in pairs)), tuple(needs.split()))


_LINES = TEXT.replace("\n  ", " ").splitlines()
GATES: Mapping[str, FeatureGate] = MappingProxyType({gate.name: gate for gate in map(_read_gate, _LINES)})
"""Gate name to gate."""

GATES_NEED_OTHERS = KubernetesVersion(1, 35)
"""From this version on a gate that is on while one that it needs is off keeps a component from starting."""


@dataclass(frozen=True, slots=True)
class Unmodelled:
    """A feature that is not reproduced: its gate, what it does to what is decided here, and why it is left out."""

    gate: str
    does: str
    why: str


UNMODELLED = tuple(
    Unmodelled(gate, does, why.removeprefix("why: "))
    for gate, does, why in records_of(text_of(__package__, "unmodelled.txt"))
)
"""The features, with those first that users ask about most."""
