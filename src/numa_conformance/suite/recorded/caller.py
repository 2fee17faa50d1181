"""``Caller``: what a recorded decision asks."""

from __future__ import annotations

from typing import Any, Protocol

from ...protocol.version_1 import upgraded

__all__ = ["Caller", "recorded_answer"]


class Caller(Protocol):
    """A target to ask. ``call`` takes and returns plain JSON values; what the target lacks is not in ``features``."""

    @property
    def features(self) -> frozenset[str]:
        """The features the target claims."""

    def call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Ask one question; raises a target fault when no proper answer comes."""


def recorded_answer(method: str, answer: dict[str, Any]) -> dict[str, Any]:
    """Return a recorded answer in the names of today's messages: decisions were recorded in those of version 1."""
    return upgraded(method, answer)
