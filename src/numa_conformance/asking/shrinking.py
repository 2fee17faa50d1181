"""Asking the target again: for the smallest conversation in which a fault still shows, and whether it stays."""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from msgspec.structs import replace

from ..judging.verdicts import ANSWERED, Broken, judge
from ..wire import Client
from ..wire.history.history import History, Step
from .drive import again

T = TypeVar("T")
TIMES = 5
"""How often a conversation is asked in all, at most."""
LONGEST = 5.0
"""Seconds that asking again may take: a conversation in which a call timed out is not asked again."""


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


def times_seen(history: History, requirement: str, client: Client) -> tuple[int, int] | None:
    """Return how often the requirement was broken, and how often the conversation was asked; None if it is too long."""
    took = sum(step.seconds for step in history.steps)
    if took > LONGEST:
        return None
    times_broken, times = 1, min(TIMES, 1 + int(LONGEST / max(took, 1e-6)))
    for _ in range(times - 1):
        repeated, fault = again(history, client)
        broken = any(each.requirement == requirement for each in judge(repeated, only={requirement}).broken)
        times_broken += broken or (requirement == ANSWERED and fault is not None)
    return times_broken, times


def _still(requirement: str, questions: History, client: Client) -> Broken | None:
    history, fault = again(questions, client)
    if fault is not None:
        return None
    unmet = judge(history, only={requirement}).broken
    wrong = next((each for each in unmet if each.requirement == requirement), None)
    return wrong and replace(wrong, history=history.until(wrong.step + 1))
