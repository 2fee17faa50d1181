"""Where two targets differ: the same questions, the answers side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..protocol import Client
from .drive import Scenario, again, drive
from .history import History
from .recorded.differences import Difference, compare

__all__ = ["Differing", "differences", "differing"]


@dataclass(frozen=True, slots=True)
class Differing:
    """The first step at which two histories of the same questions differ, and in what."""

    history: History
    other: History
    step: int
    differences: tuple[Difference, ...]


def differing(history: History, other: History) -> Differing | None:
    """Return where two histories of the same questions first differ; None when they do not.

    How a refusal is worded is not compared; blocks of memory are, in whatever order they are told.
    """
    for number, (step, beside) in enumerate(zip(history.steps, other.steps, strict=False)):
        expected, got = _comparable(beside.answer or {}), _comparable(step.answer or {})
        found = tuple(compare(expected, got, "", messages=False))
        if found:
            return Differing(history.until(number + 1), other.until(number + 1), number, found)
    return None


def differences(scenarios: Iterable[Scenario], client: Client, beside: Client, version: str) -> Iterator[Differing]:
    """Drive one target through scenarios, ask another the same, and yield where they differ."""
    for scenario in scenarios:
        history, _ = drive(scenario, client, version)
        other, _ = again(history, beside)
        found = differing(history, other)
        if found:
            yield found


def _comparable(answer: Any) -> Any:
    if isinstance(answer, Mapping):
        return {name: _comparable(value) for name, value in answer.items()}
    if isinstance(answer, list):
        items = [_comparable(item) for item in answer]
        return sorted(items, key=_block) if all(isinstance(item, dict) and "bytes" in item for item in items) else items
    return answer


def _block(block: Mapping[str, Any]) -> tuple[str, list[int], int]:
    return block.get("type", ""), block.get("nodes", []), block.get("bytes", 0)
