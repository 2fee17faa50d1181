"""``strict-cpu-reservation``: no pod of any class runs on the reserved CPUs.

https://v1-32.docs.kubernetes.io/docs/concepts/policy/node-resource-managers/#strict-cpu-reservation

The shared pool therefore begins without them (CPU-POOL-02), and must never run empty: a container with an empty cpuset
would run anywhere. The kubelet lets that happen: quirk ``strict-pool-may-empty``.
"""

from __future__ import annotations

from .....errors import Refusal
from .....sources.quirks.cpu import CpuQuirks


def check(pool: int, cpus: int, count: int, reserved: int, quirks: CpuQuirks) -> None:
    """Refuse ``count`` exclusive ``cpus`` that leave nothing of the ``pool``; raises ``Refusal`` (CPU-POOL-05)."""
    if pool & ~cpus or quirks.strict_pool_may_empty:
        return
    spare = (pool & ~reserved).bit_count() - 1
    raise Refusal.unexpected(f"not enough cpus available to satisfy request: requested={count}, available={spare}")
