"""Nodes to score: the page's example and configurations, and sweeps whose neighbours are to be compared."""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, product
from typing import Any

from ...judging.scored import LEAST, MOST, RATIO
from ...machine import load_machine
from .scenario import Question, Scenario, ask_all

KINDS = (LEAST, MOST, RATIO)
FOO, BAR = "intel.com/foo", "intel.com/bar"
Amounts = Mapping[str, str]
Shape = Sequence[tuple[int, int]]
RISING: Shape = ((0, 0), (100, 10))
FALLING: Shape = ((0, 10), (100, 0))
SHAPES: tuple[Shape, ...] = (
    *(RISING, FALLING, ((0, 0), (50, 10), (100, 0)), ((0, 5), (40, 5), (80, 10)), ((20, 2), (60, 8), (100, 4))),
    *(((50, 7),), ((0, 10), (25, 0), (75, 0), (100, 10))),
)
BAD_POINTS = ((0, 11), (0, -1), (101, 1), (-1, 1))
BAD_SHAPES: list[Shape] = [(), ((50, 1), (10, 5)), ((10, 1), (10, 5)), *([point] for point in BAD_POINTS)]
UNITS = {"cpu": "", "memory": "Gi", FOO: "", BAR: "", "ephemeral-storage": "Gi"}
"""The resources of nodes that are drawn, and what follows their numbers."""
EXAMPLE_POD: Amounts = {FOO: "2", "memory": "256Mi", "cpu": "2"}
EXAMPLE_NODES: tuple[tuple[Amounts, Amounts], ...] = (
    ({FOO: "4", "memory": "1Gi", "cpu": "8"}, {FOO: "1", "memory": "256Mi", "cpu": "1"}),
    ({FOO: "8", "memory": "1Gi", "cpu": "8"}, {FOO: "2", "memory": "512Mi", "cpu": "6"}),
)
"""What the two nodes of the page have, and what is used on them."""


def strategy(kind: str, shape: Shape | None = None, **weights: int) -> dict[str, Any]:
    """Describe a strategy; ``foo`` and ``bar`` stand for the extended resources of the page, no weight for no list.

    The shape of a ratio is the rising one unless another is named.
    """
    names = {"foo": FOO, "bar": BAR}
    described: dict[str, Any] = {"type": kind}
    if weights:
        described["resources"] = [{"name": names.get(name, name), "weight": weight} for name, weight in weights.items()]
    if kind == RATIO:
        shape = RISING if shape is None else shape
        described["requestedToCapacityRatio"] = {"shape": [{"utilization": at, "score": score} for at, score in shape]}
    return described


def examples_of_scores(kinds: Sequence[str] = KINDS) -> Iterator[Scenario]:
    """Yield the page's worked example, and nodes under each configuration that it prints."""
    worked = strategy(RATIO, RISING, foo=5, memory=1, cpu=3)
    questions = [_question(worked, room, [used], EXAMPLE_POD) for room, used in EXAMPLE_NODES]
    questions.append(_question(worked, EXAMPLE_POD, [], EXAMPLE_POD))
    if RATIO in kinds:
        yield _scenario("example", "Resource Bin Packing, worked example", questions)
    printed = (
        strategy(MOST, cpu=1, memory=1, foo=3, bar=3),
        strategy(RATIO, RISING, foo=3, bar=3),
        strategy(RATIO, FALLING, foo=3, bar=3),
        strategy(RATIO, RISING, foo=5, cpu=3, memory=1),
    )
    room = {"cpu": "10", "memory": "10Gi", FOO: "10", BAR: "10"}
    levels: Sequence[Amounts] = [dict(zip(room, (at, f"{at}Gi", at, at), strict=True)) for at in "1359"]
    for number, configuration in enumerate(printed, 1):
        if configuration["type"] in kinds:
            questions = [_question(configuration, room, [used], levels[0]) for used in levels]
            yield _scenario("example", f"Resource Bin Packing, configuration {number}", questions)


