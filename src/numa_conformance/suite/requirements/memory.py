"""Memory Manager."""

from __future__ import annotations

from .requirement import Family, Requirement

_STATIC = "memory-manager/static"


_requirement = Family(since="1.21")

REQUIREMENTS: tuple[Requirement, ...] = (
    _requirement(
        "memory-manager/none/pins-nothing",
        "Policy None pins no container to NUMA nodes' memory.",
        "memory-manager/none",
        statements=("memory/none/does-nothing", "memory/none/default-hint"),
    ),
    _requirement(
        "memory-manager/policy/unknown-is-refused",
        "The node does not come up with a Memory Manager policy that does not exist.",
        _STATIC,
        statements=("memory/policies/those",),
        strength="SHOULD",
        beyond="The page names the policies and says nothing of others.",
    ),
    _requirement(
        "memory-manager/static/guarantees-memory-to-guaranteed-pods",
        "Every container of a Guaranteed pod is given memory of the size it asks for, on named NUMA nodes, and may "
        "use no others.",
        _STATIC,
        statements=(
            "memory/head/guarantees",
            "memory/static/hints-and-reserves",
            "nrm/memory/guarantees-memory",
            "memory/guaranteed/specific-hints",
            "memory/how/cpuset-mems",
        ),
    ),
    _requirement(
        "memory-manager/static/leaves-other-classes-alone",
        "Containers of Burstable and BestEffort pods are given no memory of their own.",
        _STATIC,
        statements=("memory/static/other-classes",),
    ),
    _requirement(
        "memory-manager/static/uses-the-fewest-numa-nodes",
        "Memory comes from one NUMA node where one holds it, and else from as few as hold it, where so few are unused.",
        _STATIC,
        "topology-manager/best-effort",
        statements=(
            "memory/head/fewest-numa-nodes",
            "nrm/memory/fewest-numa-nodes",
            "troubleshooting/state/pinned-to-several",
        ),
    ),
    _requirement(
        "memory-manager/static/never-gives-more-than-is-free",
        "The memory given from a NUMA node never exceeds what the node has beyond its reservation.",
        _STATIC,
        statements=(
            "memory/static/hints-and-reserves",
            "troubleshooting/state/group-amounts-add-up",
            "reserve/eviction/not-available",
        ),
    ),
    _requirement(
        "memory-manager/static/refuses-what-does-not-fit",
        "A Guaranteed pod whose memory does not fit is refused.",
        _STATIC,
        statements=(
            "troubleshooting/error/without-enough",
            "memory/head/hints-and-policy-decide",
            "nrm/memory/gives-hints",
            "nrm/memory/hints-and-policy-decide",
        ),
    ),
    _requirement(
        "memory-manager/static/keeps-groups-apart",
        "A NUMA node that serves a container together with other NUMA nodes serves no container alone, and belongs "
        "to one group at a time.",
        _STATIC,
        "topology-manager/restricted",
        statements=("kep-1769/groups/disjoint", "kep-1769/groups/inseparable", "memory/how/groups"),
        beyond="The page leaves the handling of groups to the proposal.",
        strength="SHOULD",
    ),
    _requirement(
        "memory-manager/static/returns-memory-on-removal",
        "The memory of a removed pod is free again.",
        _STATIC,
        statements=("memory/static/hints-and-reserves",),
        beyond="No page says when the memory of a removed pod returns.",
    ),
    _requirement(
        "memory-manager/hugepages/come-from-named-nodes",
        "Huge pages of a Guaranteed pod are given per page size, on named NUMA nodes, within the pages of these nodes.",
        _STATIC,
        "memory-manager/hugepages",
        statements=("memory/head/guarantees", "kep-1769/hints/every-type-counts", "nrm/memory/guarantees-huge-pages"),
    ),
    _requirement(
        "memory-manager/reserved-memory/must-match-the-node-reservation",
        "The node does not come up unless reservedMemory adds up to kubeReserved plus systemReserved plus the hard "
        "eviction threshold.",
        _STATIC,
        statements=(
            "memory/constraints/sum",
            "memory/constraints/error-otherwise",
            "memory/constraints/worked-example",
        ),
    ),
    _requirement(
        "memory-manager/reserved-memory/is-mandatory",
        "The node does not come up with policy Static and no reservedMemory.",
        _STATIC,
        statements=("memory/how/reserved-memory-is-mandatory", "memory/reserved/eviction-default"),
    ),
    _requirement(
        "memory-manager/reserved-memory/refuses-unknown-numa-nodes",
        "The node does not come up with reservedMemory for a NUMA node it does not have.",
        _STATIC,
        statements=("memory/avoid/unknown-numa-nodes",),
        strength="SHOULD",
        beyond="The page says that such NUMA nodes are to be avoided, not that the node does not come up.",
    ),
    _requirement(
        "memory-manager/reserved-memory/is-never-given",
        "The memory reserved on a NUMA node is not given to any container.",
        _STATIC,
        statements=("memory/reserved/not-for-containers",),
    ),
    _requirement(
        "memory-manager/state-file/assignments-survive-a-restart",
        "The memory of running containers is the same after the node agent restarts.",
        _STATIC,
        "node/restart",
        statements=("troubleshooting/state/file",),
        beyond="The page shows what the file holds; that containers keep their memory over a restart it does not say.",
    ),
    _requirement(
        "memory-manager/state-file/policy-change-is-refused",
        "The node does not come up with another Memory Manager policy than that of the state file left on it.",
        _STATIC,
        "memory-manager/state-file",
        "node/restart",
        statements=("troubleshooting/state/file",),
        beyond="The page shows that the file holds the policy; what becomes of another one it does not say.",
    ),
)
