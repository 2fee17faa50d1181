"""What a target may tell beside its answers: CFS quota, what a refused pod shows its user, writes of state files."""

from __future__ import annotations

from .requirement import Family, Requirement

_HINTS = "node/hints"
_QUOTA, _PHASE = "cpu-manager/cfs-quota", "node/phase"
_CRASHES = ("cpu-manager/static", "node/restart", "node/writes")

_memory = Family(since="1.21", features=(_HINTS,))
_devices = Family(since="1.27", features=(_HINTS, "device-manager/allocation"))
_files = Family(
    since="1.10",
    area="cpu-manager lifecycle",
    features=("cpu-manager/static", "cpu-manager/state-file", "node/restart"),
)
_merges = Family(since="1.18", features=(_HINTS, "topology-manager/best-effort"))

REQUIREMENTS: tuple[Requirement, ...] = (
    _memory(
        "memory-manager/hints/can-guarantee-the-request",
        "The NUMA nodes of a hint can guarantee the memory of a Guaranteed pod.",
        "memory-manager/static",
        statements=("memory/static/hints-and-reserves",),
    ),
    _memory(
        "memory-manager/hints/every-type-counts",
        "The NUMA nodes of a hint have enough of every type of memory that is asked for. Where none have, there is no "
        "hint, which is not the same as no opinion.",
        "memory-manager/static",
        "memory-manager/hugepages",
        statements=("kep-1769/hints/every-type-counts",),
        strength="SHOULD",
    ),
    _memory(
        "memory-manager/hints/guaranteed-pods-have-some",
        "NUMA nodes are hinted for the memory of a Guaranteed pod, with fractional CPUs too.",
        "memory-manager/static",
        statements=("memory/guaranteed/specific-hints", "memory/static/hints-and-reserves"),
    ),
    _memory(
        "memory-manager/hints/default-for-other-classes",
        "Under Static BestEffort and Burstable pods have the default hint.",
        "memory-manager/static",
        statements=("memory/static/other-classes", "memory/guaranteed/specific-hints"),
    ),
    _memory(
        "memory-manager/hints/default-under-none",
        "Under policy None there is no preference for memory.",
        "memory-manager/none",
        statements=("memory/none/default-hint",),
    ),
    _memory(
        "memory-manager/hints/offers-every-narrowest-set",
        "Unused NUMA nodes, as few as ever hold the request, are hinted.",
        "memory-manager/static",
        statements=("memory/static/hints-and-reserves", "memory/head/fewest-numa-nodes"),
        strength="SHOULD",
        beyond="that every such set is hinted, not one of them",
    ),
    _memory(
        "memory-manager/hints/preferred-is-narrowest",
        "Preferred are hints of as few NUMA nodes as ever hold the request, and no others.",
        "memory-manager/static",
        statements=("kep-693/hints/preferred-as-if-empty", "memory/head/fewest-numa-nodes"),
        strength="SHOULD",
    ),
    _devices(
        "device-manager/hints/every-hint-can-hold-the-request",
        "The NUMA nodes of a hint have as many free devices as are asked for. Where fewer are free there is no hint, "
        "which is not the same as no opinion.",
        statements=("topology-source/device-hints/too-few-free", "kep-693/hints/masks-can-satisfy"),
        strength="SHOULD",
    ),
    _devices(
        "device-manager/hints/offers-every-set-that-fits",
        "Every set of NUMA nodes with enough free devices is hinted; a device counts for any of its nodes.",
        statements=(
            "topology-source/device-hints/every-combination",
            "topology-source/device-hints/any-of-its-nodes",
        ),
        strength="SHOULD",
    ),
    _devices(
        "device-manager/hints/preferred-is-narrowest",
        "Preferred are hints of as few NUMA nodes as ever have so many devices.",
        statements=("topology-source/device-hints/narrowest-is-preferred",),
        strength="SHOULD",
    ),
    _devices(
        "device-manager/hints/covers-reusable-devices",
        "Devices that ended init containers leave must be used up first: hints that miss them are dropped.",
        "cpu-manager/init-containers",
        statements=("topology-source/device-hints/reusable-first",),
        strength="SHOULD",
    ),
    _merges(
        "topology-manager/admission/uses-the-merged-hint",
        "The hint that is merged of all managers is the affinity with which a container is given its resources.",
        statements=("topology/how/hint-is-stored-and-used", "topology-source/policies/stored-and-used"),
    ),
    _merges(
        "topology-manager/admission/aligns-init-containers-first",
        "In scope container init containers are aligned first, in their order, then app containers.",
        "topology-manager/scope/container",
        statements=("topology-source/scopes/init-first",),
        since="1.27",
        strength="SHOULD",
    ),
    _merges(
        "topology-manager/admission/refuses-what-is-not-admitted",
        "A pod of which the policy does not admit a merged hint is refused, as a Topology Affinity error.",
        statements=("topology/how/policy-decides", "topology/restricted/topology-affinity-error"),
    ),
    _files(
        "node/restart/damaged-files-give-nothing-twice",
        "With state files that are damaged or old a node stays down, or gives no CPU and no device to two pods.",
        statements=("nrm/cpus/exclusive-against-other-pods", "nrm/static/cpus-leave-the-pool"),
    ),
    _files(
        "node/restart/damaged-files-name-no-cpus-that-are-not-there",
        "With state files that are damaged or old a node stays down, or gives CPUs that the machine has.",
        statements=("nrm/static/pool-holds-all-cpus-at-first", "nrm/static/exclusive-are-all-but-reserved"),
    ),
    Requirement(
        "cpu-manager/none/limits-are-enforced-by-quota",
        "Under policy none CFS quota enforces the CPU limits of containers of Guaranteed and Burstable pods.",
        ("nrm/cpus/none-bounds-by-quota", "cpu-1.8/none/quota", "nrm/cpus/quota-by-default"),
        "1.8",
        ("cpu-manager/none", _QUOTA),
        "cpu-manager",
        beyond="that the quota is the limit to within 1,000 microseconds, the least that CFS knows",
    ),
    Requirement(
        "cpu-manager/static/shared-limits-are-enforced-by-quota",
        "Under policy static CFS quota enforces the CPU limits of containers that have no CPUs of their own.",
        ("nrm/cpus/quota-by-default",),
        "1.8",
        ("cpu-manager/static", _QUOTA),
        "cpu-manager",
        beyond="that the quota is the limit to within 1,000 microseconds, the least that CFS knows",
    ),
    Requirement(
        "cpu-manager/static/exclusive-cpus-have-no-quota",
        "CFS quota does not bound containers with exclusive CPUs.",
        ("nrm/static/no-quota-on-exclusive-cpus", "cpu-1.8/static/quota-is-not-needed"),
        "1.8",
        ("cpu-manager/static", _QUOTA),
        "cpu-manager",
    ),
    Requirement(
        "cpu-manager/full-pcpus-only/refused-pods-are-failed",
        "A pod that cannot have whole cores is put in the state Failed.",
        ("nrm/full-pcpus-only/refused-pods-are-failed",),
        "1.22",
        ("cpu-manager/static", "cpu-manager/full-pcpus-only", _PHASE),
        "cpu-manager options",
    ),
    Requirement(
        "topology-manager/admission/refused-pods-are-terminated",
        "A refused pod becomes Terminated.",
        ("topology-source/admission/refused-is-terminated",),
        "1.27",
        (_PHASE,),
        "topology-manager",
        strength="SHOULD",
    ),
    Requirement(
        "topology-manager/admission/says-what-cannot-be-aligned",
        "The message of a TopologyAffinityError says that resources cannot be allocated with topology locality.",
        ("topology-source/policies/its-message",),
        "1.27",
        ("topology-manager/restricted",),
        "topology-manager",
        strength="SHOULD",
    ),
    Requirement(
        "node/restart/comes-up-after-a-crash",
        "A node agent that ends between two writes of its state files comes up with what it had written.",
        ("topology-source/admission/again-after-a-restart",),
        "1.10",
        _CRASHES,
        "cpu-manager lifecycle",
        strength="SHOULD",
        beyond="that it comes up whenever it ended: the source says what happens to pods when it does",
    ),
    Requirement(
        "node/restart/a-crash-leaves-no-cpu-in-two-places",
        "After the node agent ended between two writes exclusive CPUs belong to one pod, and are not shared.",
        ("nrm/cpus/exclusive-against-other-pods", "nrm/static/cpus-leave-the-pool"),
        "1.10",
        _CRASHES,
        "cpu-manager lifecycle",
    ),
    Requirement(
        "node/restart/a-crash-moves-no-running-container",
        "After the node agent ended between two writes containers that run have the CPUs they had.",
        ("topology-source/cpu-hints/held-cpus-again", "topology-source/admission/again-after-a-restart"),
        "1.10",
        _CRASHES,
        "cpu-manager lifecycle",
        strength="SHOULD",
    ),
)
