"""Strategies for kubelet configurations and pods."""

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from ...cpuset import CpuSet
from ...machine import Machine
from ...sources.options import STATIC_OPTIONS
from ...sources.policies import TOPOLOGY_POLICIES, TOPOLOGY_SCOPES
from ...wire.features import FEATURES
from ..generators.workloads import container, kubelet, pod, static

_ALL = frozenset(FEATURES)
_OPTION_SETS: tuple[tuple[str, ...], ...] = (
    (),
    *((name,) for name in STATIC_OPTIONS),
    ("full-pcpus-only", "distribute-cpus-across-numa"),
    ("full-pcpus-only", "prefer-align-cpus-by-uncorecache", "strict-cpu-reservation"),
)
_BY_SOCKET = "align-by-socket"
"""A node does not come up with it under single-numa-node, nor where sockets have no NUMA node of their own."""


@st.composite
def kubelet_configurations(draw: st.DrawFn, machine: Machine, features: frozenset[str] | None = None) -> dict[str, Any]:
    """Draw a KubeletConfiguration for a machine, within the features a target claims.

    The kubelet comes up with it. A reservation names whole cores, so that it leaves something to give.
    """
    features = _ALL if features is None else features
    if "cpu-manager/static" not in features or draw(st.integers(0, 9), label="policy none?") == 0:
        return kubelet(cpuManagerPolicy="none")
    possible = [names for names in _OPTION_SETS if {f"cpu-manager/{name}" for name in names} <= features]
    if len(machine.socket_bits) > len(machine.numa_ids):
        possible = [names for names in possible if _BY_SOCKET not in names]
    options = draw(st.sampled_from(possible), label="options")
    most = max(len(machine.core_bits) // 2, 1)
    cores = machine.core_bits[: draw(st.integers(1, min(most, 3)), label="reserved cores")]
    reserved = str(CpuSet.from_bits(sum(cores)))
    policies = [name for name in TOPOLOGY_POLICIES if f"topology-manager/{name}" in features]
    if _BY_SOCKET in options:
        policies = [name for name in policies if name != "single-numa-node"]
    if not policies:
        return static(*options, reserved=reserved)
    memory = draw(_memory(machine, features), label="memory manager")
    scopes = [name for name in TOPOLOGY_SCOPES if f"topology-manager/scope/{name}" in features] or ["container"]
    topology = draw(st.sampled_from(policies), label="topology policy")
    scope = draw(st.sampled_from(scopes), label="scope")
    return static(*options, reserved=reserved, topology=topology, scope=scope, more=memory)


@st.composite
def _memory(draw: st.DrawFn, machine: Machine, features: frozenset[str]) -> dict[str, Any]:
    """Draw the Memory Manager's part: None, or Static with the reservation on the largest NUMA node."""
    largest = max(machine.memory, key=lambda node: node.memory or 0)
    if "memory-manager/static" not in features or (largest.memory or 0) < 1 << 30 or not draw(st.booleans()):
        return {}
    return {
        "memoryManagerPolicy": "Static",
        "kubeReserved": {"memory": "256Mi"},
        "reservedMemory": [{"numaNode": largest.node, "limits": {"memory": "356Mi"}}],
    }


@st.composite
def containers(draw: st.DrawFn, name: str) -> dict[str, Any]:
    """Draw a container: whole CPUs, a fraction, a request without limits, or nothing."""
    kind = draw(st.sampled_from(("whole", "whole", "whole", "fraction", "request", "nothing")), label="kind")
    if kind == "whole":
        return container(name, cpu=str(draw(st.integers(1, 8), label="cpus")), memory="64Mi")
    if kind == "fraction":
        return container(name, cpu="1500m", memory="64Mi")
    if kind == "request":
        return container(name, requests={"cpu": "2", "memory": "64Mi"})
    return container(name)


@st.composite
def pods(
    draw: st.DrawFn, name: str, features: frozenset[str] | None = None, resources: Sequence[str] = ()
) -> dict[str, Any]:
    """Draw a pod of one or two containers, sometimes with an init container or a sidecar, or with a device."""
    features = _ALL if features is None else features
    apps = [draw(containers(f"c{index}")) for index in range(draw(st.integers(1, 2), label="containers"))]
    if resources and "device-manager/allocation" in features and draw(st.integers(0, 2), label="device?") == 0:
        apps[0]["resources"].setdefault("limits", {})[draw(st.sampled_from(list(resources)))] = "1"
    init: list[dict[str, Any]] = []
    if "cpu-manager/init-containers" in features and draw(st.integers(0, 3), label="init?") == 0:
        sidecar = draw(st.booleans(), label="sidecar")
        init = [container("i0", cpu=str(draw(st.integers(1, 4))), memory="64Mi", sidecar=sidecar)]
    return pod(name, apps, init=init)


@st.composite
def workloads(
    draw: st.DrawFn, *, max_pods: int = 8, features: frozenset[str] | None = None, resources: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Draw pods to admit one after the other, named ``p0``, ``p1`` and so on."""
    count = draw(st.integers(0, max_pods), label="pods")
    return [draw(pods(f"p{index}", features, resources)) for index in range(count)]
