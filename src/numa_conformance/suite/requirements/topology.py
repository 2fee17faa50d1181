"""Topology Manager: policies, scopes, options, admission."""

from __future__ import annotations

from .requirement import Family, Requirement

_STATIC = "cpu-manager/static"


_requirement = Family(since="1.18")

REQUIREMENTS: tuple[Requirement, ...] = (
    _requirement(
        "topology-manager/none/aligns-nothing",
        "Policy none refuses no pod for its topology.",
        "topology-manager/none",
        statements=(
            "topology/none/aligns-nothing",
            "nrm/alignment/policy-governs",
            "topology-source/policies/four",
            "topology-source/policies/none-skips-hints",
        ),
    ),
    _requirement(
        "topology-manager/best-effort/admits-unaligned-pods",
        "Under best-effort a pod whose preferred affinity cannot be had is not refused for its topology.",
        "topology-manager/best-effort",
        _STATIC,
        statements=(
            "topology/best-effort/admits-anyway",
            "topology-source/policies/four",
            "topology-source/policies/best-effort",
        ),
    ),
    _requirement(
        "topology-manager/best-effort/aligns-when-possible",
        "Under best-effort a container whose exclusive CPUs fit the free CPUs of one NUMA node, and whose devices "
        "are there too, gets them from one NUMA node.",
        "topology-manager/best-effort",
        _STATIC,
        statements=(
            "topology/how/hint-is-stored-and-used",
            "topology/interactions/best-hint-is-stored-and-used",
            "topology-source/policies/stored-and-used",
        ),
    ),
    _requirement(
        "topology-manager/restricted/refuses-unaligned-pods",
        "Under restricted a pod whose preferred affinity cannot be had is refused with reason TopologyAffinityError.",
        "topology-manager/restricted",
        _STATIC,
        statements=(
            "topology/restricted/refuses",
            "topology/restricted/topology-affinity-error",
            "nrm/alignment/policy-governs",
            "topology/how/policy-decides",
            "topology-source/policies/restricted",
            "topology-source/policies/topology-affinity-error",
            "topology-source/admission/reason-and-message",
            "topology-source/device-hints/narrowest-is-preferred",
            "topology-source/device-hints/every-combination",
        ),
    ),
    _requirement(
        "topology-manager/restricted/admits-what-needs-several-nodes",
        "Under restricted a container that no single NUMA node could ever hold is admitted on the smallest number of"
        " NUMA nodes that can.",
        "topology-manager/restricted",
        _STATIC,
        statements=(
            "topology/restricted/refuses",
            "topology/prefer-closest-numa-nodes/default-takes-few-nodes",
            "nrm/align-by-socket/default-takes-few-nodes",
        ),
    ),
    _requirement(
        "topology-manager/single-numa-node/gives-one-node",
        "Under single-numa-node an admitted container has all its exclusive CPUs on one NUMA node.",
        "topology-manager/single-numa-node",
        _STATIC,
        statements=(
            "topology/single-numa-node/one-node-or-refused",
            "topology-source/policies/single-numa-node",
            "topology/pod/one-node-is-admitted",
        ),
    ),
    _requirement(
        "topology-manager/single-numa-node/refuses-what-needs-several-nodes",
        "Under single-numa-node a pod that no single NUMA node can hold is refused with the reason "
        "TopologyAffinityError.",
        "topology-manager/single-numa-node",
        _STATIC,
        statements=(
            "topology/single-numa-node/one-node-or-refused",
            "topology/restricted/topology-affinity-error",
            "topology-source/policies/single-numa-node",
            "topology/pod/more-are-refused",
        ),
    ),
    _requirement(
        "topology-manager/scope/container/aligns-each-container-alone",
        "In the container scope containers of one pod may be aligned to different NUMA nodes.",
        "topology-manager/scope/container",
        "topology-manager/single-numa-node",
        _STATIC,
        statements=("topology/container/each-container-alone", "topology-source/scopes/container-by-container"),
    ),
    _requirement(
        "topology-manager/scope/pod/aligns-the-pod-as-a-whole",
        "In the pod scope under single-numa-node all containers of an admitted pod are on one common NUMA node.",
        "topology-manager/scope/pod",
        "topology-manager/single-numa-node",
        _STATIC,
        statements=(
            "topology/pod/one-node-under-single",
            "topology-source/scopes/pod",
            "topology-source/scopes/pod-asks-pod-hints",
            "topology/pod/one-node",
        ),
    ),
    _requirement(
        "topology-manager/scope/pod/refuses-by-the-total",
        "In the pod scope under single-numa-node a pod whose containers together fit no NUMA node is refused, though"
        " each container alone would fit.",
        "topology-manager/scope/pod",
        "topology-manager/single-numa-node",
        _STATIC,
        statements=("topology/pod/more-are-refused", "topology/pod/total", "sidecars/resources/count-beside-apps"),
    ),
    _requirement(
        "topology-manager/scope/pod/counts-the-larger-of-init-and-app-containers",
        "In the pod scope a pod's need is the larger of its app containers' sum and its largest init container.",
        "topology-manager/scope/pod",
        "topology-manager/single-numa-node",
        _STATIC,
        "cpu-manager/init-containers",
        statements=("topology/pod/total", "kep-693/total/larger-of-init-and-apps"),
    ),
    _requirement(
        "topology-manager/admission/a-refused-pod-leaves-the-node-as-it-was",
        "A refused pod holds nothing: the next pod finds the node as it was before.",
        "topology-manager/restricted",
        _STATIC,
        statements=("topology/restricted/refuses", "topology-source/admission/others-go-on"),
        beyond="No page says what a refused pod holds.",
    ),
    _requirement(
        "topology-manager/admission/all-classes-pass-the-manager",
        "Pods of every class pass the Topology Manager: a pod that asks for devices alone is aligned or refused too.",
        "topology-manager/single-numa-node",
        "device-manager/allocation",
        statements=("topology/scopes-and-policies/every-class", "topology/interactions/spec-5-hints"),
    ),
    _requirement(
        "topology-manager/admission/fractional-cpus-align-devices-only",
        "A Guaranteed pod with a fractional CPU request and a device gets no exclusive CPUs; its device is aligned.",
        "topology-manager/single-numa-node",
        _STATIC,
        "device-manager/allocation",
        statements=("topology/interactions/spec-4-hints",),
    ),
    _requirement(
        "topology-manager/merge/takes-the-narrowest-preferred-affinity",
        "Of the affinities that every provider prefers, one with the fewest NUMA nodes is taken.",
        "topology-manager/best-effort",
        statements=(
            "topology/how/narrowest-preferred",
            "kep-693/affinity/narrowest",
            "topology-source/merge/best-common-hint",
            "topology/scopes-and-policies/resources-with-hints",
        ),
    ),
    _requirement(
        "topology-manager/merge/restricted-admits-only-preferred",
        "Merged hints admit a pod under restricted exactly when the result is preferred.",
        "topology-manager/restricted",
        statements=(
            "topology/restricted/refuses",
            "kep-693/affinity/restricted-admits-preferred",
            "topology-source/cpu-hints/empty-list-refuses",
        ),
    ),
    _requirement(
        "topology-manager/merge/single-numa-node-admits-only-one-node",
        "Merged hints admit a pod under single-numa-node exactly when all providers prefer one common NUMA node or "
        "have no opinion.",
        "topology-manager/single-numa-node",
        statements=("topology/single-numa-node/one-node-or-refused", "kep-693/affinity/single-admits-one-node"),
    ),
    _requirement(
        "topology-manager/prefer-closest-numa-nodes/places-on-the-closer-set",
        "With prefer-closest-numa-nodes what a pod holds comes from NUMA nodes than which no others, as many and as "
        "able, are surely closer.",
        "topology-manager/prefer-closest-numa-nodes",
        "topology-manager/best-effort",
        statements=("topology/prefer-closest-numa-nodes/favours-shorter-distance",),
        since="1.28",
    ),
    _requirement(
        "topology-manager/prefer-closest-numa-nodes/takes-the-closer-set",
        "With prefer-closest-numa-nodes, of the preferred affinities with the same number of NUMA nodes the one with"
        " the smaller average distance is taken.",
        "topology-manager/prefer-closest-numa-nodes",
        "topology-manager/best-effort",
        statements=("topology/prefer-closest-numa-nodes/favours-shorter-distance",),
        since="1.28",
        beyond="The page speaks of shorter distance; that the average counts it does not say.",
    ),
    _requirement(
        "topology-manager/prefer-closest-numa-nodes/takes-the-closer-unpreferred-set",
        "With prefer-closest-numa-nodes best-effort takes no affinity that nobody prefers where another, as wide, is "
        "surely closer.",
        "topology-manager/prefer-closest-numa-nodes",
        "topology-manager/best-effort",
        statements=("topology/prefer-closest-numa-nodes/favours-shorter-distance",),
        since="1.28",
        strength="SHOULD",
        beyond="The page speaks of admission decisions; by what else these affinities are told apart it leaves open.",
    ),
    _requirement(
        "topology-manager/max-allowable-numa-nodes/default-is-eight",
        "The node does not come up with a policy other than none on a machine with more than eight NUMA nodes.",
        "topology-manager/best-effort",
        statements=(
            "topology/max-allowable-numa-nodes/eight-by-default",
            "topology/limitations/eight-numa-nodes",
            "topology-source/machine/more-than-eight",
            "topology-source/machine/limit-for-other-policies",
        ),
    ),
    _requirement(
        "topology-manager/max-allowable-numa-nodes/raises-the-limit",
        "With max-allowable-numa-nodes set to the number of NUMA nodes, the node comes up on a machine with more "
        "than eight.",
        "topology-manager/max-allowable-numa-nodes",
        "topology-manager/best-effort",
        statements=("topology/max-allowable-numa-nodes/allows-more",),
        since="1.31",
        strength="SHOULD",
        beyond="The page writes max-allowable-numa-nodes=true; a number is asked for.",
    ),
    _requirement(
        "topology-manager/max-allowable-numa-nodes/stays-a-limit",
        "With max-allowable-numa-nodes set to a number, a machine with more NUMA nodes is refused.",
        "topology-manager/max-allowable-numa-nodes",
        "topology-manager/best-effort",
        statements=("topology/max-allowable-numa-nodes/allows-more",),
        since="1.31",
        strength="SHOULD",
        beyond="The page writes max-allowable-numa-nodes=true; a number is asked for.",
    ),
)
