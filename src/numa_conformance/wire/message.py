"""What every message of the protocol is: a frozen class; a request also says who answers it and with what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar, get_args

import msgspec


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