def score_sweep(kinds: Sequence[str] = KINDS, *, as_a_whole: bool = True, seed: int = 0) -> Iterator[Scenario]:
    """Yield nodes from empty to full under each strategy and shape, what may be left out, and some by lot."""
    lot = random.Random(f"scores {seed}")
    for kind in kinds:
        yield _scenario("sweep", f"score {kind}, what is left out", _left_out(kind))
        yield _scenario("sweep", f"score {kind}, weights", _weights(kind))
        yield _scenario("sweep", f"score {kind}, the same requests otherwise", _otherwise(kind, as_a_whole))
        yield _scenario("sweep", f"score {kind}, by lot", chain(*(_by_lot(kind, lot) for _ in range(40))), seed)
        for shape in SHAPES if kind == RATIO else (None,):
            yield _scenario("sweep", f"score {kind} {shape or ''}".strip(), _levels(kind, shape))
    plain = kinds[0] if kinds else LEAST
    yield _scenario("sweep", "score, what does not fit", _misfits(strategy(plain), lot), seed)
    yield _scenario("sweep", "score, room for what asks otherwise", _rooms(plain, as_a_whole))
    if RATIO in kinds:
        bad = (strategy(RATIO, shape, cpu=1) for shape in BAD_SHAPES)
        yield _scenario("sweep", "score, bad shapes", (_question(each, {"cpu": "8"}, [], {"cpu": "1"}) for each in bad))


def _levels(kind: str, shape: Shape | None) -> Iterator[Question]:
    """Ask of nodes that differ in what is used, of one resource, of all, and in what the pod asks for."""
    room = {"cpu": "10", "memory": "100Gi", FOO: "20", "ephemeral-storage": "100Gi"}
    both = strategy(kind, shape, cpu=1, memory=1)
    for at in range(10):
        yield _question(strategy(kind, shape, cpu=1), room, [{"cpu": str(at)}], {"cpu": "1"})
    for at in (0, 25, 50, 99):
        yield _question(strategy(kind, shape, **{"ephemeral-storage": 2}), room, [{"ephemeral-storage": f"{at}Gi"}], {})
    for at in (0, 9, 18, 4, 14):
        yield _question(strategy(kind, shape, foo=3, cpu=1), room, [{FOO: str(at), "cpu": "3"}], {FOO: "1", "cpu": "1"})
    for at in range(1, 10, 2):
        wanted = {"cpu": str(at), "memory": f"{10 * at}Gi"}
        yield _question(both, room, [{"cpu": "1", "memory": "10Gi"}], wanted)
    for at in (8, 9, 12, 15):  # more is in use than there is, of what the pod does not ask for
        yield _question(both, room, [{"cpu": str(at), "memory": "10Gi"}], {"cpu": "0", "memory": "1Gi"})
    for at in (80, 90, 120, 150):
        yield _question(both, room, [{"cpu": "1", "memory": f"{at}Gi"}], {"cpu": "1", "memory": "0"})
    for room_in, used_in, wanted_in in (("3500m", "500m", "1500m"), ("4", "1100m", "290m"), ("1", "0", "290m")):
        yield _question(strategy(kind, shape, cpu=1), {"cpu": room_in}, [{"cpu": used_in}], {"cpu": wanted_in})
    yield _question(strategy(kind, shape, memory=1), {"memory": "4Gi"}, [{"memory": "0.5Gi"}], {"memory": "1.5Gi"})
    for at in (1, 2, 9):
        whole, used, wanted = ({"memory": f"{size}M"} for size in (1000, 300, 50 * at))
        yield _question(strategy(kind, shape, memory=1), whole, [used], wanted)
    for size in (1, 2, 4, 8):
        node = {"cpu": str(4 * size), "memory": f"{4 * size}Gi"}
        yield _question(strategy(kind, shape, cpu=2, memory=1), node, [{"cpu": "2", "memory": "2Gi"}], _small(2))


