"""Hints to merge: every small family of them, and larger ones by lot."""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import chain, combinations, combinations_with_replacement, product
from typing import Any

from ...machine import load_machine
from ...sources.policies import TOPOLOGY_POLICIES
from .scenario import Question, Scenario, Script, ask_all

CLOSEST = "prefer-closest-numa-nodes"
MOST_NODES = "max-allowable-numa-nodes"
Nodes = tuple[int, ...]
Hints = Sequence[tuple["Nodes | None", bool]]
"""NUMA nodes, None where any will do, and whether they are preferred."""
Provider = Mapping[str, "Hints | None"] | None
Drawn = Callable[[], list[Question]]
APART = {2: (0, 3), 3: (1, 2, 6), 5: (0, 2, 3, 5, 9)}
"""Ids of NUMA nodes that leave some out, as machines have them, by how many they are."""
_TIED_WIDTHS = (1, 2, 3, 3, 3)
"""NUMA nodes of sets between which distance decides: of three and more the average is not that of one pair."""
_PART = 250
"""Questions of a history."""


VAST = 40
"""NUMA nodes of more than 32."""


def merge_sweep(
    policies: Sequence[str] = TOPOLOGY_POLICIES,
    *,
    closest: bool = True,
    many: bool = True,
    lots: int = 60,
    seed: int = 0,
) -> Iterator[Scenario]:
    """Yield families of hints under each policy.

    On one and two NUMA nodes: every two providers of ``telling`` ones, under the last policy in both orders, and some
    where nothing is aligned; three by lot. On three to eight, ``lots`` by lot. With ``closest`` also by distance, with
    ``many`` on more nodes than eight.
    """
    for policy in policies:
        for count in (1, 2):
            pairs = _pairs(count, both_orders=policy == policies[-1])[:: 8 if policy == "none" else 1]
            yield from _scenarios(f"every two providers on {count}", policy, _drawn(policy, count, pairs), len(pairs))
        for count in range(2, 9):
            lot = random.Random(f"merges {seed} {policy} {count}")
            some = lots if count < 5 else lots // 3
            drawn = _drawn(policy, count, _families(count, lot, some))
            yield from _scenarios(f"by lot on {count}", policy, drawn, some)
            if closest and policy != "none":
                near = _drawn(policy, count, _families(count, lot, lots // 3, tied=True), {CLOSEST: "true"}, lot, drawn)
                yield from _scenarios(f"by distance on {count}", policy, near, lots // 3)
            if closest and policy == "best-effort" and count > 2:
                lot = random.Random(f"merges {seed} {policy} {count} unpreferred")
                families = map(_unpreferred, _families(count, lot, lots // 10, tied=True))
                near = _drawn(policy, count, families, {CLOSEST: "true"}, lot)
                yield from _scenarios(f"by distance on {count}, none preferred", policy, near, lots // 10)
        lot = random.Random(f"merges {seed} {policy} crowds")
        yield from _scenarios("many by lot on 2", policy, _drawn(policy, 2, _crowds(lot, lots // 6)), lots // 6)
        for count, nodes in APART.items():
            lot = random.Random(f"merges {seed} {policy} {count} apart")
            options = {CLOSEST: "false"} if closest and policy != "none" else None
            drawn = _drawn(policy, count, _families(count, lot, lots // 6), options, nodes=nodes)
            yield from _scenarios(f"by lot on {count} apart", policy, drawn, lots // 6)
            if closest and policy in ("best-effort", "restricted"):
                few = (family[:-1] for family in _families(count, lot, lots // 60, tied=True))
                near = _drawn(policy, count, few, {CLOSEST: "true"}, lot, drawn, nodes)
                yield from _scenarios(f"by distance on {count} apart", policy, near, lots // 60, alone=True)
        if many:
            lot = random.Random(f"merges {seed} {policy} many")
            wide = chain(*(_families(count, lot, 4) for count in (9, 12, 12)))
            yield from _scenarios("by lot on 12", policy, _drawn(policy, 12, wide, {MOST_NODES: "12"}), 12)
            last: list[Provider] = [{"r": [((VAST - 1,), True)]}]
            vast = _drawn(policy, VAST, [last, *_families(VAST, lot, 3)], {MOST_NODES: f"{VAST}"})
            yield from _scenarios(f"by lot on {VAST}", policy, vast, 4)


def _pairs(count: int, *, both_orders: bool) -> list[tuple[Provider, Provider]]:
    pairs = list(combinations_with_replacement(telling(count), 2))
    return pairs + [(right, left) for left, right in pairs if both_orders and left is not right]


def telling(count: int) -> list[Provider]:
    """Return providers on so few NUMA nodes: without opinion, impossible, every one or two hints, and usual ones."""
    sets = _sets(count)
    hints: list[tuple[Nodes | None, bool]] = [*product(sets, (True, False)), (None, True), (None, False)]
    rows: list[Hints | None] = [None, [], *([hint] for hint in hints), *combinations(hints, 2), usual(count, 1)]
    return [None, {}, *({"r": row} for row in rows if row is None or len({nodes for nodes, _ in row}) == len(row))]


def usual(count: int, width: int) -> Hints:
    """Return what a manager hints on a free machine: all sets, those of one width preferred, none narrower."""
    return [(nodes, len(nodes) == width) for nodes in _sets(count) if len(nodes) >= width]


def _families(count: int, lot: random.Random, number: int, *, tied: bool = False) -> Iterator[list[Provider]]:
    return (_family(count, lot, tied=tied) for _ in range(number))


def _family(count: int, lot: random.Random, *, tied: bool = False) -> list[Provider]:
    """Return one to three providers; with ``tied`` they prefer several sets of one size, and some wider ones."""
    if tied:
        width = max(1, min(lot.choice(_TIED_WIDTHS), count - 1))
        alike = [nodes for nodes in _sets(min(count, 8)) if len(nodes) == width]
        preferred = lot.sample(alike, min(len(alike), lot.randint(2, 6)))
        others = [nodes for nodes in lot.sample(_sets(count), min(3, count)) if nodes not in preferred]
        row = [*((nodes, True) for nodes in preferred)]
        row += [(nodes, len(nodes) > width and lot.random() < 0.5) for nodes in others]
        return [*({"r": lot.sample(row, len(row))} for _ in range(lot.randint(1, 2))), lot.choice((None, {}))]
    shared = lot.sample(_sets(count), min(2, 2**count - 1)) if lot.random() < 0.6 else []
    return [_provider(count, shared, lot) for _ in range(lot.randint(1, 3))]


def _crowds(lot: random.Random, number: int) -> Iterator[list[Provider]]:
    """Yield up to six providers on two NUMA nodes, or one with all their resources."""
    for turn in range(number):
        crowd = [provider for family in _families(2, lot, 2) for provider in family]
        resources = [hints for provider in crowd for hints in (provider or {}).values()]
        yield crowd if turn % 2 else [{f"r{place}": hints for place, hints in enumerate(resources)}]


def _unpreferred(family: Sequence[Provider]) -> list[Provider]:
    return [
        provider and {name: [(nodes, False) for nodes, _ in hints or ()] for name, hints in provider.items()}
        for provider in family
    ]


def _provider(count: int, shared: Sequence[Nodes], lot: random.Random) -> Provider:
    chance = lot.random()
    if chance < 0.08:
        return lot.choice((None, {}, {"r": None}, {"r": []}))
    if chance < 0.2 and count <= 5:
        return {"r": usual(count, lot.randint(1, count))}
    return {f"r{index}": _row(count, shared, lot) for index in range(lot.choice((1, 1, 1, 2)))}


def _row(count: int, shared: Sequence[Nodes], lot: random.Random) -> Hints:
    """Return some hints; a set of nodes comes once."""
    sets = _sets(count)
    drawn = dict.fromkeys(lot.sample(sets, min(len(sets), lot.randint(0, 4))), False)
    row: list[tuple[Nodes | None, bool]] = [(nodes, lot.random() < 0.4) for nodes in drawn if nodes not in shared]
    row += [(nodes, lot.random() < 0.8) for nodes in shared]
    if lot.random() < 0.05 or not row:
        row.append((None, lot.random() < 0.7))
    return lot.sample(row, len(row))


@cache
def _sets(count: int) -> tuple[Nodes, ...]:
    """Return the sets of NUMA nodes, narrow ones first; on many nodes those of three at most, and all."""
    most = count if count <= 6 else 3
    sets = tuple(nodes for size in range(1, most + 1) for nodes in combinations(range(count), size))
    return sets if most == count else (*sets, tuple(range(count)))


def _distances(count: int, lot: random.Random | None) -> list[list[int]]:
    """Return distances: two NUMA nodes of a socket are near, sockets of a pair less so, the others far; or any."""

    def distance(left: int, right: int) -> int:
        if left // 2 == right // 2:
            return 11 + left // 2
        return 16 + left // 4 if left // 4 == right // 4 else 32

    table = {pair: distance(*pair) for pair in combinations(range(count), 2)}
    if lot is not None and lot.random() < 0.7:
        table = {pair: lot.choice((11, 12, 28, 32)) for pair in table}
    rows = range(count)
    return [[10 if left == right else table[min(left, right), max(left, right)] for right in rows] for left in rows]


def _drawn(
    policy: str,
    count: int,
    families: Iterable[Sequence[Provider]],
    options: Mapping[str, str] | None = None,
    lot: random.Random | None = None,
    after: Drawn | None = None,
    nodes: Nodes = (),
) -> Drawn:
    """Return questions that are drawn and written once somebody asks one of them: a part of all needs few.

    ``after``: what the same lot draws before. ``nodes``: their ids where these are not 0 and up; distances
    of such are told with a ``lot`` only.
    """

    @cache
    def questions() -> list[Question]:
        if after is not None:
            after()
        ids = nodes or range(count)
        settings = {"policy": policy, "options": dict(options or {}), "nodes": list(ids)}
        every = list[Question]()
        for family in list(families):
            distances = None if nodes and lot is None else _distances(count, lot)
            providers = [_written(each, ids) for each in family]
            every.append(("merge", {**settings, "distances": distances, "providers": providers}))
        return every

    return questions


def _scenarios(cell: str, policy: str, drawn: Drawn, questions: int, *, alone: bool = False) -> Iterator[Scenario]:
    """Yield the parts of what is drawn; ``alone``: each question by itself, where a target may crash at any."""
    generator, part = ("alone", 1) if alone else ("sweep", _PART)
    for start in range(0, questions, part):
        name = f"merge {policy}, {cell}, {start // part + 1}"
        yield Scenario(generator, name, load_machine("one-cpu"), partial(_part_of, drawn, slice(start, start + part)))


def _part_of(drawn: Drawn, part: slice) -> Script:
    return ask_all(drawn()[part])


def _written(provider: Provider, ids: Sequence[int]) -> dict[str, Any] | None:
    """Return hints as they are sent: each place among the NUMA nodes is their id."""

    def hint(nodes: Nodes | None, preferred: bool) -> dict[str, Any]:
        return {"nodes": None if nodes is None else [ids[place] for place in nodes], "preferred": preferred}

    if provider is None:
        return None
    return {name: row if row is None else [hint(*each) for each in row] for name, row in provider.items()}
