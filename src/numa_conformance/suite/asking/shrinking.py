"""Finding the smallest conversation in which a fault still shows. Every attempt asks the target."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from ...protocol import Client
from ..history.history import History, Step
from ..judge.verdicts import Broken, judge
from .drive import again

__all__ = ["fewer_steps", "shortened", "smallest"]

T = TypeVar("T")


def smallest(
    largest: T,
    smaller: Callable[[T], Iterable[History]],
    still: Callable[[History], T | None],
    *,
    seconds: float,
    clock: Callable[[], float] = time.monotonic,
) -> T:
    """Return what is found in the smallest of the conversations that are tried in the time.

    ``smaller`` yields what to try in place of what was found last; ``still`` asks it, and returns what shows the same
    fault, or None.
    """
    ends = clock() + seconds
    best, progress = largest, True
    while progress and clock() < ends:
        progress = False
        for history in smaller(best):
            if clock() >= ends:
                break
            again_found = still(history)
            if again_found is not None:
                best, progress = again_found, True
                break
    return best


def shortened(broken: Broken, client: Client, *, seconds: float, clock: Callable[[], float] = time.monotonic) -> Broken:
    """Return the same fault in as few steps as are found in the time: later steps go first, then earlier ones.

    What a question says stays as it is, so that every step is one of the generator's. A target that answers otherwise
    when asked again keeps its first history.
    """
    first = Broken(broken.requirement, broken.history.until(broken.step + 1), broken.step, broken.violation)
    return smallest(
        first,
        lambda best: fewer_steps(best.history),
        lambda history: _still(broken.requirement, history, client),
        seconds=seconds,
        clock=clock,
    )


def fewer_steps(history: History) -> Iterator[History]:
    """Yield a history without a part of the steps between the first and the last: large parts before single ones."""
    steps = history.steps
    for fewer in _fewer(steps):
        if len(fewer) < len(steps):
            yield History(history.head, fewer)


def _fewer(steps: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    if steps and steps[0].method != "node.start":
        yield steps[-1:]
        return
    size = max(len(steps) // 2, 1)
    while size:
        for first in range(1, len(steps) - 1, size):
            yield steps[:first] + steps[min(first + size, len(steps) - 1) :]
        size //= 2


def _still(requirement: str, questions: History, client: Client) -> Broken | None:
    history, fault = again(questions, client)
    if fault is not None:
        return None
    for wrong in judge(history).broken:
        if wrong.requirement == requirement:
            return Broken(wrong.requirement, history.until(wrong.step + 1), wrong.step, wrong.violation)
    return None
