"""What a node answers; what its managers hold is told in values of their own, of which some are named here."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from ...cpuset import CpuSet
from ...machine.hostfs import CgroupUpdate as Update
from ..managers.cpu import CpuHolding, CpuPools
from ..managers.device import DeviceHolding
from ..managers.hint import Hint
from ..managers.memory import MemoryHolding, MemoryPools, NodeMemory, PinnedBlock
from ..managers.provider import Holding

T = TypeVar("T")

Books = Mapping[int, NodeMemory]
"""NUMA node to its memory, ascending."""


_NAMED = (CpuHolding, MemoryHolding, DeviceHolding)
"""What has properties and fields of its own."""


def _of(values: Iterable[object], kind: type[T]) -> T | None:
    # A protocol asks itself of its instances, which takes long.
    return next((value for value in values if type(value) is kind), None)


@dataclass(frozen=True, slots=True)
class Placement:
    """What one container was given.

    ``affinity``: the hint stored for it, None under topology policy none. ``holdings``: what each manager says that it
    holds, by its name and in their order; ``of`` finds a manager's by its type. ``cpu_quota``: its CFS quota in
    microseconds per period, None for no bound. ``cpuset`` and ``mems``: the CPUs and NUMA nodes that it may use, as
    bits; None where it does not run.
    """

    affinity: Hint | None
    holdings: Mapping[str, Holding]
    cpu_quota: int | None = None
    cpuset: int | None = None
    mems: int | None = None

    def of(self, kind: type[T]) -> T | None:
        """Return the holding of this type, None where no manager says one."""
        return _of(self.holdings.values(), kind)

    @property
    def further(self) -> dict[str, object]:
        """What managers beside those of CPUs, memory and devices say, as plain JSON values by their names."""
        return {name: held.to_answer() for name, held in self.holdings.items() if not isinstance(held, _NAMED)}

    @property
    def cpus(self) -> int:
        """The exclusive CPUs as bits, 0 when the container runs in the shared pool."""
        held = self.of(CpuHolding)
        return held.exclusive if held else 0

    @property
    def cpu_set(self) -> CpuSet:
        """The exclusive CPUs as a set that prints as a list, empty when the container runs in the shared pool."""
        return CpuSet.from_bits(self.cpus)

    @property
    def memory(self) -> tuple[PinnedBlock, ...] | None:
        """The memory blocks sorted by type, None unless the Memory Manager pins memory."""
        held = self.of(MemoryHolding)
        return held.blocks if held else None

    @property
    def devices(self) -> Mapping[str, tuple[str, ...]] | None:
        """Resource to sorted device ids, of every manager that reports some; None on a machine without devices."""
        by_manager = [held.devices for held in self.holdings.values()]
        if self.of(DeviceHolding) is None and not any(by_manager):
            return None
        return {resource: ids for devices in by_manager for resource, ids in devices.items()}


@dataclass(frozen=True, slots=True)
class NodePools:
    """What the managers have left and kept back, in their order; ``of`` finds a manager's by its type."""

    values: tuple[object, ...]

    def of(self, kind: type[T]) -> T | None:
        """Return the pools of this type, None where no manager has such."""
        return _of(self.values, kind)

    @property
    def default(self) -> int:
        """The shared pool of CPUs."""
        cpus = self.of(CpuPools)
        return cpus.shared if cpus else 0

    @property
    def reserved(self) -> int | None:
        """The CPUs kept back for the system, None unless CPUs are given exclusively."""
        cpus = self.of(CpuPools)
        return cpus.reserved if cpus else None

    @property
    def allocatable(self) -> int | None:
        """The CPUs that are not reserved, None unless CPUs are given exclusively."""
        cpus = self.of(CpuPools)
        return cpus.allocatable if cpus else None

    @property
    def allocatable_cpus(self) -> CpuSet:
        """The CPUs that are not reserved, of which pods get exclusive ones; none unless CPUs are given exclusively."""
        return CpuSet.from_bits(self.allocatable or 0)

    @property
    def shared_cpus(self) -> CpuSet:
        """The CPUs of the shared pool."""
        return CpuSet.from_bits(self.default)

    @property
    def memory(self) -> Books | None:
        """The memory of every NUMA node, None unless the Memory Manager pins memory."""
        memory = self.of(MemoryPools)
        return memory.nodes if memory else None


class _WithPools:
    """An answer that tells the pools as they are after it."""

    __slots__ = ()
    pools: NodePools

    @property
    def default(self) -> int:
        """The shared pool of CPUs."""
        return self.pools.default

    @property
    def memory(self) -> Books | None:
        """The memory of every NUMA node, None unless the Memory Manager pins memory."""
        return self.pools.memory


@dataclass(frozen=True, slots=True)
class AdmissionResult(_WithPools):
    """The answer to one pod. ``reason`` and ``message`` are set when it is refused, and ``placements`` is then empty.

    ``resize``: it is on the node, and was to change in place; refused, it keeps what it has. ``preempted``: the uids of
    the pods that the kubelet ended for it.
    """

    uid: str
    qos: str
    pools: NodePools
    placements: Mapping[str, Placement] = field(default_factory=dict)
    reason: str | None = None
    message: str | None = None
    resize: bool = False
    preempted: tuple[str, ...] = ()

    @property
    def admitted(self) -> bool:
        """Say whether the pod is on the node, as it asks to be."""
        return self.reason is None

    @property
    def pod_phase(self) -> str:
        """The phase in the pod's status as a user sees it (CPU-ADM-06, TOPO-FAIL-05)."""
        return "Pending" if self.admitted or self.resize else "Failed"

    @property
    def pod_message(self) -> str | None:
        """The message in the pod's status as a user sees it."""
        return None if self.message is None or self.resize else f"Pod was rejected: {self.message}"


@dataclass(frozen=True, slots=True)
class NodeContents(_WithPools):
    """All that is on the node now: pod uid to container to placement."""

    pools: NodePools
    pods: Mapping[str, Mapping[str, Placement]]


@dataclass(frozen=True, slots=True)
class Skipped:
    """A container that a reconcile pass could not handle."""

    uid: str
    container: str


@dataclass(frozen=True, slots=True)
class ReconcileResult:
    """One pass of the reconcile loop: updates in the order sent, the number of containers handled, those skipped."""

    updates: tuple[Update, ...]
    handled: int
    skipped: tuple[Skipped, ...]


@dataclass(frozen=True, slots=True)
class RestartResult(_WithPools):
    """A node that came up again: every pod that was on it, admitted again in the order of first admission."""

    pods: tuple[AdmissionResult, ...]
    pools: NodePools
