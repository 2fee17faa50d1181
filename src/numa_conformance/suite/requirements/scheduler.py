"""Scheduler: resource bin packing with NodeResourcesFit."""

from __future__ import annotations

from .requirement import Family, Requirement

_requirement = Family(since="1.22")

REQUIREMENTS: tuple[Requirement, ...] = (
    _requirement(
        "scheduler/least-allocated/favours-empty-nodes",
        "LeastAllocated scores a node higher the less of its resources is requested.",
        "scheduler/least-allocated",
        statements=("scheduler-configuration/plugins/three-strategies", "scheduler-reference/strategy/least-allocated"),
        strength="SHOULD",
    ),
    _requirement(
        "scheduler/most-allocated/favours-full-nodes",
        "MostAllocated scores a node higher the more of its resources is requested.",
        "scheduler/most-allocated",
        statements=("bin-packing/most-allocated/favours-full-nodes", "bin-packing/head/two-strategies"),
    ),
    _requirement(
        "scheduler/most-allocated/weighs-resources",
        "The score is the mean of the resources' scores, weighted as configured.",
        "scheduler/most-allocated",
        statements=(
            "bin-packing/most-allocated/weights",
            "bin-packing/example/weighted-mean",
            "scheduler-reference/resources/weight",
        ),
    ),
    _requirement(
        "scheduler/requested-to-capacity-ratio/follows-the-shape",
        "RequestedToCapacityRatio scores a resource by the configured points of utilization and score, linear "
        "between them.",
        "scheduler/requested-to-capacity-ratio",
        statements=(
            "bin-packing/ratio/shape",
            "bin-packing/shape/zero-scores-zero",
            "bin-packing/shape/hundred-scores-ten",
            "bin-packing/head/two-strategies",
        ),
    ),
    _requirement(
        "scheduler/requested-to-capacity-ratio/reverses-with-the-shape",
        "A falling shape favours nodes with little requested, a rising shape nodes with much.",
        "scheduler/requested-to-capacity-ratio",
        statements=("bin-packing/shape/reversed",),
    ),
    _requirement(
        "scheduler/requested-to-capacity-ratio/worked-example",
        "The worked example of the page scores its nodes 5 and 7 of 10, or the same on the scale from 0 to 100.",
        "scheduler/requested-to-capacity-ratio",
        statements=(
            "bin-packing/example/node-1",
            "bin-packing/example/node-2",
            "bin-packing/ratio/weights",
            "bin-packing/example/weighted-mean",
        ),
    ),
    _requirement(
        "scheduler/requested-to-capacity-ratio/rounds-to-the-nearest",
        "The weighted mean of any list of resources is rounded to the nearest whole number.",
        "scheduler/requested-to-capacity-ratio",
        statements=("bin-packing/example/node-2", "bin-packing/example/weighted-mean"),
        beyond="The page's second node has a mean of 6.9 and scores 7; how means are rounded it does not say in words.",
        strength="SHOULD",
    ),
    _requirement(
        "scheduler/score/stays-in-range",
        "Scores are whole numbers from 0 to 100.",
        "scheduler/least-allocated",
        statements=("bin-packing/shape/hundred-scores-ten",),
        beyond="The page shows scores from 0 to 10; the range from 0 to 100 is the scheduler's.",
        strength="SHOULD",
    ),
    _requirement(
        "scheduler/score/counts-the-pod-itself",
        "What the pod asks for is added to what is requested on the node.",
        "scheduler/most-allocated",
        statements=("bin-packing/example/requested-and-used",),
    ),
    _requirement(
        "scheduler/score/counts-every-pod",
        "What is requested on the node counts alike, whether one pod or several request it.",
        statements=("bin-packing/example/requested-and-used",),
    ),
    _requirement(
        "scheduler/score/counts-effective-requests",
        "A pod counts for its effective request with its overhead, whichever of its containers ask for it.",
        statements=(
            "bin-packing/example/requested-and-used",
            "init-containers/resources/effective-request",
            "sidecars/resources/count-beside-apps",
            "sidecars/resources/overhead",
        ),
    ),
    _requirement(
        "scheduler/score/counts-extended-resources",
        "Extended resources take part in the score when the strategy lists them.",
        "scheduler/most-allocated",
        statements=("bin-packing/shape/extended-resources",),
    ),
    _requirement(
        "scheduler/score/defaults-to-cpu-and-memory",
        "A strategy that lists no resources scores by cpu and memory, both with weight 1.",
        "scheduler/requested-to-capacity-ratio",
        statements=("bin-packing/shape/resources-default",),
    ),
    _requirement(
        "scheduler/score/missing-weight-is-one",
        "A resource without a weight has weight 1.",
        "scheduler/requested-to-capacity-ratio",
        statements=("bin-packing/shape/weight-default",),
    ),
    _requirement(
        "scheduler/score/refuses-negative-weights",
        "A negative weight is refused.",
        "scheduler/requested-to-capacity-ratio",
        statements=("bin-packing/shape/no-negative-weight",),
    ),
    _requirement(
        "scheduler/requested-to-capacity-ratio/refuses-a-bad-shape",
        "A shape whose utilization does not increase, or whose scores lie outside 0 to 10, is refused.",
        "scheduler/requested-to-capacity-ratio",
        statements=("scheduler-reference/shape/ranges",),
        beyond="The reference gives the ranges; what becomes of other shapes it does not say.",
        strength="SHOULD",
    ),
    _requirement(
        "scheduler/filter/names-what-is-insufficient",
        "A pod does not fit a node that lacks a resource it requests, and each such resource is named; else it fits.",
        "scheduler/filter",
        statements=("scheduler-configuration/plugins/fit-checks-everything-requested",),
        beyond="No page says that each resource that lacks is named.",
        strength="SHOULD",
    ),
)
