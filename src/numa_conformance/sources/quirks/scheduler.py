"""Where NodeResourcesFit departs from its documentation."""

from dataclasses import dataclass
from typing import ClassVar

from .quirk import QuirkFlags

_RECORDS = """\
ratio-scores-to-100; 1.22+; SCH-RTCR-01
  RequestedToCapacityRatio scores every resource and every node from 0 to 100, ten times the shape's own scale; the two
    nodes of the worked example score 60 and 69
  documented: the worked example stays on the shape's scale from 0 to 10, cuts the score of every resource down to a
    whole number and gives the two nodes 5 and 7
ratio-cuts-utilization; 1.22+; SCH-RTCR-02
  the utilization is cut to whole percents before the shape is applied: 3 of 8 CPUs are 37
  documented: the worked example applies the shape to 37.5
ratio-drops-what-scores-zero; 1.22+; SCH-RTCR-05
  a resource whose score is 0 is left out of the weighted mean of RequestedToCapacityRatio, weight included, which
    raises the node's score
  documented: the sum is divided by the weights of all resources
score-ignores-pod-resources; 1.33+; SCH-REQ-04
  a pod that is scheduled is scored by its containers' requests, although its spec.resources decide whether it fits, and
    count once it runs
  documented: the resources of the pod as a whole take precedence in scheduling
overcommitted-node-fits-nothing; 1.27; SCH-FIT-02
  where the pods of a node request more CPU, memory or ephemeral storage than it has, a pod that asks for anything, be
    it none of an extended resource, does not fit, also if it asks for none of what lacks
  documented: a node is filtered out when it lacks a resource that the pod requests
  mended by: kubernetes/kubernetes#116408
score-counts-sidecars-as-init-containers; 1.28-1.31; SCH-REQ-03
  of a pod that is on a node, sidecars do not add to the CPU and memory of its app containers in scores, as if they
    ended before these start; in whether a pod fits they do
  documented: the requests of sidecars are added to those of the app containers
  issue: kubernetes/kubernetes#127868
  mended by: kubernetes/kubernetes#127878
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulerQuirks(QuirkFlags):
    """Where NodeResourcesFit departs from its documentation. True: as Kubernetes does."""

    records: ClassVar[str] = _RECORDS
    ratio_scores_to_100: bool = False
    ratio_cuts_utilization: bool = False
    ratio_drops_what_scores_zero: bool = False
    score_ignores_pod_resources: bool = False
    overcommitted_node_fits_nothing: bool = False
    score_counts_sidecars_as_init_containers: bool = False
