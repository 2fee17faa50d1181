"""Version 1 of the protocol, whose targets are still judged: its messages where they differ, and both ways between.

In version 1 a reply had the fields of all its results, most of them optional; ``kubernetesVersion``, ``ok`` and the
``pod`` of a skipped container have other names today. ``numa_conformance.target`` offers these classes under the old
names. Recorded decisions have the shapes of version 1 too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Literal

import msgspec

from . import messages
from .dialect import TODAY, Dialect, checked_reply
from .message import Message, Method, R, Request
from .messages import describe as today
from .messages import node
from .messages.allocate import Allocate
from .messages.classify import Classified, Classify
from .messages.hints import Hints, OfferedHints
from .messages.host import Discover, Discovered, HostReconcile
from .messages.merge import Merge, Merged
from .messages.node import (
    AdmitPod,
    ContainerHolding,
    MemoryNode,
    NodeState,
    ReadCheckpoints,
    ReadState,
    Reconcile,
    RemovePod,
    RestartNode,
    RunPod,
    Update,
)
from .messages.node import MemoryBlock as MemoryBlock
from .messages.node import MemoryTable as MemoryTable
from .messages.pick import Pick
from .messages.score import Score
from .values import HintLists, JsonObject
from .values import HintValue as HintValue
from .values import PriorState as PriorState

PROTOCOL = "1"

HintsReply = OfferedHints
MergeReply = Merged
ClassifyReply = Classified
DiscoverReply = Discovered
NodeStateReply = NodeState


class Describe(Message, frozen=True, omit_defaults=False):
    """Ask who the target is."""

    protocol: str = PROTOCOL


class Description(Message, frozen=True, omit_defaults=False):
    """Who a target is, and what it claims."""

    name: str
    version: str
    protocol: str
    surfaces: list[str]
    features: list[str]
    kubernetesVersion: str = "1.32"  # noqa: N815  (the name on the wire)


class AllocationFault(Message, frozen=True):
    """A refusal."""

    message: str
    reason: str | None = None


class PickReply(Message, frozen=True):
    """The CPUs, or an error."""

    cpus: str | None = None
    error: AllocationFault | None = None


class CpuChoice(Message, frozen=True):
    """CPUs given, or an error."""

    cpus: str | None = None
    default_cpuset: str | None = None
    reusable: str | None = None
    error: AllocationFault | None = None


class AllocateReply(Message, frozen=True):
    """An allocation and what was known before it, or why there is no policy."""

    reserved_cpus: str | None = None
    guaranteed_cpus: int | None = None
    pod_guaranteed_cpus: int | None = None
    hints: HintLists | None = None
    pod_hints: HintLists | None = None
    allocate: CpuChoice | None = None
    construction_error: str | None = None


class ScoreReply(Message, frozen=True):
    """The score, or why the arguments are refused."""

    score: int | None = None
    insufficient: list[str] | None = None
    resources: list[JsonObject] | None = None
    construction_error: str | None = None


class StartNode(Message, frozen=True):
    """Bring up a node."""

    machine: JsonObject
    kubelet: JsonObject
    kubernetesVersion: str | None = None  # noqa: N815  (the name on the wire)
    files: dict[str, str] | None = None


class NodeStarted(Message, frozen=True):
    """The node is up, or it refused, at a stage."""

    default_cpuset: str | None = None
    reserved_cpus: str | None = None
    allocatable_cpus: str | None = None
    memory_state: list[MemoryNode] | None = None
    stage: str | None = None
    construction_error: str | None = None


class PodAnswer(Message, frozen=True):
    """The outcome for one pod."""

    result: Literal["admitted", "rejected", "started", "removed", "unknown"]
    default_cpuset: str | None = None
    qos: str | None = None
    containers: dict[str, ContainerHolding] | None = None
    reason: str | None = None
    message: str | None = None
    memory_state: list[MemoryNode] | None = None


class SkippedContainer(Message, frozen=True):
    """A container that could not be handled."""

    pod: str
    container: str


class ReconcileReply(Message, frozen=True, omit_defaults=False):
    """The updates in the order sent, the number of containers handled, and those skipped."""

    updates: list[Update]
    ok: int
    skipped: list[SkippedContainer]
    result: Literal["reconciled"] = "reconciled"


class Checkpoints(Message, frozen=True, omit_defaults=False):
    """File name to content."""

    checkpoints: dict[str, str]
    result: Literal["checkpoints"] = "checkpoints"


class PodOutcome(Message, frozen=True):
    """One pod of a restart."""

    uid: str
    result: Literal["admitted", "rejected"]
    containers: dict[str, ContainerHolding] | None = None
    reason: str | None = None
    message: str | None = None


class RestartReply(Message, frozen=True):
    """The node is up again, or it failed at a stage."""

    result: Literal["restarted", "failed"]
    pods: list[PodOutcome] | None = None
    default_cpuset: str | None = None
    memory_state: list[MemoryNode] | None = None
    stage: str | None = None
    message: str | None = None


_TABLE: tuple[tuple[str, type[Message], type[Message]], ...] = (
    ("describe", Describe, Description),
    ("pick", Pick, PickReply),
    ("allocate", Allocate, AllocateReply),
    ("hints", Hints, HintsReply),
    ("merge", Merge, MergeReply),
    ("classify", Classify, ClassifyReply),
    ("score", Score, ScoreReply),
    ("host.discover", Discover, DiscoverReply),
    ("host.reconcile", HostReconcile, ReconcileReply),
    ("node.start", StartNode, NodeStarted),
    ("node.admit", AdmitPod, PodAnswer),
    ("node.run", RunPod, PodAnswer),
    ("node.remove", RemovePod, PodAnswer),
    ("node.state", ReadState, NodeStateReply),
    ("node.reconcile", Reconcile, ReconcileReply),
    ("node.checkpoints", ReadCheckpoints, Checkpoints),
    ("node.restart", RestartNode, RestartReply),
)
METHODS: Mapping[str, Method] = MappingProxyType(
    {name: Method(name, messages.METHODS[name].surface, request, reply) for name, request, reply in _TABLE}
)
"""The methods of version 1."""

_BY_REQUEST = {method.request: method for method in METHODS.values()}


def request_of(message: Message) -> Method:
    """Return the method that a request of version 1 belongs to."""
    return _BY_REQUEST[type(message)]


def is_spoken_in(description: object) -> bool:
    """Tell whether the answer to ``describe`` says version 1."""
    told = description.get("protocol") if isinstance(description, dict) else getattr(description, "protocol", None)
    return told == PROTOCOL


def methods_of(target: Any) -> Mapping[str, Method]:
    """Return the methods of the version of the protocol that a Python target was written for."""
    try:
        description = target.describe(today.Describe())
    except Exception:
        return messages.METHODS
    return METHODS if is_spoken_in(description) else messages.METHODS


class _Version1:
    """Asks a target of version 1, and upgrades what it answers."""

    def question(self, request: Request[Any]) -> Message:
        """Return the request in the names of version 1."""
        match request:
            case node.StartNode(machine, kubelet, version, files):
                return StartNode(machine, kubelet, version, files)
            case today.Describe():
                return Describe()
        return request

    def reply(self, request: Request[R], answer: object) -> R:
        """Take plain values and the classes of version 1; raises ``BadReply`` naming the field."""
        method = request.method
        if not isinstance(answer, method.replies):
            old = msgspec.to_builtins(checked_reply(METHODS[method.name], answer))
            answer = _fitted(upgraded(method.name, old), method.replies)
        return TODAY.reply(request, answer)


VERSION_1: Dialect = _Version1()


def question_of_today(message: Message) -> Message:
    """Return what a request of version 1 is today."""
    match message:
        case StartNode(machine, kubelet, version, files):
            return node.StartNode(machine, kubelet, version, files)
        case Describe():
            return today.Describe()
    return message


def reply_of_then(name: str, reply: Message) -> Message:
    """Return what a reply of today was in version 1, without what it did not tell then."""
    answer = _without_quota(msgspec.to_builtins(reply))
    if name in _DOWNGRADES:
        answer = _DOWNGRADES[name](answer)
    (cls,) = METHODS[name].replies
    known = {field.encode_name for field in msgspec.structs.fields(cls)}
    return msgspec.convert({field: value for field, value in answer.items() if field in known}, cls)


def _without_quota(answer: Any) -> Any:
    """Leave out what containers tell today and did not then, wherever they stand in an answer."""
    if isinstance(answer, dict):
        return {name: _without_quota(value) for name, value in answer.items() if name != "cpu_quota"}
    return [_without_quota(item) for item in answer] if isinstance(answer, list) else answer


def upgraded(name: str, answer: dict[str, Any]) -> dict[str, Any]:
    """Return an answer of version 1 in the names of today; one of today comes back as it is.

    Also for answers of which only part is known, as recorded decisions have them.
    """
    upgrade = _UPGRADES.get(name)
    return upgrade(dict(answer)) if upgrade else answer


def _fitted(answer: dict[str, Any], replies: tuple[type[Message], ...]) -> dict[str, Any]:
    """Leave out the fields that this result does not have, and fill in the empty texts that could be left out."""
    result = answer.get("result")
    for cls in replies:
        if cls.__struct_config__.tag in (None, result):
            fields = {field.encode_name: field for field in msgspec.structs.fields(cls)}
            kept = {name: value for name, value in answer.items() if name in fields}
            empty = {name: _EMPTY[name] for name, field in fields.items() if field.required and name in _EMPTY}
            pods = [_fitted(pod, (node.ReadmittedPod, node.RejectedPod)) for pod in answer.get("pods") or ()]
            return {**empty, **kept, **({"result": result} if result else {}), **({"pods": pods} if pods else {})}
    return answer


_EMPTY: Mapping[str, Any] = {
    "default_cpuset": "",
    "containers": {},
    "reason": "",
    "message": "",
    "stage": "",
    "pods": [],
    "score": None,
    "insufficient": [],
}
"""What a reply of version 1 could leave out where today's has it, and what its absence meant."""

