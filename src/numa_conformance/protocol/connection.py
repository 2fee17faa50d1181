"""``Connection``: one method to ask a target, whatever lies between."""

from __future__ import annotations

from typing import Any, Protocol

import msgspec

from ..errors import Fault, UsageError
from . import wire
from .faults import BadReply, NotClaimed
from .features import PROTOCOL, check_claims

__all__ = ["Client", "Connection"]


class Connection(Protocol):
    """A way to a target. After a fault the next request finds a fresh target."""

    @property
    def label(self) -> str:
        """How the target was named by the user."""

    @property
    def generation(self) -> int:
        """How many targets were started so far; a new one knows nothing of an earlier conversation."""

    def request(self, message: wire.Message) -> wire.Message:
        """Ask and return the reply; raises ``TargetFault``."""

    def close(self) -> None:
        """End the target."""


class Client:
    """A target with a description: asks only what it claims, and checks who it is before anything else."""

    def __init__(self, connection: Connection) -> None:
        """Shake hands; raises ``TargetFault``, or ``UsageError`` for claims that are not known."""
        self._connection = connection
        described = connection.request(wire.Describe(PROTOCOL))
        assert isinstance(described, wire.Description)
        try:
            check_claims(described.surfaces, described.features, described.protocol)
        except UsageError as error:
            raise error.within(connection.label) from error
        self.description = described
        self.asked = 0
        """How many questions were asked."""

    @property
    def label(self) -> str:
        """How the target was named by the user."""
        return self._connection.label

    @property
    def features(self) -> frozenset[str]:
        """The features the target claims."""
        return frozenset(self.description.features)

    @property
    def surfaces(self) -> frozenset[str]:
        """The surfaces the target claims."""
        return frozenset(self.description.surfaces)

    def ask(self, message: wire.Message) -> Any:
        """Ask one question; the reply is of the class that belongs to it. Raises ``TargetFault``."""
        method = wire.request_of(message)
        if method.surface not in self.surfaces and method.surface != "describe":
            raise NotClaimed(f"the target does not claim the surface {method.surface!r}")
        self.asked += 1
        return self._connection.request(message)

    def call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Ask with plain JSON values and return plain JSON values. Raises ``TargetFault`` and ``UsageError``."""
        known = wire.METHODS.get(method)
        if known is None:
            raise UsageError(Fault("", f"no method {method!r}", ", ".join(wire.METHODS)))
        reply = msgspec.to_builtins(self.ask(convert(params, known.request)))
        assert isinstance(reply, dict)
        return reply

    def close(self) -> None:
        """End the target."""
        self._connection.close()


def convert(params: dict[str, Any], cls: type[wire.Message]) -> wire.Message:
    """Make a request of plain values; raises ``UsageError`` naming the field."""
    try:
        return msgspec.convert(params, cls)
    except msgspec.ValidationError as error:
        raise UsageError(Fault("", str(error))) from error


def checked_reply(value: Any, cls: type[wire.Message]) -> wire.Message:
    """Make a reply of what a target returned; raises ``BadReply`` naming the field."""
    if isinstance(value, cls):
        return value
    try:
        return msgspec.convert(value, cls)
    except msgspec.ValidationError as error:
        raise BadReply(f"the reply is not a {cls.__name__}: {error}") from error
