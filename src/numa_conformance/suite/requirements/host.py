"""Reading a host tree."""

from __future__ import annotations

from .requirement import Requirement

__all__ = ["REQUIREMENTS"]

_PAGE = "Node Resource Managers"


def _requirement(id: str, text: str) -> Requirement:
    return Requirement(
        id=f"host/{id}",
        text=text,
        page=_PAGE,
        section="CPU topology discovery",
        since="1.8",
        features=("host/discover",),
        area="host",
    )


REQUIREMENTS: tuple[Requirement, ...] = (
    _requirement("finds-the-online-cpus", "Exactly the online CPUs of the host are found."),
    _requirement("finds-cores-sockets-and-numa-nodes", "CPUs are grouped as the host's cores, sockets and NUMA nodes."),
)
