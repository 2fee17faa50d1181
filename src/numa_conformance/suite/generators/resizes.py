"""Pods that are resized in place: within what there is, beyond it, beside static policies and without them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from functools import partial
from typing import Any

from ...cpuset import CpuSet
from ...machine import Machine, catalogue_names, load_machine
from .scenario import Scenario, Script
from .workloads import burstable, container, guaranteed, kubelet, pod, static

__all__ = ["resizes"]

LEAST_CPUS, MOST_CPUS, MACHINES = 8, 64, 5
HUGE = 1 << 50
"""Bytes that no machine has."""
STATIC, NONE, MEMORY = "cpu-manager/static", "cpu-manager/none", "memory-manager/static"


def resizes(claimed: frozenset[str], machines: Sequence[Machine] | None = None) -> Iterator[Scenario]:
    """Yield lives with resizes, on small machines, for each policy that is claimed; none without ``node/resize``."""
    if "node/resize" not in claimed:
        return
    known = map(load_machine, catalogue_names()) if machines is None else machines
    able = [machine for machine in known if LEAST_CPUS <= len(machine.cpus) <= MOST_CPUS and len(machine.core_bits) > 2]
    for machine in able[:MACHINES]:
        for name, config in _configurations(machine, claimed).items():
            yield Scenario("resize", name, machine, partial(_life, machine, config, claimed))


def _configurations(machine: Machine, claimed: frozenset[str]) -> Mapping[str, dict[str, Any]]:
    reserved = str(CpuSet.from_bits(machine.core_bits[0]))
    memory = {
        "memoryManagerPolicy": "Static",
        "kubeReserved": {"memory": "256Mi"},
        "reservedMemory": [{"numaNode": min(machine.numa_ids), "limits": {"memory": "356Mi"}}],
    }
    wanted = {
        "CPU policy none": ({NONE}, kubelet(cpuManagerPolicy="none", kubeReserved={"cpu": "1"})),
        "static CPUs": ({STATIC}, static(reserved=reserved)),
        "static CPUs, memory Static": ({STATIC, MEMORY}, static(reserved=reserved, more=memory)),
    }
    return {name: config for name, (needed, config) in wanted.items() if needed <= claimed}


def _life(machine: Machine, config: Mapping[str, Any], claimed: frozenset[str]) -> Script:
    """Resize pods of both classes, up and down, beyond what is left and what there is; then look, and restart."""
    yield "node.start", {"kubelet": config}
    cpus = len(machine.cpus)
    large = guaranteed("large", max(2, cpus // 4), "128Mi")
    shared = burstable("shared", 1)
    half = pod("half", [container("half", cpu="1500m", memory="64Mi")])
    for wanted in (large, shared, half):
        yield "node.admit", {"pod": wanted}
        yield "node.run", {"uid": wanted["metadata"]["uid"]}
    for wanted, amounts in (
        (shared, {"cpu": "2"}),
        (shared, {"cpu": str(cpus)}),
        (shared, {"memory": str(HUGE)}),
        (shared, {"cpu": str(cpus + 1)}),
        (large, {"cpu": str(max(2, cpus // 4) + 1)}),
        (large, {"memory": "256Mi"}),
        (half, {"cpu": "500m"}),
        (half, {"memory": "32Mi"}),
        (shared, {"cpu": "500m"}),
    ):
        yield "node.resize", {"pod": _with(wanted, amounts)}
        yield "node.state", {}
    if "node/restart" in claimed:
        yield "node.restart", {}
    yield "node.remove", {"uid": "large"}
    yield "node.resize", {"pod": _with(large, {"cpu": "2"})}
    yield "node.state", {}


def _with(whole: Mapping[str, Any], amounts: Mapping[str, str]) -> dict[str, Any]:
    """Return a pod whose first container has other amounts, wherever it has one."""
    changed = deepcopy(dict(whole))
    for side in changed["spec"]["containers"][0]["resources"].values():
        side.update({name: amount for name, amount in amounts.items() if name in side})
    return changed
