"""Wrong schedulers."""

from __future__ import annotations

from changes.rewrites import containers_of
from numa_conformance.chapters.scheduler import filter, ratio, scores, strategies

from .mutant import mutant


def _in_strategy(change):
    """Change the strategy that is asked for; ``change`` returns what it replaces."""

    def rewrite(question, memory):
        return {**question, "strategy": {**question["strategy"], **change(question["strategy"])}}

    return rewrite


def _in_resources(change):
    """Change every resource the strategy lists; None leaves it out."""

    def rewrite(strategy):
        changed = [change(one) for one in strategy.get("resources", ())]
        return {"resources": [one for one in changed if one is not None]}

    return _in_strategy(rewrite)


@mutant(ratio.follows_the_shape, ratio.reverses_with_the_shape, ratio.refuses_a_bad_shape).question("score")
@_in_strategy
def ignores_the_shape(strategy):
    if strategy.get("type") != "RequestedToCapacityRatio":
        return {}
    return {"requestedToCapacityRatio": {"shape": [{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}]}}


@mutant(scores.defaults_to_cpu_and_memory).question("score")
@_in_strategy
def scores_memory_alone_by_default(strategy):
    return {"resources": strategy.get("resources") or [{"name": "memory", "weight": 1}]}


@mutant(scores.counts_the_pod_itself).question("score")
def overlooks_the_pod_itself(question, memory):
    for container in containers_of(question["pod"]):
        container["resources"] = {"requests": dict.fromkeys(("cpu", "memory"), "0")}
    return question


@mutant(scores.counts_every_pod).question("score")
def counts_one_pod_on_the_node(question, memory):
    return {**question, "pods": question["pods"][-1:]}


@mutant(scores.counts_effective_requests).question("score")
def overlooks_overhead(question, memory):
    for pod in (*question["pods"], question["pod"]):
        pod["spec"].pop("overhead", None)
    return question


@mutant(scores.counts_resources_as_a_whole, filter.counts_resources_as_a_whole).question("score")
def overlooks_resources_as_a_whole(question, memory):
    for pod in (*question["pods"], question["pod"]):
        pod["spec"].pop("resources", None)
    return question


@mutant(scores.stays_in_range).answer("score")
def scores_beyond_the_range(answer, memory):
    return {**answer, "score": (answer["score"] or 0) + 101} if "score" in answer else answer


@mutant(filter.refuses_what_has_no_room).answer("score")
def finds_that_everything_fits(answer, memory):
    return {**answer, "insufficient": []} if "insufficient" in answer else answer


@mutant(filter.names_what_is_insufficient).answer("score")
def names_the_first_shortage_only(answer, memory):
    return {**answer, "insufficient": answer["insufficient"][:1]} if "insufficient" in answer else answer


scores_most_as_least = mutant(strategies.most_favours_full_nodes, scores.takes_sound_strategies).question("score")(
    _in_strategy(lambda strategy: {"type": "LeastAllocated"})
)

scores_least_as_most = mutant(strategies.least_favours_empty_nodes).question("score")(
    _in_strategy(lambda strategy: {"type": "MostAllocated"})
)

ignores_weights = mutant(strategies.most_weighs_resources, ratio.weighs_resources).question("score")(
    _in_resources(lambda one: {**one, "weight": 1})
)

overlooks_extended_resources = mutant(scores.counts_extended_resources).question("score")(
    _in_resources(lambda one: None if "/" in one["name"] else one)
)

takes_a_missing_weight_for_ten = mutant(scores.missing_weight_is_one).question("score")(
    _in_resources(lambda one: {"weight": 10, **one})
)

accepts_negative_weights = mutant(scores.refuses_negative_weights).question("score")(
    _in_resources(lambda one: {**one, "weight": abs(one.get("weight", 1))})
)