def _left_out(kind: str) -> Iterator[Question]:
    """Ask each strategy written in full and with what is optional left out, one after the other."""
    room, used, wanted = {"cpu": "10", "memory": "10Gi"}, {"cpu": "7", "memory": "1Gi"}, _small(1)
    full, heavy, light = (strategy(kind, cpu=cpu, memory=memory) for cpu, memory in ((1, 1), (1, 3), (5, 1)))
    first = {**heavy, "resources": [{"name": "cpu"}, {"name": "memory", "weight": 3}]}
    last = {**light, "resources": [{"name": "cpu", "weight": 5}, {"name": "memory"}]}
    odd = [strategy(kind, cpu=cpu, memory=memory) for cpu, memory in ((-1, 1), (1, -1), (5, -3), (-1, -1))]
    in_turn = [full, strategy(kind), full, heavy, first, heavy, light, last, light, *odd, {**light, "resources": []}]
    for described in in_turn:
        yield _question(described, room, [used], wanted)


def _weights(kind: str) -> Iterator[Question]:
    room, used, wanted = {"cpu": "10", "memory": "10Gi"}, {"cpu": "8", "memory": "1Gi"}, _small(1)
    for used_cpu, (cpu, memory) in product((1, 2, 3, 6), ((1, 1), (1, 2), (3, 2))):
        uneven = {"cpu": str(used_cpu), "memory": "3Gi"}
        yield _question(strategy(kind, cpu=cpu, memory=memory), {"cpu": "7", "memory": "9Gi"}, [uneven], wanted)
    pairs = ((1, 9), (9, 1), (5, 5), (1, 100), (100, 1), (2, 18), (18, 2), (1, 2), (2, 1), (3, 4), (5, 1))
    for cpu, memory in (*pairs, (50, 100), (100, 50)):
        yield _question(strategy(kind, cpu=cpu, memory=memory), room, [used], wanted)
    for foo in (1, 9):
        weighed = strategy(kind, cpu=1, memory=1, foo=foo)
        yield _question(weighed, {**room, FOO: "4"}, [used], {"cpu": "1", "memory": "1Gi", FOO: "4"})


def _otherwise(kind: str, as_a_whole: bool) -> Iterator[Question]:
    """Ask for pods that request the same by containers of other kinds: as the new pod, alone too, and on the node."""
    for name in PLACED:
        described = strategy(kind, None, **{name: 1})
        room, pods = _room(name, 3 * REQUESTS), list(_pods_of(name, as_a_whole))
        yield _question_of_pods(described, room, [], pods[0])
        yield from (_question_of_pods(described, room, pods[:1], pod) for pod in pods)
        yield from (_question_of_pods(described, room, [pods[0], pod], pods[0]) for pod in pods)


def _rooms(kind: str, as_a_whole: bool) -> Iterator[Question]:
    """Ask the same of nodes with just enough room, and with a little less."""
    for name in PLACED:
        described = strategy(kind, None, **{name: 1})
        for pod, missing in product(_pods_of(name, as_a_whole), (0, 1)):
            yield _question_of_pods(described, _room(name, REQUESTS - missing), [], pod)
            yield _question_of_pods(described, _room(name, 2 * REQUESTS - missing), [pod], _pod([_of(name, REQUESTS)]))


REQUESTS = 8
PLACED = ("cpu", "memory", FOO, "ephemeral-storage")
"""The resources that are asked for in every place of a pod."""
PLACES: tuple[tuple[Sequence[int], Sequence[tuple[str, int]], int], ...] = (
    *(((8,), (), 0), ((5, 3), (), 0), ((3,), (("sidecar", 5),), 0)),
    *(((3,), (("sidecar", 2), ("sidecar", 3)), 0), ((3,), (("init", 8),), 0)),
    *(((3,), (("init", 4), ("init", 8)), 0), ((3, 1), (("sidecar", 3), ("init", 5)), 0)),
    *(((5,), (("init", 8), ("sidecar", 3)), 0), ((3,), (), 5), ((1, 2), (("init", 1), ("sidecar", 3)), 2)),
    *(((1,), (("sidecar", 1), ("init", 5)), 2), ((0,), (("init", 8),), 0), ((0,), (("sidecar", 8),), 0)),
    *(((0,), (), 8), ((4, 3, 1), (), 0), ((1,), (("init", 6),), 2)),
)
"""What app containers, those before them and overhead ask for: together 8 at the busiest moment; 0 is not written."""
WHOLE_PLACES = (((0,), (), 0, 8), ((3,), (), 0, 8), ((1, 2), (("init", 5),), 0, 8), ((1,), (("sidecar", 3),), 2, 6))
"""The same with what the pod asks for as a whole; a further pod asks for another resource so."""


