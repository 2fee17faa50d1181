"""Memory Manager."""

from __future__ import annotations

from .requirement import Requirement

__all__ = ["REQUIREMENTS"]

_PAGE = "Control Memory Management Policies on a Node"


def _requirement(id: str, text: str, *features: str, section: str, since: str = "1.21") -> Requirement:
    return Requirement(
        id=f"memory-manager/{id}",
        text=text,
        page=_PAGE,
        section=section,
        since=since,
        features=features,
        area="memory-manager",
    )


_STATIC = "memory-manager/static"

REQUIREMENTS: tuple[Requirement, ...] = (
    _requirement(
        "none/pins-nothing",
        "Policy None pins no container to NUMA nodes' memory.",
        "memory-manager/none",
        section="None policy",
    ),
    _requirement(
        "static/guarantees-memory-to-guaranteed-pods",
        "Every container of a Guaranteed pod is given memory of the size it asks for, on named NUMA nodes.",
        _STATIC,
        section="Static policy",
    ),
    _requirement(
        "static/leaves-other-classes-alone",
        "Containers of Burstable and BestEffort pods are given no memory of their own.",
        _STATIC,
        section="Static policy",
    ),
    _requirement(
        "static/uses-the-fewest-numa-nodes",
        "A container whose memory fits the free memory of one NUMA node is, on an otherwise empty machine, given it "
        "from one NUMA node.",
        _STATIC,
        "topology-manager/best-effort",
        section="How does memory manager work",
    ),
    _requirement(
        "static/never-gives-more-than-is-free",
        "The memory given from a NUMA node never exceeds what the node has beyond its reservation.",
        _STATIC,
        section="How does memory manager work",
    ),
    _requirement(
        "static/refuses-what-does-not-fit",
        "A Guaranteed pod whose memory does not fit is refused.",
        _STATIC,
        section="Static policy",
    ),
    _requirement(
        "static/keeps-groups-apart",
        "A NUMA node that serves a container together with other NUMA nodes serves no container alone, and belongs to "
        "one group at a time.",
        _STATIC,
        "topology-manager/restricted",
        section="How does memory manager work",
    ),
    _requirement(
        "static/returns-memory-on-removal",
        "The memory of a removed pod is free again.",
        _STATIC,
        section="How does memory manager work",
    ),
    _requirement(
        "hugepages/come-from-named-nodes",
        "Huge pages of a Guaranteed pod are given per page size, on named NUMA nodes, within the pages of these nodes.",
        _STATIC,
        "memory-manager/hugepages",
        section="Static policy",
    ),
    _requirement(
        "reserved-memory/must-match-the-node-reservation",
        "The node does not come up unless reservedMemory adds up to kubeReserved plus systemReserved plus the hard "
        "eviction threshold.",
        _STATIC,
        section="Reserved memory flag",
    ),
    _requirement(
        "reserved-memory/is-mandatory",
        "The node does not come up with policy Static and no reservedMemory.",
        _STATIC,
        section="Static policy",
    ),
    _requirement(
        "reserved-memory/refuses-unknown-numa-nodes",
        "The node does not come up with reservedMemory for a NUMA node it does not have.",
        _STATIC,
        section="Reserved memory flag",
    ),
    _requirement(
        "reserved-memory/is-never-given",
        "The memory reserved on a NUMA node is not given to any container.",
        _STATIC,
        section="Reserved memory flag",
    ),
    _requirement(
        "state-file/assignments-survive-a-restart",
        "The memory of running containers is the same after the node agent restarts.",
        _STATIC,
        "node/restart",
        section="Static policy",
    ),
    _requirement(
        "state-file/policy-change-is-refused",
        "The node does not come up with another Memory Manager policy than that of the state file left on it.",
        _STATIC,
        "memory-manager/state-file",
        "node/restart",
        section="Changing the Memory Manager policy",
    ),
)
