"""``CpuState``: the shared pool and the exclusive CPUs of containers."""

from dataclasses import dataclass, field

import msgspec

from ....cpuset import format_bits, union
from ....errors import StartError
from ..provider import Holding


def _shown(cpus: int | None) -> str:
    """Write CPUs as a person reads them: a list, not the number whose bits they are."""
    return "None" if cpus is None else f"<{format_bits(cpus)}>"


@dataclass(frozen=True, slots=True)
class CpuHolding(Holding):
    """What one container holds: its exclusive CPUs, 0 when it runs in the shared pool."""

    exclusive: int

    def to_answer(self) -> str:
        """Return the CPUs in list format."""
        return format_bits(self.exclusive)

    def __repr__(self) -> str:
        return f"CpuHolding(exclusive={_shown(self.exclusive)})"


class CpuPools(msgspec.Struct, frozen=True):
    """The shared pool, the CPUs kept back for the system, and all others; the latter are None under policy none."""

    shared: int
    reserved: int | None
    allocatable: int | None

    def __repr__(self) -> str:
        shared, reserved, allocatable = map(_shown, (self.shared, self.reserved, self.allocatable))
        return f"CpuPools(shared={shared}, reserved={reserved}, allocatable={allocatable})"


@dataclass(slots=True)
class CpuState:
    """What the CPU Manager keeps, and what its state file holds.

    ``default`` is the shared pool as bits; ``assignments`` maps pod uid to container to exclusive CPUs. ``pods`` are
    the CPUs of pods that were given theirs as a whole (CPU-PLR-01): containers have parts of them, which may overlap.
    What is assigned to a pod is replaced, never changed: copies share it.
    """

    default: int = 0
    assignments: dict[str, dict[str, int]] = field(default_factory=dict)
    pods: dict[str, int] = field(default_factory=dict)

    def copy(self) -> "CpuState":
        """Return an independent copy."""
        return CpuState(self.default, dict(self.assignments), dict(self.pods))

    def cpus_of(self, uid: str, container: str) -> int:
        """Return the exclusive CPUs of a container, or the shared pool (CPU-POOL-03)."""
        containers = self.assignments.get(uid)
        return self.default if containers is None else containers.get(container, self.default)

    def exclusive_cpus_of(self, uid: str, container: str) -> int:
        """Return the exclusive CPUs of a container, 0 when it has none."""
        containers = self.assignments.get(uid)
        return 0 if containers is None else containers.get(container, 0)

    def assign(self, uid: str, container: str, cpus: int) -> None:
        """Move CPUs out of the shared pool to a container (CPU-STEP-07)."""
        self.default &= ~cpus
        self.assignments[uid] = {**self.assignments.get(uid, {}), container: cpus}

    def assign_pod(self, uid: str, cpus: int) -> None:
        """Move CPUs out of the shared pool to a pod as a whole."""
        self.default &= ~cpus
        self.pods[uid] = cpus

    def release(self, uid: str, container: str) -> int:
        """Give back what no other container of the pod holds (CPU-REUSE-08); return it.

        What a pod was given as a whole comes back with its last container.
        """
        containers = self.assignments.get(uid)
        if containers is None or container not in containers:
            return 0
        freed, rest = containers[container], {name: cpus for name, cpus in containers.items() if name != container}
        if uid in self.pods:
            freed = 0 if rest else self.pods.pop(uid)
        freed &= ~union(rest.values())
        self.assignments[uid] = rest
        if not rest:
            del self.assignments[uid]
        self.default |= freed
        return freed


_STAGE = "cpumanager-start"


def check_state(state: CpuState, every: int, reserved: int, *, strict: bool) -> CpuState:
    """Return the state to go on with; raise ``StartError`` with the kubelet's text when it does not fit.

    ``every`` is all CPUs. An empty state becomes a fresh one.
    """
    pool = every & ~reserved if strict else every
    if not state.default:
        if state.assignments:
            raise StartError(_STAGE, "default cpuset cannot be empty")
        return CpuState(pool)
    default = format_bits(state.default)
    if strict:
        if reserved & state.default:
            raise StartError(
                _STAGE,
                f'some of strictly reserved cpus: "{format_bits(reserved & state.default)}" '
                f'are present in defaultCpuSet: "{default}"',
            )
    elif reserved & ~state.default:
        raise StartError(
            _STAGE, f'not all reserved cpus: "{format_bits(reserved)}" are present in defaultCpuSet: "{default}"'
        )
    known = union((state.default, *state.pods.values()))
    for uid, containers in state.assignments.items():
        for container, cpus in containers.items():
            if cpus & state.default:
                raise StartError(
                    _STAGE,
                    f'pod: {uid}, container: {container} cpuset: "{format_bits(cpus)}" '
                    f'overlaps with default cpuset "{default}"',
                )
            known |= cpus
    if known != pool:
        raise StartError(
            _STAGE,
            f'current set of available CPUs "{format_bits(pool)}" '
            f'doesn\'t match with CPUs in state "{format_bits(known)}"',
        )
    return state.copy()
