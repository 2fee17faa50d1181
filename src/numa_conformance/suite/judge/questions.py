"""Questions as the judge has them: the parameters of each method, as far as something is judged by them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import msgspec

from ..history.claims import AllocatedClaim
from ..history.history import Step
from ..history.quantities import read_amount
from ..history.sightings import SEEN
from ..history.values import Affinity, CpuBits, CpuCount, NodeId, Number, Offers, read_text
from .pods import Pod
from .settings import Kubelet, Settings

__all__ = [
    "QUESTIONS",
    "AdmitPod",
    "Allocate",
    "AllocateDevices",
    "Classify",
    "Hints",
    "Look",
    "Merge",
    "Pick",
    "PreferDevices",
    "PrepareClaim",
    "PriorState",
    "Question",
    "QuestionError",
    "RemovePod",
    "ResizePod",
    "RestartNode",
    "RunPod",
    "Score",
    "StartDriver",
    "StartNode",
    "UnprepareClaim",
    "WrittenStrategy",
    "question_of",
]


class QuestionError(ValueError):
    """A step whose question is none of the protocol."""


class Question(msgspec.Struct, frozen=True):
    """Base of every question; fields by which nothing is judged are left out."""


class Pick(Question, frozen=True):
    """To choose exclusive CPUs."""

    available: CpuBits
    count: CpuCount
    options: dict[str, bool] = {}
    affinity: Affinity | None = None


class PriorState(Question, frozen=True):
    """The state of a static policy: shared pool, pod to container to CPUs, pod to reusable CPUs."""

    default: CpuBits
    assignments: dict[str, dict[str, CpuBits]] = {}
    reusable: dict[str, CpuBits] = {}


class Hints(Question, frozen=True):
    """For the hints of a container, or (None) of the pod as a whole."""

    kubelet: Kubelet
    state: PriorState
    pod: Pod
    container: str | None = None


class Allocate(Question, frozen=True):
    """To give a container CPUs."""

    kubelet: Kubelet
    state: PriorState
    pod: Pod
    container: str
    affinity: Affinity | None = None


class Classify(Question, frozen=True):
    """For the class of a pod."""

    pod: Pod


class Merge(Question, frozen=True):
    """To merge hints."""

    policy: str
    options: dict[str, str]
    nodes: tuple[NodeId, ...]
    distances: tuple[tuple[Number, ...], ...] | None
    providers: tuple[Offers | None, ...]

    def __post_init__(self) -> None:
        if self.distances is not None and [len(row) for row in self.distances] != [len(self.nodes)] * len(self.nodes):
            raise ValueError("distances are a number for each two NUMA nodes")


class WeightedResource(Question, frozen=True):
    """A resource that counts."""

    name: str
    weight: Number = 1


class ShapePoint(Question, frozen=True):
    """A point of a shape: utilization in percent, score to 10."""

    utilization: Number
    score: Number


class Ratio(Question, frozen=True):
    """The shape of a scoring strategy."""

    shape: tuple[ShapePoint, ...] | None = None


class WrittenStrategy(Question, frozen=True):
    """A scoring strategy as written."""

    type: str | None = None
    resources: tuple[WeightedResource, ...] | None = None
    ratio: Ratio | None = msgspec.field(default=None, name="requestedToCapacityRatio")


class Score(Question, frozen=True):
    """To score a node for a pod. ``strategy`` as written: what is named counts."""

    strategy: dict[str, Any]
    allocatable: dict[str, Fraction]
    pods: tuple[Pod, ...]
    pod: Pod

    def __post_init__(self) -> None:
        msgspec.convert(self.strategy, WrittenStrategy)

    @property
    def type(self) -> str | None:
        """The type of strategy, where it is named."""
        return self.strategy.get("type")


class StartNode(Question, frozen=True):
    """To bring a node up; ``machine`` where it is not the history's. ``kubelet`` as written: what is named counts."""

    kubelet: dict[str, Any]
    machine: dict[str, Any] | None = None
    kubernetes_version: str | None = None
    files: dict[str, str] | None = None

    def __post_init__(self) -> None:
        Settings.of(self.kubelet)


class AdmitPod(Question, frozen=True):
    """To admit a pod."""

    pod: Pod


class ResizePod(Question, frozen=True):
    """To change CPU and memory of a pod in place."""

    pod: Pod


class RunPod(Question, frozen=True):
    """To start the containers of a pod."""

    uid: str


class RemovePod(Question, frozen=True):
    """To take a pod off the node."""

    uid: str


class RestartNode(Question, frozen=True):
    """To restart the node agent; ``files``: state files to restart on, None for one that is deleted."""

    kubelet: dict[str, Any] | None = None
    files: dict[str, str | None] | None = None

    def __post_init__(self) -> None:
        Settings.of(self.kubelet or {})


class PreferDevices(Question, frozen=True):
    """Which devices a device plugin prefers."""

    available: tuple[str, ...]
    included: tuple[str, ...]
    size: Number


class AllocateDevices(Question, frozen=True):
    """That a device plugin serves devices to one container."""

    devices: tuple[str, ...]


class StartDriver(Question, frozen=True):
    """To start a DRA driver, and what it is to leave alone."""

    reserved_cpus: CpuBits = CpuBits(0)


class PrepareClaim(Question, frozen=True):
    """To prepare a ResourceClaim that is allocated."""

    claim: AllocatedClaim

    @property
    def uid(self) -> str:
        """The claim's."""
        return self.claim.metadata.uid


class UnprepareClaim(Question, frozen=True):
    """To unprepare one."""

    uid: str


class Look(Question, frozen=True):
    """What a node at work was looked at with."""

    kubelet: Kubelet
    settled: bool = False
    kubernetes_version: str | None = None


QUESTIONS: Mapping[str, type[Question]] = {
    "pick": Pick,
    "classify": Classify,
    "allocate": Allocate,
    "hints": Hints,
    "merge": Merge,
    "score": Score,
    "node.start": StartNode,
    "node.admit": AdmitPod,
    "node.run": RunPod,
    "node.resize": ResizePod,
    "node.remove": RemovePod,
    "node.state": Question,
    "node.reconcile": Question,
    "node.checkpoints": Question,
    "node.restart": RestartNode,
    "plugin.start": Question,
    "plugin.restart": Question,
    "plugin.prefer": PreferDevices,
    "plugin.allocate": AllocateDevices,
    "claims.start": StartDriver,
    "claims.restart": Question,
    "claims.prepare": PrepareClaim,
    "claims.unprepare": UnprepareClaim,
    "claims.run": Question,
    "claims.end": Question,
    SEEN: Look,
}
"""The class of the questions of each method that a history may hold."""


def question_of(step: Step) -> Question | None:
    """Read the question of a step; None for a method by which nothing is judged. Raises ``QuestionError``."""
    kind = QUESTIONS.get(step.method)
    if kind is None:
        return None
    try:
        question: Question = msgspec.convert(step.params, kind, dec_hook=_read)
    except ValueError as error:
        raise QuestionError(f"{step.method} is not asked as the protocol has it: {error}") from error
    return question


def _read(kind: type, value: Any) -> Any:
    return read_amount(kind, value) if kind is Fraction else read_text(kind, value)
