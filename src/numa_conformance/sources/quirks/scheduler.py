"""Where NodeResourcesFit departs from its documentation."""

from __future__ import annotations

from dataclasses import dataclass

from .quirk import QuirkFlags, quirk


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulerQuirks(QuirkFlags):
    """Where NodeResourcesFit departs from its documentation. True: as Kubernetes does."""

    ratio_scores_to_100: bool = quirk(
        rule="SCH-RTCR-01",
        summary="RequestedToCapacityRatio scores every resource and every node from 0 to 100, ten times the shape's "
        "own scale; the two nodes of the worked example score 60 and 69",
        documented="the worked example stays on the shape's scale from 0 to 10, cuts the score of every resource down "
        "to a whole number and gives the two nodes 5 and 7",
        versions="1.22+",
    )

    ratio_cuts_utilization: bool = quirk(
        rule="SCH-RTCR-02",
        summary="the utilization is cut to whole percents before the shape is applied: 3 of 8 CPUs are 37",
        documented="the worked example applies the shape to 37.5",
        versions="1.22+",
    )

    ratio_drops_what_scores_zero: bool = quirk(
        rule="SCH-RTCR-05",
        summary="a resource whose score is 0 is left out of the weighted mean of RequestedToCapacityRatio, weight "
        "included, which raises the node's score",
        documented="the sum is divided by the weights of all resources",
        versions="1.22+",
    )

    score_ignores_pod_resources: bool = quirk(
        rule="SCH-REQ-04",
        summary="a pod that is scheduled is scored by its containers' requests, although its spec.resources decide "
        "whether it fits, and count once it runs",
        documented="the resources of the pod as a whole take precedence in scheduling",
        versions="1.33+",
    )

    overcommitted_node_fits_nothing: bool = quirk(
        rule="SCH-FIT-02",
        summary="where the pods of a node request more CPU, memory or ephemeral storage than it has, a pod that asks "
        "for anything, be it none of an extended resource, does not fit, also if it asks for none of what lacks",
        documented="a node is filtered out when it lacks a resource that the pod requests",
        versions="1.27",
        pull=("kubernetes/kubernetes#116408",),
    )

    score_counts_sidecars_as_init_containers: bool = quirk(
        rule="SCH-REQ-03",
        summary="of a pod that is on a node, sidecars do not add to the CPU and memory of its app containers in "
        "scores, as if they ended before these start; in whether a pod fits they do",
        documented="the requests of sidecars are added to those of the app containers",
        versions="1.28-1.31",
        issue="kubernetes/kubernetes#127868",
        pull=("kubernetes/kubernetes#127878",),
    )
