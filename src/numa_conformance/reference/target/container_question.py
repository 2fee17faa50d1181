"""One container's CPUs and hints in a state that the question brings along: the surfaces allocate and hints.

Many questions bring along the same machine, pod and configuration: what was read of them before is kept.
"""

import copy
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import msgspec

from ...cpuset import CpuSet, format_bits
from ...errors import Fault, Refusal, StartError, UsageError, faults_within
from ...kube import Container, FeatureGates, KubeletConfiguration, Pod, validate
from ...sources.changes import Changes
from ...sources.quirks import Quirks
from ...sources.versions import KubernetesVersion
from ...wire.messages.allocate import Allocate, Allocated, AllocationRefused, PolicyRefused
from ...wire.messages.hints import Hints, OfferedHints
from ..managers.cpu import CpuManager, CpuState, make_cpu_manager
from ..managers.eligibility import exclusive_cpus, pod_exclusive_cpus
from ..managers.hint import Hint
from .answers import hints_answer
from .pick import cpu_topology

_T = TypeVar("_T")
_MOST = 512
"""Objects that are kept of one target."""


class Readings:
    """Objects that one target has read. Each is immutable, and the same for the same JSON; nothing refused is kept.

    ``version``, ``quirks`` and ``changes`` are those that the target shows.
    """

    def __init__(self, version: KubernetesVersion, quirks: Quirks, changes: Changes | None) -> None:
        self.version, self.quirks, self.changes = version, quirks, changes
        self._kept: dict[Hashable, Any] = {}

    def pod(self, obj: object, place: str, *, validate: bool = True) -> Pod:
        """Return a pod; raises ``UsageError``."""
        return self._once((place, validate), obj, lambda: Pod.from_dict(obj, place, validate=validate))

    def configuration(self, obj: object) -> KubeletConfiguration:
        """Return a configuration; raises ``UsageError``."""
        return self._once("kubelet", obj, lambda: KubeletConfiguration.from_dict(obj, "kubelet"))

    def startable(self, obj: object, version: KubernetesVersion) -> KubeletConfiguration:
        """Return a configuration as a version takes it; raises ``UsageError``, and ``StartError`` where it refuses."""

        def make() -> KubeletConfiguration:
            config = self.configuration(obj)
            validate(config, version)
            return config.at(version)

        return self._once(version, obj, make)

    def cpu_manager(self, machine: dict[str, Any], kubelet: object) -> tuple[CpuManager, FeatureGates]:
        """Return a CPU Manager to give a state to; raises ``UsageError``, and ``StartError`` for what cannot start."""

        def make() -> tuple[CpuManager, FeatureGates]:
            config, quirks = self.configuration(kubelet).at(self.version), self.quirks.cpu
            gates = FeatureGates.build(self.version, config.feature_gates, self.changes)
            return make_cpu_manager(cpu_topology(machine, quirks), config, gates, quirks), gates

        manager, gates = self._once("manager", (machine, kubelet), make)
        return copy.copy(manager), gates

    def _once(self, kind: Hashable, obj: object, read: Callable[[], _T]) -> _T:
        key = kind, msgspec.json.encode(obj)
        if key in self._kept:
            known: _T = self._kept[key]
            return known
        if len(self._kept) >= _MOST:
            self._kept.clear()
        self._kept[key] = value = read()
        return value


def ask_container(
    request: Allocate, affinity: Hint, readings: Readings
) -> Allocated | AllocationRefused | PolicyRefused:
    """Return hints before the allocation, and the allocation; raises ``KubeletHangs`` where the kubelet does."""
    try:
        manager, gates = _manager(request, readings)
    except StartError as error:
        return PolicyRefused(error.message.removeprefix("new static policy error: "))
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
    with faults_within(place):
        return CpuSet.parse(text).bits
