"""No answer, however odd, ends as an error: not while asking, not in the judge, not in what is told of it."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import msgspec
import pytest

from asked_in_full import DEEP
from noise import odd
from numa_conformance.asking.drive import drive
from numa_conformance.asking.findings.telling import finding_of
from numa_conformance.asking.generators.scenario import Scenario
from numa_conformance.asking.groups import GROUPS
from numa_conformance.judging.verdicts import WELL_FORMED, judge
from numa_conformance.reference.target.reference_target import ReferenceTarget
from numa_conformance.wire import Client, InProcess
from numa_conformance.wire.history.answers import READERS
from numa_conformance.wire.history.history import History
from numa_conformance.wire.history.sightings import LIVE_NODE
from numa_conformance.wire.messages import METHODS

SCENARIOS = 6
"""Of each group."""
SECONDS = 20.0
"""Time of the processor that an odd history may take to be judged: a right one takes a hundredth of it."""
TRIALS = 40 if DEEP else 12


@cache
def client() -> Client:
    return Client(InProcess(ReferenceTarget, "the reference"))


@cache
def scenarios(group: str) -> tuple[Scenario, ...]:
    """Return some scenarios of a group, small ones among them, and one of each generator."""
    found = list(GROUPS[group].scenarios(client().features, 0))
    random.Random(group).shuffle(found)
    some = sorted(found[: 8 * SCENARIOS], key=lambda one: len(one.machine.cpus))[:SCENARIOS]
    each = {one.generator: one for one in found}
    return (*some, *(each[name] for name in sorted(each.keys() - {one.generator for one in some})))


@cache
def right(group: str) -> tuple[History, ...]:
    """Return right conversations, none longer than can be judged often, as far as the reference answers."""
    found = (drive(scenario, client(), "1.37")[0] for scenario in scenarios(group))
    answered = (
        (history.head, tuple(step for step in history.steps[:80] if step.answer is not None)) for history in found
    )
    return tuple(History(head, steps) for head, steps in answered if steps)


def judged(history: History) -> None:
    began = time.process_time()
    verdicts = judge(history)
    assert time.process_time() - began < SECONDS
    assert WELL_FORMED in verdicts.unmet or history.malformed_at is None
    for broken in verdicts.broken[:3]:
        assert str(finding_of(broken))


def one_odd(history: History, lot: random.Random) -> History:
    number = lot.randrange(len(history.steps))
    step = history.steps[number]
    assert step.answer is not None
    steps = list(history.steps)
    steps[number] = replace(step, answer=odd(step.method, step.answer, lot))
    return History(history.head, tuple(steps))


class Odd:
    """The reference, one of whose answers has a field that is odd."""

    def __init__(self, at: int, lot: random.Random) -> None:
        self.description, self._at, self._lot = client().description, at, lot

    def call(self, method: str, params: dict[str, Any]) -> Mapping[str, Any]:
        answer = client().call(method, params)
        self._at -= 1
        if self._at != -1:
            return answer
        changed = msgspec.convert(odd(method, answer, self._lot), METHODS[method].reply)
        told: dict[str, Any] = msgspec.to_builtins(changed)
        return told


@pytest.mark.parametrize("group", GROUPS)
def test_the_judge_takes_every_answer(group: str) -> None:
    """A right conversation with one odd field is judged, and what is found can be told."""
    for number in range(TRIALS):
        lot = random.Random(f"{group} {number}")
        judged(one_odd(lot.choice(right(group)), lot))


@pytest.mark.parametrize("group", ["lives", "crashes", "damages", "starts", "relations"])
def test_what_asks_takes_every_answer(group: str) -> None:
    """A target that answers oddly once is asked on, or the history ends there."""
    for number in range(TRIALS // 4):
        lot = random.Random(f"{group} {number}")
        scenario = lot.choice(scenarios(group))
        history, fault = drive(scenario, Odd(lot.randrange(12), lot), "1.37")  # type: ignore[arg-type]  # as a client does
        assert fault is None
        assert history.malformed_at in (None, len(history.steps) - 1)
        judged(history)


def test_every_method_of_a_history_is_tried() -> None:
    """Each of them stands in some right conversation."""
    methods = {step.method for group in GROUPS for history in right(group) for step in history.steps}
    assert methods == READERS.keys() - {LIVE_NODE}
