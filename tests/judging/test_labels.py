"""Verdicts hang on the conversation alone: not on labels, machine names, uids of pods or the order of keys."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

import pytest

from asked_in_full import DEEP
from directly import Directly
from mutants import MUTANTS
from numa_conformance.asking.drive import drive
from numa_conformance.asking.generators.workloads import static
from numa_conformance.asking.groups import GROUPS
from numa_conformance.judging.verdicts import judge
from numa_conformance.machine import load_machine
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.wire.history.history import Head, History, Step

Json = dict[str, Any]
SCENARIOS = 30 if DEEP else 4
"""Of each group."""
TARGETS: Mapping[str, Callable[[], object]] = {
    "the reference": lambda: ReferenceTarget("documented"),
    **{name: MUTANTS[name] for name in ("loses_a_cpu", "forgets_the_system_reservation")},
}
OTHERS = ("start", "pools", "walk", "", "anything")
Places = Collection[tuple[str, ...]]
IN_QUESTIONS: Places = (("state", "assignments"), ("state", "reusable"))
IN_ANSWERS: Mapping[str, Places] = {"node.state": (("containers",),), "node.seen": (("pods",),)}
"""Where uids are keys."""


def verdict(history: History) -> tuple[Mapping[str, int], Mapping[tuple[str, int], int]]:
    """Return how often each requirement was asked, and at which steps one is broken."""
    verdicts = judge(history)
    return verdicts.tests, Counter((one.requirement, one.step) for one in verdicts.broken)


def relabelled(history: History, generator: str) -> History:
    machine = replace(history.head.machine, name=f"not {history.head.machine.name}")
    head = replace(history.head, generator=generator, cell="b", seed=9, target="t 1", machine=machine)
    return History(head, history.steps)


def renamed(value: Any, of_pods: Places, path: tuple[str, ...] = ()) -> Any:
    """Return JSON with every uid of a pod another; ``of_pods``: where the keys of an object are uids."""
    if isinstance(value, list):
        return [renamed(each, of_pods, path) for each in value]
    if not isinstance(value, dict):
        return f"other {value}" if path[-1:] == ("uid",) else value
    return {
        f"other {name}" if path in of_pods else name: renamed(each, of_pods, (*path, name))
        for name, each in value.items()
    }


def backwards(value: Any) -> Any:
    """Return JSON with the keys of every object in the opposite order."""
    if isinstance(value, list):
        return [backwards(each) for each in value]
    return {name: backwards(value[name]) for name in reversed(value)} if isinstance(value, dict) else value


def with_other_uids(history: History) -> History:
    steps = []
    for step in history.steps:
        answer = renamed(step.answer, IN_ANSWERS.get(step.method, ()))
        steps.append(replace(step, params=renamed(step.params, IN_QUESTIONS), answer=answer))
    return History(history.head, tuple(steps))


def with_other_order(history: History) -> History:
    return History(
        history.head,
        tuple(replace(step, params=backwards(step.params), answer=backwards(step.answer)) for step in history.steps),
    )


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("group", GROUPS)
def test_names_and_orders_change_no_verdict(group: str, target: str) -> None:
    lot, client = random.Random(f"{group} {target}"), Directly(TARGETS[target]())
    scenarios = sorted(GROUPS[group].scenarios(client.claimed, 0), key=lambda one: len(one.machine.cpus))
    for scenario in lot.sample(scenarios[: 40 * SCENARIOS], min(SCENARIOS, len(scenarios))):
        history, _ = drive(scenario, client, "1.37")
        expected, other = verdict(history), relabelled(history, lot.choice(OTHERS))
        ways = other, with_other_uids(history), with_other_order(history)
        for changed in ways if DEEP else [with_other_order(with_other_uids(other))]:
            assert verdict(changed) == expected


@pytest.mark.parametrize("generator", OTHERS)
def test_a_start_that_is_rightly_refused_is_under_no_label_a_fault(generator: str) -> None:
    config = {**static("full-pcpus-only", reserved="0"), "featureGates": {"CPUManagerPolicyOptions": False}}
    failed = {"result": "failed", "stage": "featuregates", "message": "feature is locked to true"}
    head = Head(generator, "", 0, load_machine("t1-one-socket-smt2"), "1.37")
    assert judge(History(head, (Step("node.start", {"kubelet": config}, failed),))).unmet == set()


@pytest.mark.parametrize("generator", OTHERS)
def test_a_node_that_must_come_up_is_asked_so_under_every_label(generator: str) -> None:
    failed = {"result": "failed", "stage": "cpumanager", "message": "no"}
    head = Head(generator, "", 0, load_machine("t1-one-socket-smt2"), "1.37")
    step = Step("node.start", {"kubelet": static(reserved="0")}, failed)
    assert "protocol/comes-up" in judge(History(head, (step,))).unmet


@pytest.mark.parametrize("version", ["", "dev", "1.37.1"])
def test_a_history_of_whatever_version_is_judged(version: str) -> None:
    started = {"result": "started", "default_cpuset": "1-7"}
    head = Head("walk", "", 0, load_machine("t1-one-socket-smt2"), version)
    step = Step("node.start", {"kubelet": static(reserved="0")}, started)
    assert "cpu-manager/shared-pool/holds-all-cpus-at-first" in judge(History(head, (step,))).unmet
