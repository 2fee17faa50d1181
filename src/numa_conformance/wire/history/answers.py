"""Answers as a history has them: the messages of the protocol, held to more than their form.

What does not decode, or says nothing (a text that is no set of CPUs, NUMA node -1, memory of -1 bytes), is a malformed
answer. What the machine or the pod does not have decodes: to say that is for checkers.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import or_
from typing import Any

import msgspec

from .. import values as wire
from ..message import Message, Method, TaggedReply
from ..messages import METHODS, claims, node
from .checks import with_checks
from .claims import AllocatedClaim
from .sightings import LIVE_NODE, LiveNode
from .values import read_text


class StartedNode(TaggedReply, tag="started", frozen=True):
    """``NodeStarted``, also of a node at work, whose ``default_cpuset`` is not known (None)."""

    default_cpuset: wire.IdList | None = None
    reserved_cpus: wire.IdList | None = None
    allocatable_cpus: wire.IdList | None = None
    memory_state: list[node.MemoryNode] | None = None


class PreparedClaim(TaggedReply, tag="prepared", frozen=True):
    """``ClaimPrepared`` with its ``claim`` read; None where the suite allocated it."""

    cpus: wire.IdList
    shared: dict[str, wire.IdList] | None = None
    claim: AllocatedClaim | None = None


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
