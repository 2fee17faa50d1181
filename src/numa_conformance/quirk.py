"""``Quirk``: one place where Kubernetes departs from its documentation, with a name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Quirk", "active_in"]

_SPAN = re.compile(r"(\d+)\.(\d+)(?:(\+)|-(\d+)\.(\d+))?")


@dataclass(frozen=True, slots=True)
class Quirk:
    """A departure from the documentation.

    ``id`` says what happens. ``area``: ``cpu``, ``memory``, ``device``, ``topology``, ``node``, ``scheduler``.
    ``rule`` names the behaviour rules. ``summary`` is what the kubelet or the scheduler does, ``documented`` what the
    documentation says or evidently intends, and what the reference does with the quirk off. ``versions`` are the
    Kubernetes minor versions that show it: ``1.23+``, ``1.32-1.33`` or ``1.32``. ``issue`` is a public reference such
    as ``kubernetes/kubernetes#141238``, where one is known.
    """

    id: str
    area: str
    rule: str
    summary: str
    documented: str
    versions: str
    issue: str | None = None

    def active_in(self, version: str) -> bool:
        """Tell whether Kubernetes ``version`` (``1.32``, ``v1.32.10``) shows this quirk; ``ValueError`` on bad text."""
        number = re.match(r"v?(\d+)\.(\d+)", version)
        span = _SPAN.fullmatch(self.versions)
        if number is None or span is None:
            raise ValueError(f"not a Kubernetes version: {self.versions if number else version!r}")
        asked = int(number[1]), int(number[2])
        first = int(span[1]), int(span[2])
        if span[3]:
            return asked >= first
        last = (int(span[4]), int(span[5])) if span[4] else first
        return first <= asked <= last


def active_in(version: str, quirks: Iterable[Quirk]) -> frozenset[str]:
    """Return the ids of the quirks that Kubernetes ``version`` shows."""
    return frozenset(one.id for one in quirks if one.active_in(version))
