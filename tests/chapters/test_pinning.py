"""What daemons promise: each promise broken in one way by a small daemon, kept by two that do it otherwise."""

from __future__ import annotations

import pytest

import daemons_of_ours
from numa_conformance.asking.asking import Asking
from numa_conformance.asking.generators.scenario import LIVES, Scenario
from numa_conformance.chapters import REQUIREMENTS
from numa_conformance.chapters.doors import pinning
from numa_conformance.machine import Machine, load_machine
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.wire import Client, InProcess
from worlds import judged_in

MACHINES = ("t1-one-socket-smt2", "t2-two-sockets-interleaved", "t3-two-numa-per-socket")
DAEMONS = {"Mixed": daemons_of_ours.Mixed, "Balloons": daemons_of_ours.Balloons}
PROMISES = judged_in(pinning)
CASES = {(daemon, wrong): broken for daemon, ways in daemons_of_ours.WRONG.items() for wrong, broken in ways.items()}


def pools(claimed: frozenset[str], machines: list[Machine]) -> list[Scenario]:
    every = (scenario for scenarios in LIVES for scenario in scenarios(claimed, machines, 0))
    return [scenario for scenario in every if scenario.generator == "pools"]


def asked(daemon: str, wrong: str = "") -> tuple[set[str], set[str]]:
    """Ask a daemon on three machines: the promises that were asked of those that it makes, and those not kept."""
    client = Client(InProcess(lambda: DAEMONS[daemon](wrong), daemon))
    scenarios = pools(client.features, [load_machine(name) for name in MACHINES])
    verdicts = Asking(scenarios, client, "1.37").spend().verdicts
    promised = {name for name in PROMISES if client.features.issuperset(REQUIREMENTS[name].features)}
    return promised & verdicts.tests.keys(), promised & verdicts.unmet


@pytest.mark.parametrize("daemon", DAEMONS)
def test_a_right_daemon_meets_what_it_promises(daemon: str) -> None:
    promises, broken = asked(daemon)
    assert len(promises) == 2
    assert broken == set()


@pytest.mark.parametrize(("daemon", "wrong"), CASES)
def test_a_wrong_one_breaks_that_promise_alone(daemon: str, wrong: str) -> None:
    assert asked(daemon, wrong)[1] == {CASES[daemon, wrong]}


def test_every_promise_is_seen_to_break() -> None:
    assert set(CASES.values()) == PROMISES


def test_who_claims_none_is_not_asked() -> None:
    client = Client(InProcess(ReferenceTarget, "reference"))
    assert pools(client.features, [load_machine(MACHINES[0])]) == []
