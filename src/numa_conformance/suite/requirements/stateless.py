"""What sweeps of the surfaces without a state are judged by: hints, merges and scores."""

from __future__ import annotations

from .requirement import Requirement, Strength

__all__ = ["REQUIREMENTS"]


def _requirement(
    id: str,
    text: str,
    *statements: str,
    features: tuple[str, ...],
    since: str,
    strength: Strength = "MUST",
    beyond: str | None = None,
) -> Requirement:
    return Requirement(id, text, statements, since, features, id.split("/")[0], strength=strength, beyond=beyond)


REQUIREMENTS: tuple[Requirement, ...] = (
    _requirement(
        "cpu-manager/hints/offers-every-narrowest-set",
        "Every set of as few NUMA nodes as the request needs whose free CPUs can hold it is hinted.",
        "topology-source/cpu-hints/every-combination",
        "topology-source/cpu-hints/narrowest-is-preferred",
        features=(
            "cpu-manager/static",
            "cpu-manager/hints",
        ),
        since="1.27",
        strength="SHOULD",
    ),
    _requirement(
        "cpu-manager/hints/offers-every-set-that-fits",
        "Every wider set of NUMA nodes whose free CPUs can hold the request is hinted too.",
        "topology-source/cpu-hints/every-combination",
        features=(
            "cpu-manager/static",
            "cpu-manager/hints",
        ),
        since="1.27",
        strength="SHOULD",
    ),
    _requirement(
        "cpu-manager/hints/init-cpus-are-reusable",
        "CPUs of an ended init container count as free in the hints of its pod's later containers.",
        "topology-source/cpu-hints/reusable",
        features=(
            "cpu-manager/static",
            "cpu-manager/hints",
            "cpu-manager/init-containers",
        ),
        since="1.27",
        strength="SHOULD",
    ),
    _requirement(
        "cpu-manager/hints/held-cpus-give-the-same",
        "A container that holds its CPUs already is hinted their NUMA nodes.",
        "topology-source/cpu-hints/held-cpus-again",
        features=(
            "cpu-manager/static",
            "cpu-manager/hints",
        ),
        since="1.27",
        strength="SHOULD",
    ),
    _requirement(
        "cpu-manager/hints/none-for-held-cpus-of-another-number",
        "A container that holds another number of CPUs than it asks for is given no hint.",
        "topology-source/cpu-hints/other-number-held",
        features=(
            "cpu-manager/static",
            "cpu-manager/hints",
        ),
        since="1.27",
        strength="SHOULD",
    ),
    _requirement(
        "cpu-manager/hints/none-where-too-few-are-free",
        "Where fewer CPUs are free than asked for there is no hint.",
        "topology-source/cpu-hints/too-few-free",
        features=(
            "cpu-manager/static",
            "cpu-manager/hints",
        ),
        since="1.27",
        strength="SHOULD",
    ),
    _requirement(
        "cpu-manager/reservation/takes-cores-in-ascending-order",
        "CPUs reserved by number are those of the cores with the lowest ids.",
        "nrm/static/reserved-by-core-id",
        features=("cpu-manager/static",),
        since="1.8",
    ),
    _requirement(
        "scheduler/filter/refuses-what-has-no-room",
        "A pod fits a node that has all the resources it requests, and no other.",
        "scheduler-configuration/plugins/fit-checks-everything-requested",
        "sidecars/resources/overhead",
        "init-containers/resources/effective-request",
        features=("scheduler/filter",),
        since="1.22",
    ),
    _requirement(
        "scheduler/most-allocated/scores-the-mean-utilization",
        "MostAllocated scores a node by the weighted mean of its resources' utilization.",
        "bin-packing/most-allocated/weights",
        features=("scheduler/most-allocated",),
        since="1.22",
        strength="SHOULD",
        beyond="The page of today says so below its example; earlier ones say that higher allocation is favoured.",
    ),
    _requirement(
        "scheduler/requested-to-capacity-ratio/weighs-resources",
        "A node's score is the mean of its resources' scores by their weights, those that score 0 included.",
        "bin-packing/example/weighted-mean",
        "bin-packing/ratio/weights",
        features=("scheduler/requested-to-capacity-ratio",),
        since="1.22",
    ),
    _requirement(
        "scheduler/requested-to-capacity-ratio/scores-each-resource",
        "The score of each resource, where it is told, is the shape's at its utilization.",
        "bin-packing/example/floor",
        "bin-packing/example/node-1-extended",
        "bin-packing/example/node-1-memory",
        "bin-packing/example/node-1-cpu",
        "bin-packing/example/node-2-extended",
        "bin-packing/example/node-2-memory",
        "bin-packing/example/node-2-cpu",
        features=("scheduler/requested-to-capacity-ratio",),
        since="1.22",
    ),
    _requirement(
        "scheduler/score/takes-sound-strategies",
        "A strategy as the page describes it is taken.",
        "bin-packing/most-allocated/configuration",
        "bin-packing/ratio/configuration",
        "bin-packing/head/two-strategies",
        features=("scheduler/filter",),
        since="1.22",
    ),
    _requirement(
        "scheduler/score/defaults-to-cpu-and-memory-everywhere",
        "MostAllocated and LeastAllocated without resources score by cpu and memory alike.",
        "bin-packing/shape/resources-default",
        features=("scheduler/most-allocated",),
        since="1.22",
        strength="SHOULD",
        beyond="The sentence stands in the section of RequestedToCapacityRatio.",
    ),
    _requirement(
        "scheduler/score/missing-weight-is-one-everywhere",
        "MostAllocated and LeastAllocated count a resource without a weight with 1.",
        "bin-packing/shape/weight-default",
        features=("scheduler/most-allocated",),
        since="1.22",
        strength="SHOULD",
        beyond="The sentence stands in the section of RequestedToCapacityRatio.",
    ),
    _requirement(
        "scheduler/score/refuses-negative-weights-everywhere",
        "MostAllocated and LeastAllocated refuse a negative weight.",
        "bin-packing/shape/no-negative-weight",
        features=("scheduler/most-allocated",),
        since="1.22",
        strength="SHOULD",
        beyond="The sentence stands in the section of RequestedToCapacityRatio.",
    ),
    _requirement(
        "topology-manager/merge/says-what-is-not-preferred",
        "Where no combination of preferred hints has a NUMA node in common the affinity is not preferred.",
        "topology/how/undesirable-is-not-preferred",
        features=("topology-manager/best-effort",),
        since="1.18",
    ),
    _requirement(
        "topology-manager/merge/names-nodes-of-the-machine",
        "An affinity is a set of the machine's NUMA nodes, or none in particular.",
        "topology/how/hints",
        features=("topology-manager/best-effort",),
        since="1.18",
    ),
    _requirement(
        "topology-manager/merge/combines-one-hint-of-each-provider",
        "An affinity that is not preferred is what one hint of each provider has in common, or all NUMA nodes.",
        "kep-693/affinity/all-nodes-otherwise",
        "topology-source/merge/best-common-hint",
        features=("topology-manager/best-effort",),
        since="1.18",
        strength="SHOULD",
    ),
    _requirement(
        "topology-manager/prefer-closest-numa-nodes/takes-the-smallest-average",
        "With prefer-closest-numa-nodes the set with the smallest average distance is taken.",
        "topology/prefer-closest-numa-nodes/favours-shorter-distance",
        features=(
            "topology-manager/prefer-closest-numa-nodes",
            "topology-manager/best-effort",
        ),
        since="1.28",
        strength="SHOULD",
        beyond="The page names no measure; KEP-3545 names the average.",
    ),
)
