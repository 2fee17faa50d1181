"""What a node tells of its managers' hints: planted faults are found out, other manners pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from functools import cache, partial
from typing import Any

import pytest

from directly import Directly
from numa_conformance.asking.drive import drive
from numa_conformance.asking.generators.scenario import Question, Scenario, ask_all
from numa_conformance.asking.generators.workloads import (
    best_effort,
    burstable,
    container,
    guaranteed,
    pod,
    static_memory,
)
from numa_conformance.chapters.devices import hints as device_hints
from numa_conformance.chapters.memory import hints as memory_hints
from numa_conformance.judging.verdicts import HistoryVerdicts, judge
from numa_conformance.machine import load_machine
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.wire.history.history import History, Step
from worlds import judged_in

Json = dict[str, Any]
Change = Callable[[Json, Json], None]
"""Changes the answer to the admission of a pod."""
MEMORY, DEVICES, ADMISSION = "memory-manager/hints/", "device-manager/hints/", "topology-manager/admission/"
HUGE, GPU, NIC = "hugepages-2Mi", "example.com/gpu", "example.com/nic"


WIDE = guaranteed("wide", 9, "30Gi", **{HUGE: "2Gi"})
"""Needs the memory of both NUMA nodes."""


def _gib(name: str, gib: int, **other: str) -> Json:
    return container(name, cpu="500m", memory=f"{gib}Gi", other=other)


def _pods() -> Iterator[Json]:
    yield guaranteed("one", 2, "2Gi", **{HUGE: "64Mi", GPU: "1"})
    yield guaranteed("fraction", "1500m", "1Gi", **{NIC: "1"})
    yield pod("init", [_gib("c", 1, **{GPU: "1"})], init=[_gib("i", 1, **{GPU: "2"})])
    yield burstable("burstable", 1)
    yield best_effort("best effort", **{GPU: "1"})
    yield guaranteed("too large", 2, "80Gi")
    yield guaranteed("too many", 2, "1Gi", **{GPU: "9"})


@cache
def told(topology: str, memory: str = "Static") -> History:
    """Return what the documented reference tells on two NUMA nodes with huge pages and devices."""
    config = {**static_memory(topology=topology), "memoryManagerPolicy": memory}
    questions: list[Question] = [("node.start", {"kubelet": config})]
    questions += [("node.admit", {"pod": WIDE}), ("node.remove", {"uid": "wide"})]
    questions += [("node.admit", {"pod": wanted}) for wanted in _pods()]
    machine = load_machine("two-nodes-hugepages-devices")
    client: Any = Directly(ReferenceTarget("documented"))
    history, fault = drive(Scenario("told", topology, machine, partial(ask_all, questions)), client, "1.32")
    assert fault is None
    return history


def judged(change: Change, *settings: str) -> HistoryVerdicts:
    """Judge the same with the answers to admissions changed."""
    history = told(*settings)
    steps = []
    for step in history.steps:
        answer: Any = deepcopy(step.answer)
        if step.method == "node.admit":
            change(answer, step.params["pod"])
        steps.append(Step(step.method, step.params, answer))
    return judge(History(history.head, tuple(steps)))


def broken(change: Change) -> set[str]:
    """Return what is broken under policies that align, and where no memory is pinned."""
    every = [judged(change, *way) for way in (("best-effort",), ("restricted",), ("best-effort", "None"))]
    return {one.requirement for verdicts in every for one in verdicts.broken}


def _rows(answer: Json, *kinds: str) -> Iterator[tuple[Mapping[str, Any], str]]:
    for one in answer.get("alignments") or ():
        for provider in one["providers"]:
            for kind in provider or ():
                if kind in kinds:
                    yield provider, kind


def _each(fault: Callable[[list[Json]], list[Json] | None], *kinds: str) -> Change:
    def change(answer: Json, wanted: Json) -> None:
        for provider, kind in _rows(answer, *kinds):
            if provider[kind]:
                provider[kind] = fault(provider[kind])  # type: ignore[index]

    return change


def _preferred(hints: list[Json]) -> list[Json]:
    return [{**hint, "preferred": True} for hint in hints]


def _wide(hints: list[Json]) -> list[Json]:
    return [{**hint, "preferred": not hint["preferred"]} for hint in hints]


def _every_node(hints: list[Json]) -> list[Json]:
    return [{"nodes": [node], "preferred": True} for node in (0, 1)]


def _only_the_first(hints: list[Json]) -> list[Json]:
    return hints[:1]


def _silent(hints: list[Json]) -> None:
    return None


def _for_everybody(answer: Json, wanted: Json) -> None:
    for one in answer.get("alignments") or ():
        one["providers"].append({"memory": [{"nodes": [0], "preferred": True}]})


def _refuses_everybody(answer: Json, wanted: Json) -> None:
    for one in answer.get("alignments") or ():
        if wanted["metadata"]["uid"] in ("burstable", "best effort"):
            one["providers"].append({"memory": []})


def _another_affinity(answer: Json, wanted: Json) -> None:
    for held in (answer.get("containers") or {}).values():
        held["affinity"] = {"nodes": [1], "preferred": False}


def _apps_first(answer: Json, wanted: Json) -> None:
    answer["alignments"] = (answer.get("alignments") or [])[::-1]


def _admits_all(answer: Json, wanted: Json) -> None:
    for one in answer.get("alignments") or ():
        one["admit"] = False


def _forgets_what_is_left(answer: Json, wanted: Json) -> None:
    for one in answer.get("alignments") or ():
        if one["container"] == "c" and wanted["metadata"]["uid"] == "init":
            one["providers"] = [{GPU: _every_node([])}]


PLANTED: list[tuple[Change, str]] = [
    (_each(_every_node, "memory"), MEMORY + "can-guarantee-the-request"),
    (_each(_every_node, "memory"), MEMORY + "every-type-counts"),
    (_each(_silent, "memory"), MEMORY + "guaranteed-pods-have-some"),
    (_for_everybody, MEMORY + "default-for-other-classes"),
    (_refuses_everybody, MEMORY + "default-for-other-classes"),
    (_for_everybody, MEMORY + "default-under-none"),
    (_each(_only_the_first, "memory", HUGE), MEMORY + "offers-every-narrowest-set"),
    (_each(_preferred, "memory"), MEMORY + "preferred-is-narrowest"),
    (_each(_every_node, GPU, NIC), DEVICES + "every-hint-can-hold-the-request"),
    (_each(_only_the_first, GPU), DEVICES + "offers-every-set-that-fits"),
    (_each(_wide, GPU), DEVICES + "preferred-is-narrowest"),
    (_forgets_what_is_left, DEVICES + "covers-reusable-devices"),
    (_another_affinity, ADMISSION + "uses-the-merged-hint"),
    (_apps_first, ADMISSION + "aligns-init-containers-first"),
    (_admits_all, ADMISSION + "refuses-what-is-not-admitted"),
    (_each(_wide, GPU, "memory", "cpu"), "topology-manager/merge/takes-the-narrowest-preferred-affinity"),
]


@pytest.mark.parametrize(("change", "requirement"), PLANTED)
def test_a_node_that_hints_wrongly_is_found_out(change: Change, requirement: str) -> None:
    assert requirement in broken(change)


def _backwards(hints: list[Json]) -> list[Json]:
    return hints[::-1]


def _any_will_do(answer: Json, wanted: Json) -> None:
    """Say so, where nothing needs to be said."""
    for one in answer.get("alignments") or ():
        one["providers"] = [
            provider or {"memory": [{"nodes": None, "preferred": True}]} for provider in one["providers"]
        ]


def _one_provider(answer: Json, wanted: Json) -> None:
    """Tell of all resources as of one provider's."""
    for one in answer.get("alignments") or ():
        one["providers"] = [{kind: row for provider in one["providers"] for kind, row in (provider or {}).items()}]


def _tells_nothing(answer: Json, wanted: Json) -> None:
    answer["alignments"] = None


@pytest.mark.parametrize(
    "change", [_each(_backwards, "cpu", "memory", GPU), _any_will_do, _one_provider, _tells_nothing]
)
def test_another_manner_of_telling_passes(change: Change) -> None:
    assert broken(change) == set()


def test_who_does_not_tell_is_not_asked() -> None:
    asked = judged(_tells_nothing, "best-effort").tests
    hints = judged_in(memory_hints) | judged_in(device_hints)
    assert not asked.keys() & {*hints, *(requirement for _, requirement in PLANTED)}


def test_every_judge_of_hints_is_seen_to_condemn() -> None:
    assert judged_in(memory_hints) | judged_in(device_hints) <= {requirement for _, requirement in PLANTED}
