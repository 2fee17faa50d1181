"""What a target returned, as a reply of the protocol or a fault."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from .faults import BadReply, message_of
from .message import Method


def checked_reply(method: Method, answer: object) -> Any:
    """Make a reply of a method of plain values or instances; raises ``BadReply`` naming the field.

    Through JSON, as if it had come over a wire: classes of messages check nothing when they are made.
    """
    try:
        return _decoder(method).decode(msgspec.json.encode(answer))
    except Exception as error:
        names = " or ".join(cls.__name__ for cls in method.replies)
        raise BadReply(f"the reply is not a {names}: {message_of(error)}") from error


@cache
def _decoder(method: Method) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(method.reply)
