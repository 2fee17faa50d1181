"""``strict-cpu-reservation``: no pod of any class runs on the reserved CPUs.

https://v1-32.docs.kubernetes.io/docs/concepts/policy/node-resource-managers/#strict-cpu-reservation

The shared pool therefore begins without them (CPU-POOL-02), and must never run empty: a container with an empty cpuset
would run anywhere.
"""

from .....errors import Refusal
from ...departures import Documented


class StrictReservation(Documented):
    """What is never given."""

    def check(self, pool: int, cpus: int, count: int, reserved: int) -> None:
        """Refuse ``count`` exclusive ``cpus`` that leave nothing of the ``pool``; raises ``Refusal`` (CPU-POOL-05)."""
        if not pool & ~cpus:
            spare = (pool & ~reserved).bit_count() - 1
            raise Refusal.unexpected(
                f"not enough cpus available to satisfy request: requested={count}, available={spare}"
            )


class _EmptiesThePool(StrictReservation, quirk="strict_pool_may_empty"):
    """Gives the last CPUs too."""

    def check(self, pool: int, cpus: int, count: int, reserved: int) -> None:
        return
