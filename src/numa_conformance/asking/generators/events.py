"""Events by lot: of what can come next, first a pair with the last event that a life has not had yet."""

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any, NamedTuple

from ...judging.pods import PodSpec


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


CHANGES: tuple[Mapping[str, str], ...] = (
    *({"cpu": "1"}, {"cpu": "2"}, {"cpu": "3"}, {"cpu": "500m"}, {"memory": "32Mi"}, {"memory": "256Mi"}),
    *({"cpu": "2", "memory": "96Mi"}, {"cpu": "1000"}, {"memory": str(1 << 50)}),
)
"""What a container is to ask for in place of what it does; of the last two no machine has as much."""


def resized_by_lot(whole: Mapping[str, Any], lot: random.Random) -> dict[str, Any]:
    """Return a pod of which one app container or sidecar has other amounts, or a limit alone; its class stays."""
    apps = len(whole["spec"]["containers"])
    early = [each.get("restartPolicy") == "Always" for each in whole["spec"].get("initContainers", ())]
    able = [place for place, is_sidecar in enumerate([*early, *[True] * apps]) if is_sidecar]
    place, amounts = lot.choice(able), lot.choice(CHANGES)
    changed = deepcopy(dict(whole))
    containers = [*changed["spec"].get("initContainers", ()), *changed["spec"]["containers"]]
    resources = containers[place]["resources"]
    limit = resources.get("limits", {}).get("cpu", "")
    if limit.endswith("500m") and "requests" in resources:
        resources["limits"]["cpu"] = limit.replace("500m", "750m")
    else:
        for side in resources.values():
            side.update({name: amount for name, amount in amounts.items() if name in side})
    return changed if PodSpec.of(changed).qos == PodSpec.of(whole).qos else dict(whole)
