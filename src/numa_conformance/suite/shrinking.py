"""Finding the shortest conversation in which a requirement is still not met. Every attempt asks the target."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from ..protocol import Client
from .drive import again
from .history import History, Step
from .judging import Broken, judge

__all__ = ["shortened"]


def shortened(broken: Broken, client: Client, *, seconds: float, clock: Callable[[], float] = time.monotonic) -> Broken:
    """Return the same fault in as few steps as are found in the time: later steps go first, then earlier ones.

    What a question says stays as it is, so that every step is one of the generator's. A target that answers otherwise
    when asked again keeps its first history.
    """
    ends = clock() + seconds
    best = Broken(broken.requirement, broken.history.until(broken.step + 1), broken.step, broken.violation)
    progress = True
    while progress and clock() < ends:
        progress = False
        for steps in _fewer(best.history.steps):
            if clock() >= ends:
                break
            found = _still(best, steps, client)
            if found is not None:
                best, progress = found, True
                break
    return best


def _fewer(steps: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    """Yield the steps without a part of those between the first and the last: large parts before single ones."""
    if steps and steps[0].method != "node.start":
        yield steps[-1:]
        return
    size = max(len(steps) // 2, 1)
    while size:
        for first in range(1, len(steps) - 1, size):
            yield steps[:first] + steps[min(first + size, len(steps) - 1) :]
        size //= 2


def _still(best: Broken, steps: tuple[Step, ...], client: Client) -> Broken | None:
    if len(steps) >= len(best.history.steps):
        return None
    history, fault = again(History(best.history.head, steps), client)
    if fault is not None:
        return None
    for wrong in judge(history).broken:
        if wrong.requirement == best.requirement:
            return Broken(wrong.requirement, history.until(wrong.step + 1), wrong.step, wrong.violation)
    return None
