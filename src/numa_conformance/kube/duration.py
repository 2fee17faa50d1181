"""Durations as Kubernetes writes them, such as ``10s`` and ``1m30s``."""

from __future__ import annotations

import re
from fractions import Fraction

from ..errors import Fault, UsageError

ACCEPTED = "a number with a unit, such as 10s or 1m30s"
_DURATION = re.compile(r"([+-]?)(0|(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:h|ms|m|s|us|ns))+)", re.ASCII)
_PART = re.compile(r"([0-9.]+)([a-z]+)", re.ASCII)
_NANOSECONDS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000, "m": 60_000_000_000, "h": 3_600_000_000_000}


def is_duration(text: str) -> bool:
    """Tell whether a text is a duration."""
    return _DURATION.fullmatch(text) is not None


def microseconds(text: str) -> int:
    """Read a duration, cut to whole microseconds; raises ``UsageError``."""
    match = _DURATION.fullmatch(text)
    if match is None:
        raise UsageError(Fault("", f"{text!r} is not a duration", ACCEPTED))
    total = sum(Fraction(number) * _NANOSECONDS[unit] for number, unit in _PART.findall(match[2]))
    whole = int(total) // 1_000
    return -whole if match[1] == "-" else whole
