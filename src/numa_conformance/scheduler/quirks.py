"""Where NodeResourcesFit departs from its documentation."""

from __future__ import annotations

from ..quirk import Quirk

__all__ = ["EXACT", "QUIRKS"]

QUIRKS: tuple[Quirk, ...] = (
    Quirk(
        id="ratio-scores-to-100",
        area="scheduler",
        rule="SCH-RTCR-01",
        summary="RequestedToCapacityRatio scores every resource and every node from 0 to 100, ten times the shape's "
        "own scale; the two nodes of the worked example score 60 and 69",
        documented="the worked example stays on the shape's scale from 0 to 10, cuts the score of every resource down "
        "to a whole number and gives the two nodes 5 and 7",
        versions="1.22+",
    ),
    Quirk(
        id="ratio-cuts-utilization",
        area="scheduler",
        rule="SCH-RTCR-02",
        summary="the utilization is cut to whole percents before the shape is applied: 3 of 8 CPUs are 37",
        documented="the worked example applies the shape to 37.5",
        versions="1.22+",
    ),
    Quirk(
        id="ratio-drops-what-scores-zero",
        area="scheduler",
        rule="SCH-RTCR-05",
        summary="a resource whose score is 0 is left out of the weighted mean of RequestedToCapacityRatio, weight "
        "included, which raises the node's score",
        documented="the sum is divided by the weights of all resources",
        versions="1.22+",
    ),
)

EXACT: frozenset[str] = frozenset(quirk.id for quirk in QUIRKS)
"""Every quirk: scores as kube-scheduler gives them."""
