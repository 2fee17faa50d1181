"""The CPU Manager over time: hints, state file, restart, reconcile."""

from __future__ import annotations

from .requirement import Family, Requirement

_STATIC = "cpu-manager/static"


_requirement = Family(area="cpu-manager lifecycle")
_cpuset = Family(since="1.8", area="cpu-manager lifecycle", features=(_STATIC, "node/cpuset"))

REQUIREMENTS: tuple[Requirement, ...] = (
    _requirement(
        "cpu-manager/hints/none-without-exclusive-cpus",
        "A container without exclusive CPUs gives the CPU Manager no opinion on NUMA affinity.",
        _STATIC,
        "cpu-manager/hints",
        statements=(
            "topology/interactions/specs-1-and-2-have-no-cpu-hint",
            "topology/interactions/spec-4-hints",
            "topology/interactions/spec-5-hints",
        ),
        since="1.18",
        beyond="The page speaks of a default hint; one that is given explicitly is not accepted.",
    ),
    _requirement(
        "cpu-manager/hints/every-hint-can-hold-the-request",
        "Each hint names NUMA nodes whose free CPUs can hold the request, and every set of nodes that can is named.",
        _STATIC,
        "cpu-manager/hints",
        statements=(
            "kep-693/hints/masks-can-satisfy",
            "topology-source/cpu-hints/too-few-free",
            "topology/how/hints",
            "topology-source/cpu-hints/available",
            "topology-source/cpu-hints/every-combination",
        ),
        since="1.18",
        strength="SHOULD",
    ),
    _requirement(
        "cpu-manager/hints/preferred-is-narrowest",
        "A hint is preferred exactly when no smaller number of NUMA nodes could hold the request on an empty machine.",
        _STATIC,
        "cpu-manager/hints",
        statements=(
            "topology/how/narrowest-preferred",
            "kep-693/hints/preferred-as-if-empty",
            "topology-source/cpu-hints/size-counts-all-cpus",
            "topology-source/cpu-hints/narrowest-is-preferred",
        ),
        since="1.18",
        strength="SHOULD",
    ),
    _requirement(
        "cpu-manager/state-file/assignments-survive-a-restart",
        "Exclusive CPUs and the shared pool are the same after the node agent restarts.",
        _STATIC,
        "node/restart",
        statements=(
            "topology-source/cpu-hints/held-cpus-again",
            "topology-source/admission/again-after-a-restart",
        ),
        since="1.10",
        beyond="Only the source says that containers keep their CPUs over a restart of the kubelet.",
    ),
    _requirement(
        "node/restart/admits-again-what-was-there",
        "A node agent that is restarted on its own state files comes up, and admits the pods again that it had.",
        _STATIC,
        "node/restart",
        statements=("topology-source/admission/again-after-a-restart",),
        since="1.10",
        beyond="Only the source says that pods are admitted again after a restart of the kubelet.",
    ),
    _requirement(
        "cpu-manager/state-file/policy-change-is-refused",
        "The node does not come up with another CPU Manager policy than that of the state file left on it.",
        _STATIC,
        "cpu-manager/state-file",
        "node/restart",
        statements=("cpu-task/change/refused-otherwise",),
        since="1.10",
    ),
    _requirement(
        "cpu-manager/state-file/policy-change-names-the-file",
        "A node that does not come up with another CPU Manager policy tells both policies and the file to delete.",
        _STATIC,
        "cpu-manager/state-file",
        "node/restart",
        statements=("cpu-task/change/refused-otherwise",),
        since="1.10",
        strength="SHOULD",
        beyond="The page shows what the kubelet says; that other nodes say as much it does not demand.",
    ),
    _requirement(
        "cpu-manager/state-file/policy-change-works-once-deleted",
        "With the state file deleted the node comes up with another CPU Manager policy.",
        _STATIC,
        "cpu-manager/state-file",
        "node/restart",
        statements=("cpu-task/change/needs-the-file-removed",),
        since="1.10",
    ),
    _requirement(
        "cpu-manager/state-file/changed-cpus-are-refused",
        "The node does not come up with a state file that was written for another set of online CPUs.",
        _STATIC,
        "cpu-manager/state-file",
        "node/restart",
        statements=("cpu-task/change/changed-cpus-need-it-too", "nrm/cpus/no-hotplug"),
        since="1.10",
        beyond="The page demands that the file is deleted, and does not say that the node does not come up otherwise.",
    ),
    _requirement(
        "cpu-manager/state-file/strict-change-is-refused",
        "The node does not come up when strict-cpu-reservation is switched on without deleting the state file.",
        _STATIC,
        "cpu-manager/strict-cpu-reservation",
        "cpu-manager/state-file",
        "node/restart",
        statements=("cpu-task/options/strict-needs-the-file-removed",),
        since="1.32",
        beyond="The page demands that the file is deleted, and does not say that the node does not come up otherwise.",
        strength="SHOULD",
    ),
    _requirement(
        "cpu-manager/reconcile/running-containers-get-their-cpusets",
        "After a pass of the reconcile loop every running container runs on what is assigned to it: its exclusive "
        "CPUs, or the shared pool as it is now.",
        _STATIC,
        "cpu-manager/reconcile",
        statements=(
            "cpu-task/configuration/reconciles-through-the-cri",
            "cpu-1.8/configuration/reconciles-through-the-cri",
        ),
        since="1.8",
    ),
    _requirement(
        "cpu-manager/reconcile/none-writes-nothing",
        "Under policy none no cpuset is written for any container.",
        "cpu-manager/none",
        "cpu-manager/reconcile",
        statements=("nrm/cpus/none-leaves-cpusets-alone",),
        since="1.8",
        beyond="A cpuset of all CPUs would give no affinity either.",
        strength="SHOULD",
    ),
    _cpuset(
        "cpu-manager/cpuset/keeps-off-exclusive-cpus",
        "No container may run on CPUs that are exclusive to another one: the cpuset of every container, shared or not, "
        "leaves them out once cpusets have been sent.",
        statements=(
            "nrm/cpus/exclusive-against-other-pods",
            "nrm/cpus/cpusets-enforce-exclusivity",
            "nrm/static/cpus-leave-the-pool",
            "cpu-1.8/static/cpusets-enforce-exclusivity",
        ),
    ),
    _cpuset(
        "cpu-manager/cpuset/is-never-empty",
        "Every container that runs has a CPU to run on.",
        statements=("nrm/static/pool-never-empty",),
        beyond="The page speaks of the shared pool, in which containers without CPUs of their own run.",
    ),
    _cpuset(
        "cpu-manager/cpuset/is-online",
        "Containers are told to run on CPUs that are online, and on no others.",
        statements=("nrm/static/pool-holds-all-cpus-at-first", "nrm/static/cpus-leave-the-pool"),
    ),
    _cpuset(
        "cpu-manager/cpuset/holds-the-exclusive-cpus",
        "The cpuset of a container with exclusive CPUs has these, and no others.",
        statements=("nrm/static/cpus-are-the-containers-own", "nrm/static/as-many-as-the-limit"),
    ),
    _cpuset(
        "cpu-manager/cpuset/regains-cpus-on-removal",
        "A shared container that gave up CPUs for a pod may run on them again when that pod is gone and cpusets have "
        "been sent.",
        statements=("nrm/static/cpus-leave-the-pool", "cpu-task/configuration/reconciles-through-the-cri"),
        beyond="No page says when the CPUs of a removed pod return; which shared CPUs others may use is not asked.",
    ),
    _requirement(
        "cpu-manager/none/keeps-nobody-to-some-cpus",
        "Under policy none every container may run on all CPUs.",
        "cpu-manager/none",
        "node/cpuset",
        statements=("nrm/cpus/none-leaves-cpusets-alone", "nrm/cpus/none-gives-no-affinity"),
        since="1.8",
    ),
)
