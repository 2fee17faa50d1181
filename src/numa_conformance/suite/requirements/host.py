"""Reading a host tree, and writing into its cgroups."""

from __future__ import annotations

from .requirement import Requirement

__all__ = ["REQUIREMENTS"]


def _discovery(id: str, text: str) -> Requirement:
    return Requirement(
        id=f"host/{id}",
        text=text,
        page="Node Resource Managers",
        section="CPU topology discovery",
        since="1.8",
        features=("host/discover",),
        area="host",
    )


def _reconcile(id: str, text: str) -> Requirement:
    return Requirement(
        id=f"host/reconcile/{id}",
        text=text,
        page="Control CPU Management Policies on the Node",
        section="CPU management policies",
        since="1.8",
        features=("host/reconcile",),
        area="host",
    )


REQUIREMENTS: tuple[Requirement, ...] = (
    _discovery("finds-the-online-cpus", "Exactly the online CPUs of the host are found."),
    _discovery("finds-cores-sockets-and-numa-nodes", "CPUs are grouped as the host's cores, sockets and NUMA nodes."),
    _reconcile(
        "cpusets-reach-the-cgroups",
        "After a pass of the reconcile loop the cgroup of every running container has the CPUs assigned to it.",
    ),
    _reconcile(
        "what-failed-is-tried-again",
        "A cpuset that could not be written in one pass of the reconcile loop is written in the next.",
    ),
)
