"""Pairs of events that follow each other in lives: how often each is drawn, and which cannot come.

``python -m asking.generators.pairs_of_events`` in the folder ``tests`` prints them.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise, product

from numa_conformance.asking.generators.events import Event, Pair, pair_of
from numa_conformance.wire.history.history import Step

from .asked_questions import driven, lives

__all__ = ["ALONE", "GROUPS", "drawn_pairs", "pairs_of", "reasons"]

ALL, ANY = frozenset[str](), ("", "same", "another")
CLAIM, CONTAINER = {"prepare", "prepare again", "refuse", "unprepare", "unprepare again"}, {"run", "end"}
POD = {"admit", "admit again", "refuse", "run", "remove", "resize"}
GROUPS: Mapping[str, Mapping[str, bool]] = {
    "claims": {"start": False, **dict.fromkeys(sorted(CLAIM | CONTAINER), True), "restart": False},
    "plugins": {"start": False, "prefer": False, "allocate": True, "restart": False},
    "lives": {**dict.fromkeys(("start", "reconcile", "restart", "state"), False), **dict.fromkeys(sorted(POD), True)},
}
"""Group to its events, and whether each happens to somebody: a claim, a container, a set of devices, a pod."""

Rule = tuple[set[str] | frozenset[str], set[str] | frozenset[str], tuple[str, ...], str]
"""What comes before, and after, how the two are related, and why it cannot be; no events are all."""
SAME = ("same",)
IMPOSSIBLE: Mapping[str, tuple[Rule, ...]] = {
    "claims": (
        ({"start"}, {"prepare again", "unprepare", "end", "refuse"}, ANY, "nobody has anything yet"),
        ((CLAIM | {"start", "restart"}) - {"refuse"}, {"prepare", "refuse"}, SAME, "the uid of a claim is new"),
        ({"refuse"}, {"prepare"}, SAME, "nothing was given back in between"),
        ({"refuse"}, {"prepare", "refuse"}, ("another",), "it asked for all that was left, and still does"),
        ({"prepare", "prepare again"}, {"unprepare again"}, SAME, "the claim is prepared"),
        ({"unprepare", "unprepare again", "refuse"}, {"prepare again", "unprepare"}, SAME, "the claim is not prepared"),
        (CLAIM, CONTAINER, SAME, "a claim is no container without a claim"),
        (CONTAINER, CLAIM, SAME, "a claim is no container without a claim"),
        (ALL, {"run"}, SAME, "the name of a container is new"),
        ({"end"}, {"end"}, SAME, "it has ended"),
    ),
    "plugins": (),
    "lives": (
        ({"start"}, {"admit again", "run", "remove", "resize"}, ANY, "no pod is there yet"),
        ({"start"}, {"state", "reconcile"}, ANY, "a life begins with pods: they are asked of an empty node"),
        (POD - {"remove"}, {"admit"}, SAME, "a pod that is there is admitted again, and one that is refused is new"),
        (POD - {"remove", "refuse"}, {"refuse"}, SAME, "a pod that is there is not refused"),
        ({"refuse", "remove"}, {"admit again", "resize"}, SAME, "the pod is not there"),
        ({"admit"}, {"resize"}, SAME, "a pod that does not run yet is not resized"),
        ({"remove"}, {"run", "remove"}, SAME, "a pod that is gone is asked for no more"),
        ({"run", "resize"}, {"run"}, SAME, "the pod runs"),
    ),
}
"""The pairs of a group that cannot come."""
ALONE: Mapping[str, Mapping[str, str]] = {
    "claims": {
        "several claims at once": "claims.prepare has one claim, whose container is started",
        "a claim that was unprepared is prepared": "claims.unprepare ends the claim too",
    },
    "plugins": {
        "a device falls ill": "the plugin alone decides that, and its list comes with its next answer",
        "a second resource": "plugin.start tells one resource",
    },
    "lives": {
        "a device falls ill": "no message tells it while a node is up",
        "checkpoints": "who reads files changes nothing",
    },
}
"""Events of a group that come in no pair, and why; most of them no message of the protocol lets happen."""


def pairs_of(group: str) -> Iterator[Pair]:
    """Yield every ordered pair of events; with ``start`` another life begins."""
    for before, after in product(GROUPS[group], GROUPS[group].keys() - {"start"}):
        both = GROUPS[group][before] and GROUPS[group][after]
        yield from ((before, after, relation) for relation in (("same", "another") if both else ("",)))


def reasons(group: str, pair: Pair) -> list[str]:
    """Return why a pair cannot come; nothing where it can."""
    before, after, relation = pair
    return [
        why
        for befores, afters, relations, why in IMPOSSIBLE[group]
        if before in (befores or {before}) and after in (afters or {after}) and relation in relations
    ]


def drawn_pairs(group: str) -> Counter[Pair]:
    """Count the pairs in all lives of a group; relations of nodes are lives too."""
    histories = lives() if group == "lives" else driven(group)
    pairs = (pair_of(*events) for history in histories for events in pairwise(_READ[group](history.steps)))
    return Counter(pair for pair in pairs if pair[1] != "start")


def _claim_events(steps: tuple[Step, ...]) -> Iterator[Event]:
    prepared: set[str] = set()
    for step in steps:
        kind, params, answer = step.method.partition(".")[2], step.params, step.answer or {}
        uid = params["claim"]["metadata"]["uid"] if kind == "prepare" else params.get("uid")
        if uid is None:
            yield Event(kind, params.get("name", ""))
        elif answer["result"] == "refused":
            yield Event("refuse", uid)
        else:
            again = (uid in prepared) is (kind == "prepare")
            yield Event(f"{kind} again" if again else kind, uid)
            (prepared.add if kind == "prepare" else prepared.discard)(uid)


def _plugin_events(steps: tuple[Step, ...]) -> Iterator[Event]:
    for step in steps:
        yield Event(step.method.partition(".")[2], ", ".join(step.params.get("devices", ())))


def _node_events(steps: tuple[Step, ...]) -> Iterator[Event]:
    there: set[str] = set()
    for step in steps:
        kind, params, result = step.method.partition(".")[2], step.params, (step.answer or {}).get("result", "")
        uid = params["pod"]["metadata"]["uid"] if "pod" in params else params.get("uid", "")
        if kind == "admit":
            kind = "refuse" if result == "rejected" else "admit again" if uid in there else "admit"
        there = {"admit": there | {uid}, "remove": there - {uid}, "refuse": there - {uid}, "start": set()}.get(
            kind, there
        )
        yield Event(kind, uid)


_READ = {"claims": _claim_events, "plugins": _plugin_events, "lives": _node_events}


def main() -> None:
    """Print each pair with how often it is drawn, or why it cannot come."""
    rows: list[tuple[str, ...]] = []
    for group in GROUPS:
        drawn = drawn_pairs(group)
        for pair in pairs_of(group):
            why = "; ".join(reasons(group, pair)) or "missing"
            rows.append((group, *(part or "-" for part in pair), str(drawn[pair] or f"impossible: {why}")))
        rows += [(group, event, f"in no pair: {why}") for event, why in ALONE[group].items()]
    sys.stdout.writelines("\t".join(row) + "\n" for row in rows)


if __name__ == "__main__":
    main()
