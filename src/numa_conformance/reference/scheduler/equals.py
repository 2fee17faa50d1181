"""Nodes by their score for one shape of pod: the first among equals, or one of them by lot."""

import random
from collections.abc import Sequence
from heapq import heappop, heappush
from typing import Protocol


class InState(Protocol):
    """What has a state; nodes in the same state score alike."""

    state: int


class Standing(Protocol):
    """Nodes, by their index, in the order of their scores."""

    def put(self, index: int, score: int | None, state: int) -> None:
        """Take over the score of a node in a state; None: the pod does not fit it."""

    def best(self, nodes: Sequence[InState]) -> int | None:
        """Return a node of the best score; None where there is none."""

    def equals(self, nodes: Sequence[InState]) -> Sequence[int]:
        """Return all nodes of the best score."""


class FirstAmongEquals:
    """The node that comes first wins."""

    def __init__(self) -> None:
        """Begin without nodes."""
        self._heap: list[tuple[int, int, int]] = []

    def put(self, index: int, score: int | None, state: int) -> None:
        """Take over a score; what was known of other states of the node is passed over later."""
        if score is not None:
            heappush(self._heap, (-score, index, state))

    def best(self, nodes: Sequence[InState]) -> int | None:
        """Return the first of the best."""
        while self._heap:
            _, index, state = self._heap[0]
            if nodes[index].state == state:
                return index
            heappop(self._heap)
        return None

    def equals(self, nodes: Sequence[InState]) -> Sequence[int]:
        """Return all that score as the best does."""
        score = self._heap[0][0] if self.best(nodes) is not None else 0
        return sorted({index for top, index, state in self._heap if top == score and nodes[index].state == state})


class ByLot:
    """kube-scheduler's way: each node of the best score is as likely as the others."""

    def __init__(self, draw: random.Random) -> None:
        """Take the source of chance."""
        self._draw = draw
        self._by_score: dict[int, list[int]] = {}
        self._places: dict[int, tuple[int, int]] = {}

    def put(self, index: int, score: int | None, state: int) -> None:
        """Take over a score in place of the node's last one."""
        if index in self._places:
            old, place = self._places.pop(index)
            equals = self._by_score[old]
            last = equals.pop()
            if last != index:
                equals[place] = last
                self._places[last] = old, place
        if score is not None:
            equals = self._by_score.setdefault(score, [])
            self._places[index] = score, len(equals)
            equals.append(index)

    def equals(self, nodes: Sequence[InState]) -> Sequence[int]:
        """Return all that score as the best does."""
        return next(
            (self._by_score[score] for score in sorted(self._by_score, reverse=True) if self._by_score[score]), ()
        )

    def best(self, nodes: Sequence[InState]) -> int | None:
        """Draw one of the best."""
        equals = self.equals(nodes)
        return self._draw.choice(equals) if equals else None
