"""Answers as a history has them: the messages of the protocol, held to more than their form.

What does not decode, or says nothing (a text that is no set of CPUs, NUMA node -1, memory of -1 bytes), is a malformed
answer. What the machine or the pod does not have decodes: to say that is for checkers.
"""

from collections.abc import Mapping
from functools import cache, reduce
from operator import or_
from types import NoneType, UnionType, new_class
from typing import Any, Union, get_args, get_origin

import msgspec
from msgspec import NODEFAULT, UNSET, UnsetType

from .. import values as wire
from ..message import Message, Method, TaggedReply
from ..messages import METHODS, claims, node
from .quantities import AllocatedClaim
from .sightings import LIVE_NODE, LiveNode
from .values import BookedBytes, Bytes, CpuCount, IdText, MaybeNode, NodeId, NodeList, Number, read_text

_HELD_TO: dict[Any, Any] = {
    int: Number,
    wire.IdList: IdText,
    wire.NodeIds: NodeList,
    wire.AnsweredNodes: NodeList,
    wire.NodeId: NodeId,
    wire.NodeIdOrNone: MaybeNode,
    wire.Bytes: Bytes,
    wire.Booked: BookedBytes,
    wire.CpuCount: CpuCount,
    wire.QuestionNode: NodeId,
    wire.QuestionCount: CpuCount,
}
"""Types of the protocol to the stricter types of a history."""


def with_checks(kind: Any) -> Any:
    """Return a type of the protocol with its checks; for a message, a subclass of it."""
    if kind in _HELD_TO:
        return _HELD_TO[kind]
    if inner := get_args(kind):
        options = tuple(map(with_checks, inner))
        return reduce(or_, options) if get_origin(kind) in (Union, UnionType) else get_origin(kind)[options]
    return class_with_checks(kind) if isinstance(kind, type) and issubclass(kind, msgspec.Struct) else kind


@cache
def class_with_checks(kind: type[msgspec.Struct], **options: bool) -> type[msgspec.Struct]:
    """Return a subclass of a message with checked fields; an optional field that is left out is null."""
    kinds: dict[str, Any] = {}
    defaults: dict[str, Any] = {}
    for field in msgspec.structs.fields(kind):
        of, default = field.type, field.default
        if default is UNSET and NoneType in get_args(of):
            of, default = reduce(or_, (option for option in get_args(of) if option is not UnsetType)), None
        if not field.required:
            factory = field.default_factory
            defaults[field.name] = msgspec.field(default_factory=factory) if default is NODEFAULT else default
        kinds[field.name] = with_checks(of)
    body = {"__annotations__": kinds, "__module__": __name__, "__doc__": kind.__doc__, **defaults}
    made: type[msgspec.Struct] = new_class(
        kind.__name__, (kind,), {"frozen": True, "kw_only": True, **options}, lambda names: names.update(body)
    )
    return made


class StartedNode(TaggedReply, tag="started", frozen=True):
    """``NodeStarted``, also of a node at work, whose ``default_cpuset`` is not known (None)."""

    default_cpuset: wire.IdList | None = None
    reserved_cpus: wire.IdList | None = None
    allocatable_cpus: wire.IdList | None = None
    memory_state: list[node.MemoryNode] | None = None
    restarts: int = 0


class PreparedClaim(TaggedReply, tag="prepared", frozen=True):
    """``ClaimPrepared`` with its ``claim`` read; None where the suite allocated it."""

    cpus: wire.IdList
    shared: dict[str, wire.IdList] | None = None
    claim: AllocatedClaim | None = None
    mems: wire.IdList | None = None


HISTORY_METHODS: Mapping[str, Method] = {
    name: method for name, method in METHODS.items() if method.surface not in ("describe", "host")
}
"""The methods of the protocol that a history may hold; others answer nothing that is judged."""


def _reader(method: Method) -> Any:
    instead = {node.NodeStarted: StartedNode, claims.ClaimPrepared: PreparedClaim}
    return reduce(or_, (with_checks(instead.get(kind, kind)) for kind in method.replies))


READERS: Mapping[str, Any] = {
    **{name: _reader(method) for name, method in HISTORY_METHODS.items()},
    LIVE_NODE: LiveNode,
}
"""The class, or the union of classes, of the answers of each method that a history may hold."""


def read_answer(method: str, answer: Mapping[str, Any]) -> Message | None:
    """Read an answer; raises ``ValueError`` where it is malformed. None for a method that nothing judges."""
    kind = READERS.get(method)
    if kind is None:
        return None
    read: Message = msgspec.convert(answer, kind, dec_hook=read_text)
    return read
