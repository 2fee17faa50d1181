"""Policy ``none``: no exclusive CPUs, no opinion (CPU-HINT-01)."""

from __future__ import annotations

from .cpu_state import CpuPools, CpuState
from .provider import CpuManager


class NonePolicy(CpuManager):
    """The CPU Manager under policy ``none``: the shared pool is empty and no cpuset is written (CPU-POOL-07).

    It takes over a stored state as it is (CPU-CKPT-10).
    """

    policy = "none"

    def __init__(self) -> None:
        """Start with an empty state."""
        super().__init__(CpuState())

    def pools(self) -> CpuPools:
        """Return the shared pool of the state; nothing is reserved."""
        return CpuPools(self.state.default, None, None)
