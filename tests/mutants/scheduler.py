"""Wrong schedulers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .lies import Json, containers_of
from .mutant import Memory, Rewrite, mutant

__all__ = ["MUTANTS"]

_SCORE = "scheduler/score/"
_RATIO = "scheduler/requested-to-capacity-ratio/"


def _in_strategy(change: Callable[[Json], Json]) -> dict[str, Rewrite]:
    """Change the strategy that is asked for; ``change`` returns what it replaces."""

    def rewrite(question: Json, memory: Memory) -> Json:
        return {**question, "strategy": {**question["strategy"], **change(question["strategy"])}}

    return {"score": rewrite}


def _in_resources(change: Callable[[Json], Json | None]) -> dict[str, Rewrite]:
    """Change every resource the strategy lists; None leaves it out."""

    def rewrite(strategy: Json) -> Json:
        changed = [change(one) for one in strategy.get("resources", ())]
        return {"resources": [one for one in changed if one is not None]}

    return _in_strategy(rewrite)


def _rising_shape(strategy: Json) -> Json:
    if strategy.get("type") != "RequestedToCapacityRatio":
        return {}
    return {"requestedToCapacityRatio": {"shape": [{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}]}}


def _memory_by_default(strategy: Json) -> Json:
    return {"resources": strategy.get("resources") or [{"name": "memory", "weight": 1}]}


def _without_own_requests(question: Json, memory: Memory) -> Json:
    for container in containers_of(question["pod"]):
        container["resources"] = {"requests": dict.fromkeys(("cpu", "memory"), "0")}
    return question


def _of_the_last_pod_alone(question: Json, memory: Memory) -> Json:
    return {**question, "pods": question["pods"][-1:]}


def _without_overhead(question: Json, memory: Memory) -> Json:
    for pod in (*question["pods"], question["pod"]):
        pod["spec"].pop("overhead", None)
    return question


def _beyond_the_range(answer: Any, memory: Memory) -> Json:
    return {**answer, "score": (answer["score"] or 0) + 101} if "score" in answer else answer


def _fits(answer: Json, memory: Memory) -> Json:
    return {**answer, "insufficient": []} if "insufficient" in answer else answer


def _names_the_first(answer: Json, memory: Memory) -> Json:
    return {**answer, "insufficient": answer["insufficient"][:1]} if "insufficient" in answer else answer


MUTANTS: tuple[mutant, ...] = (
    mutant(
        "scores_most_as_least",
        ["scheduler/most-allocated/favours-full-nodes", _SCORE + "takes-sound-strategies"],
        questions=_in_strategy(lambda strategy: {"type": "LeastAllocated"}),
    ),
    mutant(
        "scores_least_as_most",
        ["scheduler/least-allocated/favours-empty-nodes"],
        questions=_in_strategy(lambda strategy: {"type": "MostAllocated"}),
    ),
    mutant(
        "ignores_weights",
        ["scheduler/most-allocated/weighs-resources", _RATIO + "weighs-resources"],
        questions=_in_resources(lambda one: {**one, "weight": 1}),
    ),
    mutant(
        "ignores_the_shape",
        [_RATIO + "follows-the-shape", _RATIO + "reverses-with-the-shape", _RATIO + "refuses-a-bad-shape"],
        questions=_in_strategy(_rising_shape),
    ),
    mutant("scores_beyond_the_range", [_SCORE + "stays-in-range"], answers={"score": _beyond_the_range}),
    mutant("counts_one_pod_on_the_node", [_SCORE + "counts-every-pod"], questions={"score": _of_the_last_pod_alone}),
    mutant("overlooks_the_pod_itself", [_SCORE + "counts-the-pod-itself"], questions={"score": _without_own_requests}),
    mutant("overlooks_overhead", [_SCORE + "counts-effective-requests"], questions={"score": _without_overhead}),
    mutant(
        "overlooks_extended_resources",
        [_SCORE + "counts-extended-resources"],
        questions=_in_resources(lambda one: None if "/" in one["name"] else one),
    ),
    mutant(
        "scores_memory_alone_by_default",
        [_SCORE + "defaults-to-cpu-and-memory"],
        questions=_in_strategy(_memory_by_default),
    ),
    mutant(
        "takes_a_missing_weight_for_ten",
        [_SCORE + "missing-weight-is-one"],
        questions=_in_resources(lambda one: {"weight": 10, **one}),
    ),
    mutant(
        "accepts_negative_weights",
        [_SCORE + "refuses-negative-weights"],
        questions=_in_resources(lambda one: {**one, "weight": abs(one.get("weight", 1))}),
    ),
    mutant("finds_that_everything_fits", ["scheduler/filter/refuses-what-has-no-room"], answers={"score": _fits}),
    mutant(
        "names_the_first_shortage_only",
        ["scheduler/filter/names-what-is-insufficient"],
        answers={"score": _names_the_first},
    ),
)
