"""Scheduler: resource bin packing with NodeResourcesFit."""

from __future__ import annotations

from .requirement import Requirement

__all__ = ["REQUIREMENTS"]

_PAGE = "Resource Bin Packing"


def _requirement(id: str, text: str, *features: str, section: str, since: str = "1.22") -> Requirement:
    return Requirement(
        id=f"scheduler/{id}",
        text=text,
        page=_PAGE,
        section=section,
        since=since,
        features=features,
        area="scheduler",
    )


_MOST = "Enabling bin packing using MostAllocated strategy"
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
        "The worked example of the page: the second node scores higher than the first, in the ratio the page computes.",
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
        "requested-to-capacity-ratio/refuses-a-bad-shape",
        "A shape whose utilization does not increase, or whose scores lie outside 0 to 10, is refused.",
        "scheduler/requested-to-capacity-ratio",
        section=_RATIO,
    ),
)
