"""What sweeps of the surfaces without a state are judged by: hints, merges and scores."""

from __future__ import annotations

from typing import Literal

from .requirement import Requirement

__all__ = ["REQUIREMENTS"]

Strength = Literal["MUST", "SHOULD"]
_HINTS = ("cpu-manager/static", "cpu-manager/hints")
_RATIO = "scheduler/requested-to-capacity-ratio"
_MERGES = ("topology-manager/best-effort",)
_STRATEGIES = ("scheduler/least-allocated", "scheduler/most-allocated")


def _requirement(
    id: str,
    text: str,
    features: tuple[str, ...],
    *statements: str,
    since: str = "1.18",
    strength: Strength = "MUST",
    beyond: str | None = None,
) -> Requirement:
    return Requirement(id, text, statements, since, features, id.split("/")[0], strength=strength, beyond=beyond)


def _hints(id: str, text: str, *statements: str) -> Requirement:
    return _requirement(f"cpu-manager/hints/{id}", text, _HINTS, *statements, strength="SHOULD")


REQUIREMENTS: tuple[Requirement, ...] = (
    _hints(
        "offers-every-narrowest-set",
        "Every set of as many NUMA nodes as the request needs that can hold it is offered.",
        "topology-source/cpu-hints/every-combination",
        "topology-source/cpu-hints/picture",
    ),
    _hints(
        "offers-every-set-that-fits",
        "Every combination of NUMA nodes that can hold the request is offered.",
        "topology-source/cpu-hints/every-combination",
    ),
    _hints(
        "init-cpus-are-reusable",
        "CPUs of an ended init container count as free for its pod.",
        "topology-source/cpu-hints/reusable",
    ),
    _hints(
        "held-cpus-give-the-same",
        "CPUs that a container holds give their NUMA nodes as a hint again.",
        "topology-source/cpu-hints/held-cpus-again",
    ),
    _hints(
        "none-for-held-cpus-of-another-number",
        "CPUs held in another number than asked for give an empty list of hints.",
        "topology-source/cpu-hints/other-number-held",
    ),
    _hints(
        "none-where-too-few-are-free",
        "Sets of NUMA nodes with fewer free CPUs than asked for are no hints.",
        "topology-source/cpu-hints/too-few-free",
    ),
    _requirement(
        "cpu-manager/reservation/takes-cores-in-ascending-order",
        "CPUs that are reserved by number are taken in ascending order of their core's id.",
        ("cpu-manager/static",),
        "nrm/static/reserved-by-core-id",
        "cpu-1.8/static/reserved-by-core-id",
        since="1.8",
    ),
    _requirement(
        "topology-manager/merge/says-what-is-not-preferred",
        "Where no combination of preferred hints has a NUMA node in common the affinity is not preferred.",
        _MERGES,
        "topology/how/undesirable-is-not-preferred",
    ),
    _requirement(
        "topology-manager/merge/names-nodes-of-the-machine",
        "An affinity is a set of the machine's NUMA nodes, or none in particular.",
        _MERGES,
        "topology/how/hints",
    ),
    _requirement(
        "topology-manager/merge/combines-one-hint-of-each-provider",
        "What is not preferred is still what one hint of each provider has in common, if any have.",
        _MERGES,
        "topology-source/merge/best-common-hint",
        "kep-693/affinity/all-nodes-otherwise",
        strength="SHOULD",
    ),
    _requirement(
        "topology-manager/prefer-closest-numa-nodes/takes-the-smallest-average",
        "Of sets of as many NUMA nodes the one with the smallest average distance is taken.",
        ("topology-manager/best-effort", "topology-manager/prefer-closest-numa-nodes"),
        "topology/prefer-closest-numa-nodes/favours-shorter-distance",
        since="1.26",
        strength="SHOULD",
        beyond="that the distance of a set is the average of all pairs: the enhancement proposal says it",
    ),
    _requirement(
        "scheduler/score/takes-sound-strategies",
        "A strategy as the page describes it is no error.",
        (_RATIO,),
        "bin-packing/ratio/weights",
        "bin-packing/ratio/configuration",
        "bin-packing/most-allocated/configuration",
        since="1.25",
    ),
    _requirement(
        "scheduler/score/refuses-negative-weights-everywhere",
        "A negative weight is refused under every strategy.",
        _STRATEGIES,
        "bin-packing/shape/no-negative-weight",
        since="1.25",
        strength="SHOULD",
    ),
    _requirement(
        "scheduler/score/missing-weight-is-one-everywhere",
        "A missing weight is 1 under every strategy.",
        _STRATEGIES,
        "bin-packing/shape/weight-default",
        since="1.25",
        strength="SHOULD",
    ),
    _requirement(
        "scheduler/score/defaults-to-cpu-and-memory-everywhere",
        "Without resources cpu and memory are scored under every strategy.",
        _STRATEGIES,
        "bin-packing/shape/resources-default",
        since="1.25",
        strength="SHOULD",
    ),
    _requirement(
        "scheduler/requested-to-capacity-ratio/weighs-resources",
        "The score of a node is the mean of its resources' scores, by their weights.",
        (_RATIO,),
        "bin-packing/example/weighted-mean",
        "bin-packing/ratio/weights",
        since="1.25",
    ),
    _requirement(
        "scheduler/requested-to-capacity-ratio/scores-each-resource",
        "Where a target tells the score of each resource it is the shape's.",
        (_RATIO,),
        "bin-packing/example/node-1-extended",
        "bin-packing/example/node-1-memory",
        "bin-packing/example/node-1-cpu",
        "bin-packing/example/node-2-extended",
        "bin-packing/example/node-2-memory",
        "bin-packing/example/node-2-cpu",
        "bin-packing/example/floor",
        since="1.25",
    ),
    _requirement(
        "scheduler/most-allocated/scores-the-mean-utilization",
        "MostAllocated scores a node by the weighted mean of the utilization of its resources.",
        ("scheduler/most-allocated",),
        "bin-packing/most-allocated/favours-full-nodes",
        "bin-packing/most-allocated/weights",
        since="1.25",
        strength="SHOULD",
    ),
    _requirement(
        "scheduler/filter/refuses-what-has-no-room",
        "A pod fits a node that has all the resources it requests, and no other.",
        ("scheduler/filter",),
        "scheduler-configuration/plugins/fit-checks-everything-requested",
        since="1.25",
    ),
)