_Change = Callable[[dict[str, Any]], dict[str, Any]]


def _renamed(old: str, new: str) -> _Change:
    return lambda answer: {new if name == old else name: value for name, value in answer.items()}


def _upgraded_choice(result: str, answer: dict[str, Any]) -> dict[str, Any]:
    """Return a choice of CPUs, or its error, as one object with a result."""
    error = answer.pop("error", None)
    if answer.get("cpus") is not None:
        return {**answer, "result": result}
    return {**answer, "result": "refused", **error} if error else answer


def _upgraded_pick(answer: dict[str, Any]) -> dict[str, Any]:
    return answer if "result" in answer else _upgraded_choice("picked", answer)


def _upgraded_allocation(answer: dict[str, Any]) -> dict[str, Any]:
    if "result" in answer:
        return answer
    if answer.get("construction_error") is not None:
        return {"result": "policy_refused", "message": answer["construction_error"]}
    choice = answer.pop("allocate", None) or {}
    return {**answer, **_upgraded_choice("allocated", dict(choice))}


def _upgraded_score(answer: dict[str, Any]) -> dict[str, Any]:
    if "result" in answer:
        return answer
    if answer.get("construction_error") is not None:
        return {"result": "refused", "message": answer["construction_error"]}
    return {"result": "scored", **{name: value for name, value in answer.items() if name != "resources"}}


