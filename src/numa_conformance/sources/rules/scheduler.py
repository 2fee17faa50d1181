"""NodeResourcesFit."""

TEXT = """\
# Configuration of NodeResourcesFit
SCH-CFG-01 [doc+impl] The arguments: ignoredResources, ignoredResourceGroups and a scoringStrategy of type, resources
  and shape.
SCH-CFG-02 [doc+impl] Without a strategy it is LeastAllocated; without resources they are cpu and memory, weight 1
  each.
SCH-CFG-03 [doc+impl] A weight that is missing or 0 is 1.
SCH-CFG-04 [impl] A weight is above 0 and at most 100; the page says only that it cannot be negative.
SCH-CFG-05 [impl] An unknown type is refused.
SCH-CFG-06 [impl] Ignored resources and groups must be valid names.
SCH-CFG-07 [impl] All errors are told together.
SCH-CFG-08 [impl] RequestedToCapacityRatio without a shape crashes the scheduler.
SCH-CFG-09 [impl] Ignored resources are ignored by the filter, not by the score.
SCH-CFG-10 [doc] Configurations are of group kubescheduler.config.k8s.io, version v1; v1beta3 was removed in 1.29.
SCH-SHAPE-01 [impl] A shape has a point.
SCH-SHAPE-02 [impl] Utilization rises strictly from point to point.
SCH-SHAPE-03 [impl] Utilization is 0 to 100.
SCH-SHAPE-04 [impl] Scores are 0 to 10.

# What is scored
SCH-REQ-01 [doc+impl] Requested is what the node's pods request and what the pod does; capacity is what is
  allocatable.
SCH-REQ-02 [impl] For cpu and memory a container without a request counts 100m and 200MiB.
SCH-REQ-03 [impl] These stand in before the sum over the pod is made; overhead is added last.
SCH-REQ-04 [impl] With pod-level requests these take the place of the containers'.
SCH-REQ-05 [impl] Any other resource counts as requested.
SCH-REQ-06 [impl] An extended resource that the pod does not request is left out.
SCH-REQ-07 [impl] So is one of which nothing is allocatable.
SCH-REQ-08 [impl] An extended resource's name has a domain that is not kubernetes.io.
SCH-REQ-09 [impl] With everything left out the score is 0.
SCH-REQ-10 [impl] Scores are 0 to 100, and are multiplied by the plugin's weight.

# Strategies
SCH-LEAST-01 [impl] LeastAllocated scores the free share of a resource in percent, rounded down; 0 where more is
  requested than there is.
SCH-LEAST-02 [impl] The node's score is the weighted mean, rounded down.
SCH-MOST-01 [impl] MostAllocated scores the requested share in percent, rounded down, at most 100.
SCH-MOST-02 [impl] The node's score is the weighted mean, rounded down.
SCH-RTCR-01 [impl] Scores of a shape are multiplied by 10.
SCH-RTCR-02 [impl] Utilization is rounded down to whole percents, at most 100.
SCH-RTCR-03 [doc+impl] Between two points the score is linear; beyond the last it is the last.
SCH-RTCR-04 [impl] The division of the interpolation truncates toward zero.
SCH-RTCR-05 [impl] A resource that scores 0 is left out of the mean.
SCH-RTCR-06 [impl] The node's score is the weighted mean, rounded to the nearest, halves up.

# The filter
SCH-FIT-01 [impl] The number of pods is checked first.
SCH-FIT-02 [doc+impl] A resource requested beyond what is free is insufficient; every such resource is named.
SCH-FIT-03 [impl] The filter counts requests as they are.
SCH-FIT-04 [impl] Ignored resources and groups are not checked.
"""
