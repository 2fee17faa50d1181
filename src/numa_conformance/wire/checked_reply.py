"""What a target returned, as a reply of the protocol or a fault."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from .faults import BadReply, Exchange, message_of, shorten
from .message import Method


def checked_reply(method: Method, answer: object) -> Any:
    """Make a reply of a method of plain values or instances; raises ``BadReply`` naming the field.

    Through JSON, as if it had come over a wire: classes of messages check nothing when they are made.
    """
    try:
        return _decoder(method).decode(msgspec.json.encode(answer))
    except Exception as error:
        names = [cls.__name__ for cls in method.replies]
        kinds = " or ".join(f"{'an' if name[0] in 'AEIOU' else 'a'} {name}" for name in names)
        received = Exchange(received=_shown(answer))
        raise BadReply(f"the reply is not {kinds}: {message_of(error)}", received) from error


def _shown(answer: object) -> str:
    """Return an answer as JSON; of what cannot be written so, which class it is of."""
    try:
        return shorten(msgspec.json.encode(answer).decode())
    except Exception:
        return f"an object of the class {type(answer).__qualname__}"


@cache
def _decoder(method: Method) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(method.reply)
