"""``Dialect``: one version of the protocol, as a connection speaks it."""

from __future__ import annotations

from typing import Any, Protocol

import msgspec

from .faults import BadReply, told
from .message import Message, Method, R, Request

__all__ = ["TODAY", "Dialect", "checked_reply"]


class Dialect(Protocol):
    """What is sent for a request of today, and what an answer to it means."""

    def question(self, request: Request[Any]) -> Message:
        """Return what the target is sent."""

    def reply(self, request: Request[R], answer: object) -> R:
        """Make a reply of what came back; raises ``BadReply`` naming the field."""


class _Today:
    """The messages as they are."""

    def question(self, request: Request[Any]) -> Message:
        """Return the request itself."""
        return request

    def reply(self, request: Request[R], answer: object) -> R:
        """Take plain values and instances alike; raises ``BadReply`` naming the field."""
        reply: R = checked_reply(request.method, answer)
        return reply


TODAY: Dialect = _Today()


def checked_reply(method: Method, answer: object) -> Any:
    """Make a reply of a method of what a target returned; raises ``BadReply`` naming the field.

    Through JSON, as if it had come over a wire: classes of messages check nothing when they are made.
    """
    try:
        return msgspec.json.decode(msgspec.json.encode(answer), type=method.reply)
    except Exception as error:
        names = " or ".join(cls.__name__ for cls in method.replies)
        raise BadReply(f"the reply is not a {names}: {told(error)}") from error
