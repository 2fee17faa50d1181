"""Events by lot: of what can come next, first a pair with the last event that a life has not had yet."""

import random
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple


class Event(NamedTuple):
    """What happens, and to whom: a claim, a container, a set of devices; empty where it happens to all."""

    name: str
    subject: str = ""


Pair = tuple[str, str, str]
"""The names of two events that follow each other, and whether they happen to the ``same`` or to ``another``."""


def pair_of(before: Event, event: Event) -> Pair:
    """Return the pair of two events; its last part is empty where one of them happens to all."""
    if not before.subject or not event.subject:
        return before.name, event.name, ""
    return before.name, event.name, "same" if before.subject == event.subject else "another"


class EventLot:
    """Draws the events of one life."""

    def __init__(self, lot: random.Random, first: str = "start") -> None:
        """Take the lot, and the event with which the life begins."""
        self.lot = lot
        self._last = Event(first)
        self._drawn: set[Pair] = set()

    def draw(self, possible: Iterable[Event]) -> Event:
        """Draw a pair with the last event, then whom it happens to."""
        by_pair: dict[Pair, list[Event]] = defaultdict(list)
        for event in possible:
            by_pair[pair_of(self._last, event)].append(event)
        pair = self.lot.choice([each for each in by_pair if each not in self._drawn] or list(by_pair))
        self._drawn.add(pair)
        self._last = self.lot.choice(by_pair[pair])
        return self._last
