"""``Message``, ``Request`` and ``Method`` of the protocol, and the check of a reply.

A message is a frozen class; a request also says which method answers it, and with which replies.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Generic, TypeVar, get_args

import msgspec

from .faults import BadReply, Exchange, message_of, shorten


class Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of every message and of the values inside."""


class TaggedReply(Message, frozen=True, tag_field="result"):
    """Base of the replies among which ``result`` tells: ``class Picked(TaggedReply, tag="picked", frozen=True)``."""


R = TypeVar("R", bound=Message)


@dataclass(frozen=True, slots=True)
class Method:
    """One method: its name on the wire, the surface it belongs to, its request, and its reply (or a union of them)."""

    name: str
    surface: str
    request: type[Message]
    reply: Any

    @property
    def attribute(self) -> str:
        """The name of the Python method that answers it in process."""
        return self.name.replace(".", "_")

    @property
    def replies(self) -> tuple[type[Message], ...]:
        """The classes of its replies."""
        return get_args(self.reply) or (self.reply,)


class _RequestMeta(msgspec.StructMeta):
    """Lets a request name its method and its surface where it is defined."""

    def __new__(
        mcls,
        name: str,
        bases: tuple[type, ...],
        namespace: dict[str, Any],
        *,
        method: str = "",
        surface: str = "",
        **options: Any,
    ) -> Any:
        cls: Any = super().__new__(mcls, name, bases, namespace, **options)
        if method:
            (reply,) = get_args(cls.__orig_bases__[0])
            cls.method = Method(method, surface, cls, reply)
        return cls


class Request(Message, Generic[R], metaclass=_RequestMeta, frozen=True):
    """Base of every request: ``class Pick(Request[Picked | PickRefused], method="pick", surface="pick")``."""

    method: ClassVar[Method]


def checked_reply(method: Method, answer: object) -> Any:
    """Make a reply of a method of plain values or instances; raises ``BadReply`` naming the field.

    Through JSON, as if it had come over a wire: classes of messages check nothing when they are made.
    """
    try:
        text = msgspec.json.encode(answer)
    except Exception as error:
        raise _no_reply(method, error, f"an object of the class {type(answer).__qualname__}") from error
    return read_reply(method, text)


def read_reply(method: Method, text: bytes) -> Any:
    """Read a reply of a method that is written as JSON; raises ``BadReply`` naming the field."""
    try:
        return _decoder(method).decode(text)
    except Exception as error:
        raise _no_reply(method, error, shorten(text.decode("utf-8", "replace"))) from error


def _no_reply(method: Method, error: Exception, received: str) -> BadReply:
    names = [cls.__name__ for cls in method.replies]
    kinds = " or ".join(f"{'an' if name[0] in 'AEIOU' else 'a'} {name}" for name in names)
    return BadReply(f"the reply is not {kinds}: {message_of(error)}", Exchange(received=received))


@cache
def _decoder(method: Method) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(method.reply)
