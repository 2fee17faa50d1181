"""The CPU Manager over time: hints, state file, restart, reconcile."""

from __future__ import annotations

from .requirement import Requirement

__all__ = ["REQUIREMENTS"]

_TASK = "Control CPU Management Policies on the Node"
_TOPOLOGY = "Control Topology Management Policies on a node"
_STATIC = "cpu-manager/static"


def _requirement(id: str, text: str, *features: str, page: str = _TASK, section: str, since: str) -> Requirement:
    return Requirement(
        id=id, text=text, page=page, section=section, since=since, features=features, area="cpu-manager lifecycle"
    )


REQUIREMENTS: tuple[Requirement, ...] = (
    _requirement(
        "cpu-manager/hints/none-without-exclusive-cpus",
        "A container without exclusive CPUs gives the CPU Manager no opinion on NUMA affinity.",
        _STATIC,
        "cpu-manager/hints",
        page=_TOPOLOGY,
        section="Pod interactions with topology manager policies",
        since="1.18",
    ),
    _requirement(
        "cpu-manager/hints/every-hint-can-hold-the-request",
        "Each hint names NUMA nodes whose free CPUs can hold the request, and every set of nodes that can is named.",
        _STATIC,
        "cpu-manager/hints",
        page=_TOPOLOGY,
        section="How topology manager works",
        since="1.18",
    ),
    _requirement(
        "cpu-manager/hints/preferred-is-narrowest",
        "A hint is preferred exactly when no smaller number of NUMA nodes could hold the request on an empty machine.",
        _STATIC,
        "cpu-manager/hints",
        page=_TOPOLOGY,
        section="How topology manager works",
        since="1.18",
    ),
    _requirement(
        "cpu-manager/state-file/assignments-survive-a-restart",
        "Exclusive CPUs and the shared pool are the same after the node agent restarts.",
        _STATIC,
        "node/restart",
        section="Changing the CPU Manager policy",
        since="1.10",
    ),
    _requirement(
        "cpu-manager/state-file/policy-change-is-refused",
        "The node does not come up with another CPU Manager policy than that of the state file left on it.",
        _STATIC,
        "cpu-manager/state-file",
        "node/restart",
        section="Changing the CPU Manager policy",
        since="1.10",
    ),
    _requirement(
        "cpu-manager/state-file/policy-change-works-once-deleted",
        "With the state file deleted the node comes up with another CPU Manager policy.",
        _STATIC,
        "cpu-manager/state-file",
        "node/restart",
        section="Changing the CPU Manager policy",
        since="1.10",
    ),
    _requirement(
        "cpu-manager/state-file/changed-cpus-are-refused",
        "The node does not come up with a state file that was written for another set of online CPUs.",
        _STATIC,
        "cpu-manager/state-file",
        "node/restart",
        section="Changing the CPU Manager policy",
        since="1.10",
    ),
    _requirement(
        "cpu-manager/state-file/strict-change-is-refused",
        "The node does not come up when strict-cpu-reservation is switched on without deleting the state file.",
        _STATIC,
        "cpu-manager/strict-cpu-reservation",
        "cpu-manager/state-file",
        "node/restart",
        section="Static policy options",
        since="1.32",
    ),
    _requirement(
        "cpu-manager/reconcile/running-containers-get-their-cpusets",
        "After a pass of the reconcile loop every running container runs on what is assigned to it: its exclusive "
        "CPUs, or the shared pool as it is now.",
        _STATIC,
        "cpu-manager/reconcile",
        section="CPU management policies",
        since="1.8",
    ),
    _requirement(
        "cpu-manager/reconcile/none-writes-nothing",
        "Under policy none no cpuset is written for any container.",
        "cpu-manager/none",
        "cpu-manager/reconcile",
        section="None policy",
        since="1.8",
    ),
)
