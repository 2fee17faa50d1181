"""``Caller``: what a recorded decision asks."""

from __future__ import annotations

import re
from typing import Any, Protocol

from .recorded_names import in_names_of_today

_RECORDERS_WORDS = re.compile(r"reserved cpus list (\S*) is not a subset of the online cpus (\S*)")


class Caller(Protocol):
    """A target to ask. ``call`` takes and returns plain JSON values; what the target lacks is not in ``features``."""

    @property
    def features(self) -> frozenset[str]:
        """The features the target claims."""

    def call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Ask one question; raises a target fault when no proper answer comes."""


def recorded_answer(method: str, answer: dict[str, Any]) -> dict[str, Any]:
    """Return a recorded answer in the names of today's messages.

    The first recorder looked at reserved CPUs itself and had words of its own where there are none such; the kubelet's
    take their place.
    """
    translated = in_names_of_today(method, answer)
    matched = _RECORDERS_WORDS.fullmatch(str(translated.get("message") or ""))
    if matched is None:
        return translated
    return {**translated, "message": f"reserved-cpus: {matched[1]} is not a subset of online-cpus: {matched[2]}"}