def _pods_of(name: str, as_a_whole: bool) -> Iterator[dict[str, Any]]:
    wholes = WHOLE_PLACES if as_a_whole and name in ("cpu", "memory") else ()
    for apps, first, overhead, whole in (*((*place, 0) for place in PLACES), *wholes):
        pod = _pod([_of(name, number) for number in apps])
        before = [
            _container(f"{kind}{place}", _of(name, number)) | ({"restartPolicy": "Always"} if kind == "sidecar" else {})
            for place, (kind, number) in enumerate(first)
        ]
        more: dict[str, Any] = {"initContainers": before, "overhead": _of(name, overhead)}
        more["resources"] = {"requests": _of(name, whole)} if whole else {}
        yield {**pod, "spec": {**pod["spec"], **{field: value for field, value in more.items() if value}}}
    other = _of("memory" if name == "cpu" else "cpu", 1)
    both = [(3, other | _of(name, REQUESTS))] if wholes else []
    for number, requests in [(REQUESTS, other), *both] if as_a_whole else ():
        pod = _pod([_of(name, number)])
        yield {**pod, "spec": {**pod["spec"], "resources": {"requests": requests}}}


def _room(name: str, number: int) -> dict[str, str]:
    return {"cpu": "9", "memory": "9Gi"} | _of(name, number)


def _of(name: str, number: int) -> dict[str, str]:
    return {name: f"{number}{UNITS[name]}"} if number else {}


def _by_lot(kind: str, lot: random.Random) -> Iterator[Question]:
    """Ask of a node in use: what is used is requested by one pod, and then by several that request as much."""
    names = lot.sample(("cpu", "memory", "foo", "bar", "ephemeral-storage"), lot.randint(1, 4))
    weights = {name: lot.randint(1, 9) for name in names}
    described = strategy(kind, lot.choice(SHAPES) if kind == RATIO else None, **weights)
    most = {name: lot.choice((4, 8, 10, 64)) for name in UNITS}
    wanted = {name: lot.randint(1, size) for name, size in most.items()}
    taken = {name: lot.randint(0, size - wanted[name]) for name, size in most.items()}
    for parts in ([taken], _split(taken, lot.choice((2, 3, 4, 12)), lot)):
        yield _question(described, _written(most), [_written(part) for part in parts], _written(wanted))


def _split(amounts: Mapping[str, int], count: int, lot: random.Random) -> Iterator[Mapping[str, int]]:
    """Divide amounts among so many pods; the last has what the others leave."""
    left = dict(amounts)
    for _ in range(count - 1):
        part = {name: lot.randint(0, most) for name, most in left.items()}
        left = {name: most - part[name] for name, most in left.items()}
        yield part
    yield left


def _written(amounts: Mapping[str, int]) -> dict[str, str]:
    return {name: f"{number}{UNITS[name]}" for name, number in amounts.items()}


def _misfits(described: Mapping[str, Any], lot: random.Random) -> Iterator[Question]:
    """Ask of nodes that lack this or that: just enough, a little too little, nothing at all."""
    room = {"cpu": "8", "memory": "4Gi", FOO: "2", "ephemeral-storage": "4Gi"}
    alone = {
        "cpu": (("6", "2"), ("6", "2001m")),
        "memory": (("3Gi", "1Gi"), ("3Gi", "1024Mi"), ("3Gi", "1025Mi"), ("3G", "1295M"), ("3000M", "1294e6")),
        FOO: (("1", "1"), ("1", "2")),
        "ephemeral-storage": (("3Gi", "1Gi"), ("3Gi", "1025Mi")),
    }
    cases: list[tuple[Amounts, Amounts]] = [
        *(({name: used}, {name: wanted}) for name, pairs in alone.items() for used, wanted in pairs),
        ({"cpu": "7", FOO: "2"}, {"cpu": "2", FOO: "1", "memory": "1Gi"}),
        *(({"cpu": "9"}, {"memory": "1Gi"}), ({"cpu": "9"}, {"cpu": "0", "memory": "1Gi"}), ({}, {"memory": "16Ei"})),
        *(({}, {BAR: "1"}), ({}, {"cpu": "1", "hugepages-2Mi": "2Mi"}), ({}, {"cpu": "8", "memory": "4Gi", FOO: "2"})),
        *(({}, {"cpu": "8001m", "memory": "4097Mi", FOO: "3"}), ({}, {}), ({}, {"cpu": "4294968"})),
    ]
    by_lot = ({"cpu": f"{lot.randint(0, 8)}", FOO: f"{lot.randint(0, 2)}"} for _ in range(60))
    cases += zip(by_lot, by_lot, strict=True)
    for used, wanted in cases:
        yield _question(described, room, [used], wanted)
    yield from _tight(described)


