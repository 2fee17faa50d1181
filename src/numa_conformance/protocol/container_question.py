"""One container's CPUs and hints in a state that the question brings along: the surfaces allocate and hints."""

from __future__ import annotations

from typing import Any

from ..cpuset import CpuSet, format_bits
from ..documentation.quirks.cpu import CpuQuirks
from ..documentation.versions import KubernetesVersion
from ..errors import Fault, KubeletFails, Refusal, StartError, UsageError
from ..kube import Container, FeatureGates, KubeletConfiguration, Pod
from ..managers.cpu import CpuManager, CpuState, make_cpu_manager
from ..managers.eligibility import exclusive_cpus, pod_exclusive_cpus
from ..managers.hint import Hint
from . import wire
from .answers import hints_answer
from .view import cpu_topology

__all__ = ["ask_container", "ask_hints"]

_PREFIX = "new static policy error: "


def ask_container(
    request: wire.Allocate, affinity: Hint, version: KubernetesVersion, quirks: CpuQuirks
) -> dict[str, Any]:
    """Return hints before the allocation and the allocation, in the form of a ``cpu-static`` decision."""
    try:
        manager, gates = _manager(request, version, quirks)
    except StartError as error:
        return {"construction_error": error.message.removeprefix(_PREFIX)}
    pod = Pod.from_dict(request.pod, "pod").as_seen(gates)
    container = _container(pod, request.container)
    return {
        "reserved_cpus": format_bits(manager.reserved),
        "guaranteed_cpus": exclusive_cpus(pod, container),
        "pod_guaranteed_cpus": pod_exclusive_cpus(pod),
        "hints": hints_answer(manager.hints(pod, container)),
        "pod_hints": hints_answer(manager.pod_hints(pod)),
        "allocate": _allocate(manager, pod, request.container, affinity),
    }


def ask_hints(request: wire.Hints, version: KubernetesVersion, quirks: CpuQuirks) -> dict[str, Any] | None:
    """Return the CPU hints of one container, or of the pod as a whole."""
    try:
        manager, gates = _manager(request, version, quirks)
    except StartError as error:
        raise UsageError(Fault("kubelet", f"the node does not come up: {error.message}")) from error
    pod = Pod.from_dict(request.pod, "pod").as_seen(gates)
    if request.container is None:
        return hints_answer(manager.pod_hints(pod))
    return hints_answer(manager.hints(pod, _container(pod, request.container)))


def _manager(
    request: wire.Allocate | wire.Hints, version: KubernetesVersion, quirks: CpuQuirks
) -> tuple[CpuManager, FeatureGates]:
    config = KubeletConfiguration.from_dict(request.kubelet, "kubelet").at(version)
    gates = FeatureGates.build(version, config.feature_gates)
    manager = make_cpu_manager(cpu_topology(request.machine, quirks), config, gates, quirks)
    state = request.state
    manager.state = CpuState(
        _bits(state.default, "state.default"),
        {
            uid: {name: _bits(cpus, f"state.assignments.{uid}.{name}") for name, cpus in own.items()}
            for uid, own in state.assignments.items()
        },
    )
    manager.reusable = {uid: _bits(cpus, f"state.reusable.{uid}") for uid, cpus in state.reusable.items()}
    return manager, gates


def _container(pod: Pod, name: str) -> Container:
    if not pod.has_container(name):
        raise UsageError(Fault("container", f"the pod has no container {name!r}"))
    return pod.container(name)


def _allocate(manager: CpuManager, pod: Pod, name: str, affinity: Hint) -> dict[str, Any]:
    try:
        manager.allocate(pod, pod.container(name), affinity)
    except Refusal as refusal:
        return {"error": {"reason": refusal.reason, "message": refusal.message}}
    except KubeletFails as error:
        return {"error": {"message": str(error)}}
    own = manager.state.assignments.get(pod.uid, {}).get(name, 0)
    answer = {"cpus": format_bits(own), "default_cpuset": format_bits(manager.state.default)}
    if pod.uid in manager.reusable:
        answer["reusable"] = format_bits(manager.reusable[pod.uid])
    return answer


def _bits(text: str, place: str) -> int:
    try:
        return CpuSet.parse(text).bits
    except UsageError as error:
        raise error.within(place) from error
