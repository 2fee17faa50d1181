"""Comparing what was recorded with what a target answered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

ANY_OF = "any_of"
"""The one key of a recorded value of which the kubelet gives another by chance: all that it was seen to give."""
OPTIONAL_FIELDS = frozenset(
    {"alignments", "cpu_quota", "cpuset", "mems", "phase", "qos", "scores", "updates", "writes"}
)
"""Fields that stand beside an answer: the protocol lets a target leave them out, and many do."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where an answer departs from the record. ``path`` reads ``step 3 (admit p1): containers.c0.cpus``."""

    path: str
    expected: Any
    got: Any

    def __str__(self) -> str:
        return f"{self.path}\n  - recorded: {_show(self.expected)}\n  + answered: {_show(self.got)}"


def compare(expected: Any, got: Any, path: str, *, messages: bool = True) -> Iterator[Difference]:
    """Yield the differences between two JSON values.

    Objects are compared key by key in both directions; null and absent are the same. Lists are compared element by
    element when they are of one length. With ``messages`` false the free text ``message`` is not compared. What no
    answer must tell is compared where both sides tell it. Of ``any_of`` one value has to match.
    """
    if isinstance(expected, dict) and expected.keys() == {ANY_OF}:
        tried = [list(compare(allowed, got, path, messages=messages)) for allowed in expected[ANY_OF]]
        yield from min(tried, key=len, default=())
        return
    if isinstance(expected, dict) and isinstance(got, dict):
        for key in sorted(expected.keys() | got.keys()):
            if not messages and key == "message":
                continue
            if key in OPTIONAL_FIELDS and None in (expected.get(key), got.get(key)):
                continue
            inner = f"{path}.{key}" if path and not path.endswith(": ") else f"{path}{key}"
            yield from compare(expected.get(key), got.get(key), inner, messages=messages)
    elif isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        for index, (allowed, answered) in enumerate(zip(expected, got, strict=True)):
            yield from compare(allowed, answered, f"{path}[{index}]", messages=messages)
    elif expected != got or isinstance(expected, bool) != isinstance(got, bool):
        yield Difference(path, expected, got)


def _show(value: Any) -> str:
    if value is None:
        return "(nothing)"
    text = value if isinstance(value, str) else repr(value)
    text = text or '""'
    return text if len(text) <= 600 else text[:600] + f"... ({len(text)} characters)"
