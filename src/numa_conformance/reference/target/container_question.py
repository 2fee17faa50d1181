"""One container's CPUs and hints in a state that the question brings along: the surfaces allocate and hints."""

from typing import Any

from ...cpuset import CpuSet, format_bits
from ...errors import Fault, Refusal, StartError, UsageError
from ...kube import Container, FeatureGates, Pod
from ...wire.messages.allocate import Allocate, Allocated, AllocationRefused, PolicyRefused
from ...wire.messages.hints import Hints, OfferedHints
from ..managers.cpu import CpuManager, CpuState
from ..managers.eligibility import exclusive_cpus, pod_exclusive_cpus
from ..managers.hint import Hint
from .answers import hints_answer
from .readings import Readings

_PREFIX = "new static policy error: "


def ask_container(
    request: Allocate, affinity: Hint, readings: Readings
) -> Allocated | AllocationRefused | PolicyRefused:
    """Return hints before the allocation, and the allocation; raises ``KubeletHangs`` where the kubelet does."""
    try:
        manager, gates = _manager(request, readings)
    except StartError as error:
        return PolicyRefused(error.message.removeprefix(_PREFIX))
    pod = readings.pod(request.pod, "pod").under_gates(gates, readings.quirks.node)
    container = _container(pod, request.container)
    reply: dict[str, Any] = {
        "reserved_cpus": format_bits(manager.reserved),
        "guaranteed_cpus": exclusive_cpus(pod, container),
        "pod_guaranteed_cpus": pod_exclusive_cpus(pod),
        "hints": hints_answer(manager.hints(pod, container)),
        "pod_hints": hints_answer(manager.pod_hints(pod)),
    }
    try:
        manager.allocate(pod, container, affinity)
    except Refusal as refusal:
        return AllocationRefused(refusal.message, refusal.reason, **reply)
    return Allocated(
        format_bits(manager.state.assignments.get(pod.uid, {}).get(container.name, 0)),
        format_bits(manager.state.default),
        format_bits(manager.reusable[pod.uid]) if pod.uid in manager.reusable else None,
        **reply,
    )


def ask_hints(request: Hints, readings: Readings) -> OfferedHints:
    """Return the CPU hints of one container, or of the pod as a whole."""
    try:
        manager, gates = _manager(request, readings)
    except StartError as error:
        raise UsageError(Fault("kubelet", f"the node does not come up: {error.message}")) from error
    pod = readings.pod(request.pod, "pod").under_gates(gates, readings.quirks.node)
    if request.container is None:
        return OfferedHints(hints_answer(manager.pod_hints(pod)))
    return OfferedHints(hints_answer(manager.hints(pod, _container(pod, request.container))))


def _manager(request: Allocate | Hints, readings: Readings) -> tuple[CpuManager, FeatureGates]:
    manager, gates = readings.cpu_manager(request.machine, request.kubelet)
    state = request.state
    manager.state = CpuState(
        _bits(state.default, "state.default"),
        {
            uid: {name: _bits(cpus, f"state.assignments.{uid}.{name}") for name, cpus in containers.items()}
            for uid, containers in state.assignments.items()
        },
    )
    manager.reusable = {uid: _bits(cpus, f"state.reusable.{uid}") for uid, cpus in state.reusable.items()}
    return manager, gates


def _container(pod: Pod, name: str) -> Container:
    if not pod.has_container(name):
        raise UsageError(Fault("container", f"the pod has no container {name!r}"))
    return pod.container(name)


def _bits(text: str, place: str) -> int:
    try:
        return CpuSet.parse(text).bits
    except UsageError as error:
        raise error.within(place) from error
