"""Questions as a history has them: those of the protocol, as far as something is judged by them."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import msgspec

from ..wire.history.answers import HISTORY_METHODS, class_with_checks
from ..wire.history.history import Step
from ..wire.history.quantities import AllocatedClaim
from ..wire.history.sightings import LIVE_NODE
from ..wire.history.values import read_text
from ..wire.message import Message
from ..wire.messages import merge as messages
from ..wire.values import JsonObject
from .pods import PodDocument
from .scored import WrittenStrategy
from .settings import KubeletDocument

LEFT_OUT: Mapping[str, Any] = {"machine": {}, "namespace": "", "name": ""}
"""What a question may leave out: nothing is judged by it. Without a machine it is asked of the history's."""


class QuestionError(ValueError):
    """A step whose question is none of the protocol."""


class Documents(msgspec.Struct, frozen=True):
    """The objects of Kubernetes that a question may hold, as far as they are read."""

    pod: PodDocument | None = None
    pods: tuple[PodDocument, ...] = ()
    kubelet: KubeletDocument | None = None
    allocatable: dict[str, Fraction] = {}
    strategy: WrittenStrategy | None = None
    claim: AllocatedClaim | None = None


_DOCUMENTS = frozenset(Documents.__struct_fields__)


class MergeQuestion(messages.Merge, frozen=True):
    """To merge hints: distances are a table."""

    def __post_init__(self) -> None:
        if self.distances is not None and [len(row) for row in self.distances] != [len(self.nodes)] * len(self.nodes):
            raise ValueError("distances are a number for each two NUMA nodes")


class SightingQuestion(Message, frozen=True):
    """What a node at work was looked at with."""

    kubelet: JsonObject
    settled: bool = False
    kubernetes_version: str | None = None


QUESTIONS: Mapping[str, Any] = {
    name: class_with_checks(kind, forbid_unknown_fields=False)
    for name, kind in {
        **{name: method.request for name, method in HISTORY_METHODS.items()},
        "merge": MergeQuestion,
        LIVE_NODE: SightingQuestion,
    }.items()
}
"""The class of the question of each method that a history may hold."""


def question_of(step: Step) -> Message | None:
    """Read the question of a step; None for a method by which nothing is judged. Raises ``QuestionError``."""
    kind = QUESTIONS.get(step.method)
    if kind is None:
        return None
    try:
        if not _DOCUMENTS.isdisjoint(step.params):
            msgspec.convert(step.params, Documents, dec_hook=read_text)
        question: Message = msgspec.convert({**LEFT_OUT, **step.params}, kind, dec_hook=read_text)
    except ValueError as error:
        raise QuestionError(f"{step.method} is not asked as the protocol has it: {error}") from error
    return question