def _tight(described: Mapping[str, Any]) -> Iterator[Question]:
    """Ask of nodes with parts of a CPU, with none of a resource, and with just enough for the busiest moment."""
    for cpu, used, requested in (("7500m", "6", 1500), ("3300m", "1100m", 2200)):
        for more in (0, 1):
            wanted = {"cpu": f"{requested + more}m", FOO: "0"}
            yield _question(described, {"cpu": cpu, FOO: "0"}, [{"cpu": used}], wanted)
    yield _question(described, {"cpu": "1", FOO: "0"}, [], {FOO: "1"})
    yield _question(described, {"cpu": "1", FOO: "2", BAR: "1"}, [], {FOO: "1", BAR: "2"})
    for memory, size in (("8388608Ki", "8Gi"), ("8589934592", "8Gi"), ("2Ti", "2048Gi")):
        yield _question(described, {"memory": memory}, [], {"memory": size})
    pages = "hugepages-2Mi"
    for size, devices in (("32Mi", "1000"), ("34Mi", "1"), ("2Mi", "1001")):
        in_use, requests = {"cpu": "1", pages: "32Mi", FOO: "1000"}, {"cpu": "1", pages: size, FOO: devices}
        yield _question(described, {"cpu": "4", pages: "64Mi", FOO: "2k"}, [in_use], requests)
    inits = [_container(f"i{n}", {"cpu": f"{n}", "memory": f"{4 - n}Gi"}) for n in (1, 3, 2)]
    pod = _pod([{"cpu": "3", "memory": "1Gi"}])
    pod["spec"] |= {"initContainers": inits, "overhead": {"cpu": "250m", "memory": "128Mi"}}
    for memory in ("3200Mi", "3199Mi"):
        yield _question_of_pods(described, {"cpu": "3250m", "memory": memory}, [], pod)


def _small(amount: int) -> Amounts:
    return {"cpu": str(amount), "memory": f"{amount}Gi"}


def _question(described: Mapping[str, Any], room: Amounts, used: Sequence[Amounts], wanted: Amounts) -> Question:
    return _question_of_pods(described, room, [_pod([amounts]) for amounts in used], _pod([wanted]))


def _question_of_pods(
    described: Mapping[str, Any], room: Amounts, pods: Sequence[Mapping[str, Any]], pod: Mapping[str, Any]
) -> Question:
    named = [{**used, "metadata": {"name": f"used-{index}"}} for index, used in enumerate(pods)]
    return "score", {"strategy": described, "allocatable": {**room, "pods": "110"}, "pods": named, "pod": pod}


def _pod(apps: Sequence[Amounts]) -> dict[str, Any]:
    containers = [_container(f"c{index}", amounts) for index, amounts in enumerate(apps)]
    return {"metadata": {"name": "p"}, "spec": {"containers": containers}}


def _container(name: str, amounts: Amounts) -> dict[str, Any]:
    limits = {resource: amount for resource, amount in amounts.items() if "/" in resource or "huge" in resource}
    resources = {"requests": dict(amounts), "limits": limits}
    return {"name": name, "image": "example", "resources": {kind: side for kind, side in resources.items() if side}}


def _scenario(generator: str, cell: str, questions: Iterable[Question], seed: int = 0) -> Scenario:
    return Scenario(generator, cell, load_machine("one-cpu"), partial(ask_all, list(questions)), seed)
