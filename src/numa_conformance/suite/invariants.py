"""What must hold on a node at every moment, as pure functions over its state. Public: usable in one's own tests."""

from __future__ import annotations

from collections.abc import Mapping

from ..cpuset import CpuSet

__all__ = ["Assignments", "cpu_violations"]

Assignments = Mapping[str, Mapping[str, CpuSet]]
"""Pod uid to container to exclusive CPUs."""


def cpu_violations(
    online: CpuSet, reserved: CpuSet, pool: CpuSet, assignments: Assignments, *, strict: bool = False
) -> list[str]:
    """Return what is wrong with a node's CPUs, in words; empty when all holds (CPU-POOL-08).

    ``strict``: reserved CPUs are outside the shared pool (strict-cpu-reservation).
    """
    found = []
    exclusive = CpuSet()
    for uid, containers in assignments.items():
        own = CpuSet()
        for name, cpus in containers.items():
            own |= cpus
            if cpus & reserved:
                found.append(f"container {name} of pod {uid} has reserved CPUs {cpus & reserved}")
            if cpus & pool:
                found.append(f"CPUs {cpus & pool} of container {name} of pod {uid} are in the shared pool too")
        if own & exclusive:
            found.append(f"CPUs {own & exclusive} of pod {uid} are exclusive to another pod too")
        exclusive |= own
    expected = online - reserved if strict else online
    together = pool | exclusive
    if together != expected:
        if expected - together:
            found.append(f"CPUs {expected - together} are neither shared nor exclusive")
        if together - expected:
            found.append(f"CPUs {together - expected} are given out and should not be")
    if not strict and not reserved <= pool:
        found.append(f"reserved CPUs {reserved - pool} are not in the shared pool")
    return found
