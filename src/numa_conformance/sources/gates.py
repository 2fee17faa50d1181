"""Feature gates by Kubernetes version: of the resource managers and their neighbours, and all others of a kubelet.

A name that is on neither list is none that a kubelet of a supported version knows.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Literal

from ..files import lines_of, records_of, text_of
from .pages import FEATURE_GATES, FEATURE_GATES_REMOVED, Section
from .versions import NEWEST, KubernetesVersion, Timeline


@dataclass(frozen=True, slots=True)
class GateState:
    """How mature a gate is, whether it is on by default, and whether it is locked to that.

    A gate that is ``gone`` cannot be set: its feature is always on, or was removed (``on`` false).
    """

    stage: Literal["alpha", "beta", "ga", "deprecated", "gone"]
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
        return (FEATURE_GATES_REMOVED if last and last.stage == "gone" else FEATURE_GATES).section(self.name, self.name)


_STATES = {
    "alpha": GateState("alpha", on=False),
    "alpha-on": GateState("alpha", on=True),
    "beta": GateState("beta", on=True),
    "beta-off": GateState("beta", on=False),
    "ga": GateState("ga", on=True),
    "locked": GateState("ga", on=True, locked=True),
    "deprecated": GateState("deprecated", on=True),
    "deprecated-off": GateState("deprecated", on=False),
    "deprecated-locked": GateState("deprecated", on=True, locked=True),
    "deprecated-off-locked": GateState("deprecated", on=False, locked=True),
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


def _read(text: str) -> Mapping[str, FeatureGate]:
    return MappingProxyType({gate.name: gate for gate in map(_read_gate, lines_of(text))})


GATES = _read(TEXT)
"""Gate name to gate."""


@lru_cache
def all_gates() -> Mapping[str, FeatureGate]:
    """Return every gate that a kubelet of a supported version knows; of others than ``GATES`` since 1.27 or later."""
    return {**GATES, **_read(text_of(__package__, "other_gates.txt"))}


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
