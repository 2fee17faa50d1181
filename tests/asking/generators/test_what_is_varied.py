"""What the lives of nodes vary: every value of every aspect of configurations and pods, alone and in pairs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import combinations

import pytest

from numa_conformance.machine import machine_to_dict
from numa_conformance.sources.options import STATIC_OPTIONS

from .asked_questions import lives
from .aspects import Aspects, of_configuration, of_pod, pairs

Value = tuple[str, str]

NEVER: dict[frozenset[Value], str] = {}
"""Pairs of values that do not come together, and why."""


def _never(why: str, *values: tuple[str, tuple[str, ...]]) -> None:
    (left, lefts), (right, rights) = values
    NEVER.update({frozenset({(left, a), (right, b)}): why for a in lefts for b in rights})


DEVICES = ("0", "1", "2", "3 or more")
_never("a node whose policy gives CPUs needs a reservation", ("CPU policy", ("static",)), ("reservation", ("nothing",)))
for _option in STATIC_OPTIONS:
    _never(
        "nothing is reserved under policy none, which has no options",
        (_option, ("true", "false", "absent")),
        ("reservation", ("nothing",)),
    )
    _never("policy none has no options", ("CPU policy", ("none",)), (_option, ("true", "false", "absent")))
_never(
    "sockets cannot be aligned within one NUMA node: the page has it refused",
    ("align-by-socket", ("true",)),
    ("topology policy", ("single-numa-node",)),
)
for _other in ("full-pcpus-only", "distribute-cpus-across-numa", "prefer-align-cpus-by-uncorecache"):
    _never("the options exclude each other", ("distribute-cpus-across-cores", ("true",)), (_other, ("true",)))
_never(
    "the options exclude each other",
    ("distribute-cpus-across-numa", ("true",)),
    ("prefer-align-cpus-by-uncorecache", ("true",)),
)
_never(
    "one container is one or the other",
    ("app containers", ("1",)),
    ("exclusive and shared containers", ("own+shared",)),
)
_never(
    "only Guaranteed pods have CPUs of their own",
    ("class", ("BestEffort", "Burstable")),
    ("exclusive and shared containers", ("own", "own+shared")),
)
_never(
    "huge pages are requested together with cpu or memory",
    ("class", ("BestEffort",)),
    ("huge page sizes", ("1", "2 or more")),
)
_never("none is none", ("containers with devices", ("0",)), ("device resources of a container", ("1", "2 or more")))
_never("some is not none", ("containers with devices", DEVICES[1:]), ("device resources of a container", ("0",)))
_never("there are none", ("containers with devices", DEVICES[1:]), ("device resources of the machine", ("0",)))
_never(
    "there are none",
    ("device resources of a container", ("1", "2 or more")),
    ("device resources of the machine", ("0",)),
)
_never("there is one", ("device resources of a container", ("2 or more",)), ("device resources of the machine", ("1",)))
_never(
    "the option is the Topology Manager's",
    ("prefer-closest-numa-nodes", ("true", "false")),
    ("topology policy", ("none",)),
)


@cache
def _seen() -> tuple[dict[str, Counter[str]], Counter[tuple[Value, Value]]]:
    values: dict[str, Counter[str]] = defaultdict(Counter)
    together: Counter[tuple[Value, Value]] = Counter()
    for aspects in _asked():
        for name, value in aspects.items():
            values[name][value] += 1
        together.update(pairs(aspects))
    return values, together


def _asked() -> Iterator[Aspects]:
    """Yield the aspects of each admission that a target with every feature is asked for."""
    for history in (each for each in lives() if each.head.generator != "example"):
        machine = machine_to_dict(history.head.machine)
        configuration: Aspects = {}
        for step in history.steps:
            if step.method == "node.start":
                configuration = of_configuration(step.params["kubelet"], machine)
            elif step.method == "node.admit":
                yield configuration | of_pod(step.params["pod"])


@pytest.mark.parametrize("option", STATIC_OPTIONS)
def test_every_option_is_on_off_and_not_written(option: str) -> None:
    values, _ = _seen()
    assert set(values[option]) == {"true", "false", "absent"}


def test_every_pair_of_values_comes_together_or_cannot() -> None:
    values, together = _seen()
    missing = [
        (left, right)
        for one, other in combinations(sorted(values), 2)
        for left in ((one, value) for value in values[one])
        for right in ((other, value) for value in values[other])
        if not together[left, right] and frozenset({left, right}) not in NEVER
    ]
    assert missing == []


def test_what_is_said_never_to_come_together_does_not() -> None:
    _, together = _seen()
    assert [pair for pair in together if frozenset(pair) in NEVER] == []
