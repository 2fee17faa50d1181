"""``CpuManager``: what every policy of the CPU Manager has in common, policy ``none`` with no more, and its file."""

from collections.abc import Callable
from functools import partial

from ..provider import Provider
from ..state_file import PLAIN, CheckpointError, ManagerStateFile
from .cpu_state import CpuHolding, CpuPools, CpuState
from .state_file import CPU_FILE, decode, encode


class CpuManager(Provider):
    """The CPU Manager of one node, whatever its policy. Sets of CPUs are bits of an int.

    ``policy`` is the policy's name, as the state file has it. ``reserved`` are the CPUs kept back for the system, 0
    under policy ``none``. ``reusable`` maps a pod's uid to the CPUs that its ordinary init containers leave for its
    later containers (CPU-REUSE-01). ``file_style``: how the state file is written.
    """

    name = "cpus"
    policy: str

    def __init__(self, state: CpuState, reserved: int = 0) -> None:
        self.state = state
        self.file_style = PLAIN
        self.reserved = reserved
        self.reusable: dict[str, int] = {}

    @property
    def state_file(self) -> ManagerStateFile:
        """The file of the shared pool and the exclusive CPUs."""
        return ManagerStateFile(CPU_FILE, self._content, self._take_over)

    def _content(self) -> Callable[[], str]:
        return partial(encode, self.policy, self.state.copy(), self.file_style)

    def _take_over(self, text: str | None, where: str) -> bool:
        """Take over a file's content; tell whether it is to be written anew. Raises ``StartError`` (CPU-CKPT-07)."""
        stored = CpuState()
        if text is not None:
            try:
                stored = decode(text, self.policy, self.file_style)
            except CheckpointError as error:
                raise error.start_error("CPU", where) from error
        self.restore(stored)
        begins_anew = self.policy == "static" and not stored.default
        return text is None or begins_anew or self.state.default != stored.default

    @property
    def cpusets(self) -> "CpuManager":
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


class NonePolicy(CpuManager):
    """The CPU Manager under policy ``none``: the shared pool is empty and no cpuset is written (CPU-POOL-07).

    It takes over a stored state as it is (CPU-CKPT-10).
    """

    policy = "none"

    def __init__(self) -> None:
        super().__init__(CpuState())

    def pools(self) -> CpuPools:
        """Return the shared pool of the state; nothing is reserved."""
        return CpuPools(self.state.default, None, None)
