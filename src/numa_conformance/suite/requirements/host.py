"""Reading a host tree, and writing into its cgroups."""

from __future__ import annotations

from functools import partial

from .requirement import Requirement

__all__ = ["REQUIREMENTS"]


_discovery = partial(
    Requirement,
    page="Node Resource Managers",
    section="CPU topology discovery",
    since="1.8",
    features=("host/discover",),
    area="host",
)
_reconcile = partial(
    Requirement,
    page="Control CPU Management Policies on the Node",
    section="CPU management policies",
    since="1.8",
    features=("host/reconcile",),
    area="host",
)

REQUIREMENTS: tuple[Requirement, ...] = (
    _discovery("host/finds-the-online-cpus", "Exactly the online CPUs of the host are found."),
    _discovery(
        "host/finds-cores-sockets-and-numa-nodes", "CPUs are grouped as the host's cores, sockets and NUMA nodes."
    ),
    _reconcile(
        "host/reconcile/cpusets-reach-the-cgroups",
        "After a pass of the reconcile loop the cgroup of every running container has the CPUs assigned to it.",
    ),
    _reconcile(
        "host/reconcile/what-failed-is-tried-again",
        "A cpuset that could not be written in one pass of the reconcile loop is written in the next.",
    ),
)
