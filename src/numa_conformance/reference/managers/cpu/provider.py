"""``CpuManager``: what every policy of the CPU Manager has in common, its state and what follows from it."""

from __future__ import annotations

from ..provider import Provider
from ..state_file import PLAIN
from .cpu_state import CpuHolding, CpuState
from .state_file import CpuStateFile


class CpuManager(Provider):
    """The CPU Manager of one node, whatever its policy. Sets of CPUs are bits of an int.

    ``policy`` is the policy's name, as the state file has it. ``reserved`` are the CPUs kept back for the system, 0
    under policy ``none``. ``reusable`` maps a pod's uid to the CPUs that its ordinary init containers leave for its
    later containers (CPU-REUSE-01). ``file_style``: how the state file is written.
    """

    name = "cpus"
    policy: str

    def __init__(self, state: CpuState, reserved: int = 0) -> None:
        """Take the state of a node without pods."""
        self.state = state
        self.file_style = PLAIN
        self.reserved = reserved
        self.reusable: dict[str, int] = {}

    @property
    def state_file(self) -> CpuStateFile:
        """The file of the shared pool and the exclusive CPUs."""
        return CpuStateFile(self)

    @property
    def cpusets(self) -> CpuManager:
        """The manager itself."""
        return self

    def restore(self, state: CpuState) -> None:
        """Go on from a stored state; raises ``StartError`` when it does not fit."""
        self.state = state.copy()

    def cpus_of(self, uid: str, container: str) -> int:
        """Return a container's exclusive CPUs, or the shared pool."""
        return self.state.cpus_of(uid, container)

    def exclusive_cpus_of(self, uid: str, container: str) -> int:
        """Return a container's exclusive CPUs, 0 when it runs in the shared pool."""
        return self.state.exclusive_cpus_of(uid, container)

    def holding(self, uid: str, container: str) -> CpuHolding:
        """Return a container's exclusive CPUs."""
        return CpuHolding(self.state.exclusive_cpus_of(uid, container))

    def release(self, uid: str, container: str) -> None:
        """Give a container's CPUs back."""
        self.state.release(uid, container)
