"""What a target may tell beside its answers: CFS quota, what a refused pod shows its user, writes of state files."""

from __future__ import annotations

from .requirement import Requirement

__all__ = ["REQUIREMENTS"]

_QUOTA, _PHASE = "cpu-manager/cfs-quota", "node/phase"
_CRASHES = ("cpu-manager/static", "node/restart", "node/writes")

REQUIREMENTS: tuple[Requirement, ...] = (
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
