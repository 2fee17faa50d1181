"""Whether a stored state fits this machine and configuration (CPU-CKPT-11..16)."""

from __future__ import annotations

from ....cpuset import format_bits
from ....errors import StartError
from .cpu_state import CpuState

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
    known = state.default
    for uid, containers in state.assignments.items():
        for container, cpus in containers.items():
            if cpus & state.default:
                raise StartError(
                    _STAGE,
                    f'pod: {uid}, container: {container} cpuset: "{format_bits(cpus)}" '
                    f'overlaps with default cpuset "{default}"',
                )
            known |= cpus
    for cpus in state.pods.values():
        known |= cpus
    if known != pool:
        raise StartError(
            _STAGE,
            f'current set of available CPUs "{format_bits(pool)}" '
            f'doesn\'t match with CPUs in state "{format_bits(known)}"',
        )
    return state.copy()
