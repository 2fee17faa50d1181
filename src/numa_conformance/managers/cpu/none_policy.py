"""Policy ``none``: no exclusive CPUs, no opinion."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...kube.container import Container
from ...kube.pod import Pod
from ..hint import NO_AFFINITY, Hint
from .state import CpuState

__all__ = ["NonePolicy"]


class NonePolicy:
    """One node's CPU Manager under policy ``none``: the shared pool is empty and no cpuset is written (CPU-POOL-07)."""

    policy = "none"
    reserved = 0

    def __init__(self) -> None:
        """Start with an empty state."""
        self.state = CpuState()
        self.reusable: dict[str, int] = {}

    def restore(self, state: CpuState) -> None:
        """Take over a stored state as it is (CPU-CKPT-10)."""
        self.state = state.copy()

    def cpus_of(self, uid: str, container: str) -> int:
        """Return the empty set."""
        return self.state.cpus_of(uid, container)

    def release(self, uid: str, container: str) -> None:
        """Drop what a stored state may hold."""
        self.state.release(uid, container)

    def remove_stale(self, active: Callable[[str, str], bool]) -> None:
        """Do nothing: nothing is held."""

    def hints(self, pod: Pod, container: Container) -> Mapping[str, list[Hint] | None] | None:
        """Have no opinion (CPU-HINT-01)."""
        return None

    def pod_hints(self, pod: Pod) -> Mapping[str, list[Hint] | None] | None:
        """Have no opinion."""
        return None

    def allocate(
        self, pod: Pod, container: Container, affinity: Hint = NO_AFFINITY, trace: list[str] | None = None
    ) -> None:
        """Give nothing."""