def _upgraded_start(answer: dict[str, Any]) -> dict[str, Any]:
    if "result" in answer:
        return answer
    message = answer.pop("construction_error", None)
    if message is not None:
        return {**answer, "result": "failed", "message": message}
    return {"result": "started", **answer}


def _upgraded_reconcile(answer: dict[str, Any]) -> dict[str, Any]:
    skipped = [_renamed("pod", "uid")(container) for container in answer.get("skipped") or ()]
    return {**_renamed("ok", "handled")(answer), "skipped": skipped}


_UPGRADES: Mapping[str, _Change] = {
    "describe": _renamed("kubernetesVersion", "kubernetes_version"),
    "pick": _upgraded_pick,
    "allocate": _upgraded_allocation,
    "score": _upgraded_score,
    "host.reconcile": _upgraded_reconcile,
    "node.start": _upgraded_start,
    "node.reconcile": _upgraded_reconcile,
}


def _downgraded_description(answer: dict[str, Any]) -> dict[str, Any]:
    return {**_renamed("kubernetes_version", "kubernetesVersion")(answer), "protocol": PROTOCOL}


def _downgraded_choice(answer: dict[str, Any]) -> dict[str, Any]:
    if answer.pop("result") == "refused":
        return {"error": answer}
    return answer


_BESIDE = ("reserved_cpus", "guaranteed_cpus", "pod_guaranteed_cpus", "hints", "pod_hints")


def _downgraded_allocation(answer: dict[str, Any]) -> dict[str, Any]:
    if answer["result"] == "policy_refused":
        return {"construction_error": answer["message"]}
    beside = {name: answer.pop(name) for name in _BESIDE if name in answer}
    return {**beside, "allocate": _downgraded_choice(answer)}


def _downgraded_score(answer: dict[str, Any]) -> dict[str, Any]:
    return {"construction_error": answer["message"]} if answer["result"] == "refused" else answer


def _downgraded_start(answer: dict[str, Any]) -> dict[str, Any]:
    if answer["result"] == "failed":
        return {"stage": answer["stage"], "construction_error": answer["message"]}
    return answer


def _downgraded_reconcile(answer: dict[str, Any]) -> dict[str, Any]:
    skipped = [_renamed("uid", "pod")(container) for container in answer["skipped"]]
    return {**_renamed("handled", "ok")(answer), "skipped": skipped}


_DOWNGRADES: Mapping[str, _Change] = {
    "describe": _downgraded_description,
    "pick": _downgraded_choice,
    "allocate": _downgraded_allocation,
    "score": _downgraded_score,
    "host.reconcile": _downgraded_reconcile,
    "node.start": _downgraded_start,
    "node.reconcile": _downgraded_reconcile,
}
