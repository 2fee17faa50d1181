"""Topology Manager: policies, scopes, options, admission."""

from __future__ import annotations

from .requirement import Requirement

__all__ = ["REQUIREMENTS"]

_PAGE = "Control Topology Management Policies on a node"
_STATIC = "cpu-manager/static"


def _requirement(id: str, text: str, *features: str, section: str, since: str = "1.18") -> Requirement:
    return Requirement(
        id=f"topology-manager/{id}",
        text=text,
        page=_PAGE,
        section=section,
        since=since,
        features=tuple(_feature(name) for name in features),
        area="topology-manager",
    )


def _feature(name: str) -> str:
    """Complete a feature of this manager; those of other managers are written out."""
    return name if name.startswith(("cpu-", "device-", "memory-")) else f"topology-manager/{name}"


REQUIREMENTS: tuple[Requirement, ...] = (
    _requirement(
        "none/aligns-nothing",
        "Policy none refuses no pod for its topology.",
        "none",
        section="none policy",
    ),
    _requirement(
        "best-effort/admits-unaligned-pods",
        "Under best-effort a pod whose preferred affinity cannot be had is not refused for its topology.",
        "best-effort",
        _STATIC,
        section="best-effort policy",
    ),
    _requirement(
        "best-effort/aligns-when-possible",
        "Under best-effort a container whose exclusive CPUs fit the free CPUs of one NUMA node, and whose devices are "
        "there too, gets them from one NUMA node.",
        "best-effort",
        _STATIC,
        section="best-effort policy",
    ),
    _requirement(
        "restricted/refuses-unaligned-pods",
        "Under restricted a pod whose preferred affinity cannot be had is refused with reason TopologyAffinityError.",
        "restricted",
        _STATIC,
        section="restricted policy",
    ),
    _requirement(
        "restricted/admits-what-needs-several-nodes",
        "Under restricted a container that no single NUMA node could ever hold is admitted on the smallest number of "
        "NUMA nodes that can.",
        "restricted",
        _STATIC,
        section="restricted policy",
    ),
    _requirement(
        "single-numa-node/gives-one-node",
        "Under single-numa-node an admitted container has all its exclusive CPUs on one NUMA node.",
        "single-numa-node",
        _STATIC,
        section="single-numa-node policy",
    ),
    _requirement(
        "single-numa-node/refuses-what-needs-several-nodes",
        "Under single-numa-node a pod that no single NUMA node can hold is refused with the reason "
        "TopologyAffinityError.",
        "single-numa-node",
        _STATIC,
        section="single-numa-node policy",
    ),
    _requirement(
        "scope/container/aligns-each-container-alone",
        "In the container scope containers of one pod may be aligned to different NUMA nodes.",
        "scope/container",
        "single-numa-node",
        _STATIC,
        section="container scope",
    ),
    _requirement(
        "scope/pod/aligns-the-pod-as-a-whole",
        "In the pod scope under single-numa-node all containers of an admitted pod are on one common NUMA node.",
        "scope/pod",
        "single-numa-node",
        _STATIC,
        section="pod scope",
    ),
    _requirement(
        "scope/pod/refuses-by-the-total",
        "In the pod scope under single-numa-node a pod whose containers together fit no NUMA node is refused, though "
        "each container alone would fit.",
        "scope/pod",
        "single-numa-node",
        _STATIC,
        section="pod scope",
    ),
    _requirement(
        "scope/pod/counts-the-larger-of-init-and-app-containers",
        "In the pod scope a pod's need is the larger of its app containers' sum and its largest init container.",
        "scope/pod",
        "single-numa-node",
        _STATIC,
        "cpu-manager/init-containers",
        section="pod scope",
    ),
    _requirement(
        "admission/a-refused-pod-leaves-the-node-as-it-was",
        "A refused pod holds nothing: the next pod finds the node as it was before.",
        "restricted",
        _STATIC,
        section="How topology manager works",
    ),
    _requirement(
        "admission/all-classes-pass-the-manager",
        "Pods of every class pass the Topology Manager: a pod that asks for devices alone is aligned or refused too.",
        "single-numa-node",
        "device-manager/allocation",
        section="Pod interactions with topology manager policies",
    ),
    _requirement(
        "admission/fractional-cpus-align-devices-only",
        "A Guaranteed pod with a fractional CPU request and a device gets no exclusive CPUs; its device is aligned.",
        "single-numa-node",
        _STATIC,
        "device-manager/allocation",
        section="Pod interactions with topology manager policies",
    ),
    _requirement(
        "merge/takes-the-narrowest-preferred-affinity",
        "Of the affinities that every provider prefers, one with the fewest NUMA nodes is taken.",
        "best-effort",
        section="How topology manager works",
    ),
    _requirement(
        "merge/restricted-admits-only-preferred",
        "Merged hints admit a pod under restricted exactly when the result is preferred.",
        "restricted",
        section="restricted policy",
    ),
    _requirement(
        "merge/single-numa-node-admits-only-one-node",
        "Merged hints admit a pod under single-numa-node exactly when all providers prefer one common NUMA node or "
        "have no opinion.",
        "single-numa-node",
        section="single-numa-node policy",
    ),
    _requirement(
        "prefer-closest-numa-nodes/takes-the-closer-set",
        "With prefer-closest-numa-nodes, of the preferred affinities with the same number of NUMA nodes the one with "
        "the smaller average distance is taken.",
        "prefer-closest-numa-nodes",
        "best-effort",
        section="Topology manager policy options",
        since="1.28",
    ),
    _requirement(
        "max-allowable-numa-nodes/default-is-eight",
        "The node does not come up with a policy other than none on a machine with more than eight NUMA nodes.",
        "best-effort",
        section="Known limitations",
    ),
    _requirement(
        "max-allowable-numa-nodes/raises-the-limit",
        "With max-allowable-numa-nodes set to the number of NUMA nodes, the node comes up on a machine with more than "
        "eight.",
        "max-allowable-numa-nodes",
        "best-effort",
        section="Topology manager policy options",
        since="1.31",
    ),
)
