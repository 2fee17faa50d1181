"""Answers as a history has them: the messages of the protocol, held to more than their form.

What does not decode, or says nothing (a text that is no set of CPUs, NUMA node -1, memory of -1 bytes), is a malformed
answer. What the machine or the pod does not have decodes: to say that is for checkers.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, reduce
from operator import or_
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

import msgspec
from msgspec import NODEFAULT, UNSET, UnsetType

from ...protocol import values as wire
from ...protocol.message import Message, Outcome
from ...protocol.messages import METHODS, claims, node
from .claims import AllocatedClaim
from .sightings import SEEN, Seen
from .values import Bytes, CheckedIds, CheckedNodes, MaybeNode, NodeId, Number, read_text


class NodeStarted(Outcome, tag="started", frozen=True):
    """A node came up. ``default_cpuset``: None for a node at work, of which it is not known."""

    default_cpuset: wire.IdList | None = None
    reserved_cpus: wire.IdList | None = None
    allocatable_cpus: wire.IdList | None = None
    memory_state: list[node.MemoryNode] | None = None


class ClaimPrepared(Outcome, tag="prepared", frozen=True):
    """A claim is prepared. ``claim``: as a scheduler of the target's has allocated it; None where the suite has."""

    cpus: wire.IdList
    shared: dict[str, wire.IdList] | None = None
    claim: AllocatedClaim | None = None


_HELD_TO: dict[Any, Any] = {
    int: Number,
    wire.IdList: CheckedIds,
    wire.NodeIds: CheckedNodes,
    wire.NodeId: NodeId,
    wire.NodeIdOrNone: MaybeNode,
    wire.Bytes: Bytes,
}
"""What stands for a type of the protocol where an answer is read."""


def _checked(kind: Any) -> Any:
    """Return a type of the protocol with bounds for numbers, and checks of texts and of NUMA nodes."""
    if kind in _HELD_TO:
        return _HELD_TO[kind]
    inner = get_args(kind)
    if inner:
        checked = tuple(map(_checked, inner))
        return reduce(or_, checked) if get_origin(kind) in (Union, UnionType) else get_origin(kind)[checked]
    return _checked_class(kind) if isinstance(kind, type) and issubclass(kind, msgspec.Struct) else kind


@cache
def _checked_class(kind: type[msgspec.Struct]) -> type[msgspec.Struct]:
    """Return an heir of a message whose fields are checked; what is left out of one that may be null is null."""
    fields: list[Any] = []
    for field in msgspec.structs.fields(kind):
        options = tuple(option for option in get_args(field.type) if option is not UnsetType)
        if NoneType in options and field.default is UNSET:
            fields.append((field.name, _checked(reduce(or_, options)), None))
        elif field.required:
            fields.append((field.name, _checked(field.type)))
        else:
            default = field.default
            filled = msgspec.field(default_factory=field.default_factory) if default is NODEFAULT else default
            fields.append((field.name, _checked(field.type), filled))
    return msgspec.defstruct(kind.__name__, fields, bases=(kind,), frozen=True, kw_only=True)


def _reader(reply: Any) -> Any:
    instead = {node.NodeStarted: NodeStarted, claims.ClaimPrepared: ClaimPrepared}
    return reduce(or_, (_checked(instead.get(kind, kind)) for kind in get_args(reply) or (reply,)))


READERS: Mapping[str, Any] = {
    **{name: _reader(method.reply) for name, method in METHODS.items() if method.surface not in ("describe", "host")},
    SEEN: Seen,
}
"""The class, or the union of classes, of the answers of each method that a history may hold."""


def read_answer(method: str, answer: Mapping[str, Any]) -> Message | None:
    """Read an answer; raises ``ValueError`` where it is malformed. None for a method that nothing judges."""
    kind = READERS.get(method)
    if kind is None:
        return None
    read: Message = msgspec.convert(answer, kind, dec_hook=read_text)
    return read
