"""Scheduler: resource bin packing with NodeResourcesFit."""

from __future__ import annotations

from .requirement import Requirement

__all__ = ["REQUIREMENTS"]

_PAGE = "Resource Bin Packing"


def _requirement(
    id: str, text: str, *features: str, section: str, since: str = "1.22", page: str = _PAGE
) -> Requirement:
    return Requirement(
        id=f"scheduler/{id}",
        text=text,
        page=page,
        section=section,
        since=since,
        features=features,
        area="scheduler",
    )


_MOST = "Enabling bin packing using MostAllocated strategy"
_TUNING = "Tuning the score function"
_RATIO = "Enabling bin packing using RequestedToCapacityRatio"

REQUIREMENTS: tuple[Requirement, ...] = (
    _requirement(
        "least-allocated/favours-empty-nodes",
        "LeastAllocated scores a node higher the less of its resources is requested.",
        "scheduler/least-allocated",
        section="Resource Bin Packing",
    ),
    _requirement(
        "most-allocated/favours-full-nodes",
        "MostAllocated scores a node higher the more of its resources is requested.",
        "scheduler/most-allocated",
        section=_MOST,
    ),
    _requirement(
        "most-allocated/weighs-resources",
        "The score is the mean of the resources' scores, weighted as configured.",
        "scheduler/most-allocated",
        section=_MOST,
    ),
    _requirement(
        "requested-to-capacity-ratio/follows-the-shape",
        "RequestedToCapacityRatio scores a resource by the configured points of utilization and score, linear between "
        "them.",
        "scheduler/requested-to-capacity-ratio",
        section=_RATIO,
    ),
    _requirement(
        "requested-to-capacity-ratio/reverses-with-the-shape",
        "A falling shape favours nodes with little requested, a rising shape nodes with much.",
        "scheduler/requested-to-capacity-ratio",
        section=_RATIO,
    ),
    _requirement(
        "requested-to-capacity-ratio/worked-example",
        "The worked example of the page scores its nodes 5 and 7 of 10, or the same on the scale from 0 to 100.",
        "scheduler/requested-to-capacity-ratio",
        section="Node scoring for capacity allocation",
    ),
    _requirement(
        "score/stays-in-range",
        "Scores are whole numbers from 0 to 100.",
        "scheduler/least-allocated",
        section="Node scoring for capacity allocation",
    ),
    _requirement(
        "score/counts-the-pod-itself",
        "What the pod asks for is added to what is requested on the node.",
        "scheduler/most-allocated",
        section="Node scoring for capacity allocation",
    ),
    _requirement(
        "score/counts-extended-resources",
        "Extended resources take part in the score when the strategy lists them.",
        "scheduler/most-allocated",
        section=_MOST,
    ),
    _requirement(
        "score/defaults-to-cpu-and-memory",
        "A strategy that lists no resources scores by cpu and memory, both with weight 1.",
        "scheduler/most-allocated",
        section=_TUNING,
    ),
    _requirement(
        "score/missing-weight-is-one",
        "A resource without a weight has weight 1.",
        "scheduler/most-allocated",
        section=_TUNING,
    ),
    _requirement(
        "score/refuses-negative-weights",
        "A negative weight is refused.",
        "scheduler/most-allocated",
        section=_TUNING,
    ),
    _requirement(
        "requested-to-capacity-ratio/refuses-a-bad-shape",
        "A shape whose utilization does not increase, or whose scores lie outside 0 to 10, is refused.",
        "scheduler/requested-to-capacity-ratio",
        section=_RATIO,
    ),
    _requirement(
        "filter/names-what-is-insufficient",
        "A pod does not fit a node that lacks a resource it requests, and each such resource is named; else it fits.",
        "scheduler/filter",
        page="Scheduler Configuration",
        section="Scheduling plugins",
    ),
)
