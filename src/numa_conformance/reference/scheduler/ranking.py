"""Nodes by their score for one shape of pod: the first among equals, or one of them by lot."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

from ...kube.scheduler_config import NodeResourcesFitArgs
from .inputs import Amounts, insufficient
from .score import Scorer


@dataclass(slots=True)
class NodeBooks:
    """What is requested on one node.

    ``requested`` are plain requests (SCH-FIT-03), ``counted`` what scoring counts (SCH-REQ-02). Nodes with the same
    ``state`` have the same capacity and the same amounts.
    """

    name: str
    capacity: Amounts
    requested: dict[str, int] = field(default_factory=dict)
    counted: dict[str, int] = field(default_factory=dict)
    pods: int = 0
    state: int = 0

    def add(self, shape: "Shape", times: int = 1) -> None:
        """Account for so many pods of this shape."""
        self.pods += times
        for books, amounts in ((self.requested, shape.requested), (self.counted, shape.counted)):
            for name, amount in amounts.items():
                books[name] = books.get(name, 0) + times * amount

    def free_cpu(self) -> int:
        """Return the millicores that are not requested; none where more is requested than there is."""
        return max(self.capacity.get("cpu", 0) - self.requested.get("cpu", 0), 0)


@dataclass(frozen=True, slots=True)
class Shape:
    """What pods that filter and score alike have in common: ``request`` before they are on a node, ``counted`` then."""

    requested: Amounts
    counted: Amounts
    request: Amounts

    @property
    def key(self) -> tuple[tuple[tuple[str, int], ...], ...]:
        """The shape as a key."""
        return tuple(tuple(sorted(amounts.items())) for amounts in (self.requested, self.counted, self.request))


class FirstAmongEquals:
    """The node that comes first wins."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, int]] = []

    def put(self, index: int, score: int | None, state: int) -> None:
        """Take over the score of a node in a state; what was known of its other states is passed over later."""
        if score is not None:
            heappush(self._heap, (-score, index, state))

    def best(self, nodes: Sequence[NodeBooks]) -> int | None:
        """Return the first of the best."""
        while self._heap:
            _, index, state = self._heap[0]
            if nodes[index].state == state:
                return index
            heappop(self._heap)
        return None

    def equals(self, nodes: Sequence[NodeBooks]) -> Sequence[int]:
        """Return all that score as the best does."""
        score = self._heap[0][0] if self.best(nodes) is not None else 0
        return sorted({index for top, index, state in self._heap if top == score and nodes[index].state == state})


class ByLot:
    """kube-scheduler's way: each node of the best score is as likely as the others."""

    def __init__(self, draw: random.Random) -> None:
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

    def equals(self, nodes: Sequence[NodeBooks]) -> Sequence[int]:
        """Return all that score as the best does."""
        return next(
            (self._by_score[score] for score in sorted(self._by_score, reverse=True) if self._by_score[score]), ()
        )

    def best(self, nodes: Sequence[NodeBooks]) -> int | None:
        """Draw one of the best."""
        equals = self.equals(nodes)
        return self._draw.choice(equals) if equals else None


Standing = FirstAmongEquals | ByLot
"""Nodes, by their index, in the order of their scores; those in the same state score alike."""


class Ranking:
    """The nodes by score for one shape of pod.

    Only nodes that changed since the last question are looked at again. What is known of a state of a node holds for
    every node in that state.
    """

    def __init__(self, shape: Shape, args: NodeResourcesFitArgs, scorer: Scorer, standing: Standing) -> None:
        """Rank nothing yet; ``standing`` says which node wins among equals."""
        self.shape = shape
        self._standing = standing
        self._args = args
        self._scorer = scorer
        self._scores: dict[int, int | None] = {}
        self._followed = 0

    def best(self, nodes: Sequence[NodeBooks], changes: Sequence[int]) -> int | None:
        """Return the index of the best node; None when the pod fits none.

        ``changes`` are the indices of changed nodes, one after the other since the beginning, all nodes first.
        """
        self._catch_up(nodes, changes)
        return self._standing.best(nodes)

    def equals(self, nodes: Sequence[NodeBooks], changes: Sequence[int]) -> Sequence[int]:
        """Return the indices of all best nodes."""
        self._catch_up(nodes, changes)
        return self._standing.equals(nodes)

    def _catch_up(self, nodes: Sequence[NodeBooks], changes: Sequence[int]) -> None:
        for index in sorted(set(changes[self._followed :])):
            node = nodes[index]
            if node.state not in self._scores:
                steps = self._scorer.steps(node.capacity, node.counted, self.shape.request)
                self._scores[node.state] = None if self.missing(node) else self._scorer.mean(steps)
            self._standing.put(index, self._scores[node.state], node.state)
        self._followed = len(changes)

    def missing(self, node: NodeBooks) -> list[str]:
        """Return why a pod of this shape does not fit a node, sorted; empty when it does."""
        return insufficient(
            node.capacity,
            node.requested,
            node.pods,
            self.shape.requested,
            quirks=self._scorer.quirks,
            ignored=self._args.ignored_resources,
            ignored_groups=self._args.ignored_resource_groups,
        )

    def reasons(self, nodes: Iterable[NodeBooks]) -> dict[str, int]:
        """Return on how many nodes each reason keeps the pod out, sorted by reason."""
        counts: dict[str, int] = {}
        by_state: dict[int, list[str]] = {}
        for node in nodes:
            if node.state not in by_state:
                by_state[node.state] = self.missing(node)
            for reason in by_state[node.state]:
                counts[reason] = counts.get(reason, 0) + 1
        return dict(sorted(counts.items()))
