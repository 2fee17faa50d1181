"""Pods that are resized in place: within what there is, beyond it, beside static policies and without them.

Pods are of every kind: with one or several containers that have CPUs of their own, that share, that have devices.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from functools import partial
from itertools import cycle, product
from typing import Any

from ...judging.pods import PodSpec
from ...machine import Machine
from .cells import alignments, devices_near
from .scenario import Scenario, Script, or_the_catalogue
from .workloads import container, kubelet, pinning, pod, static

LEAST_CPUS, MOST_CPUS, MACHINES = 8, 64, 4
HUGE = 1 << 50
"""Bytes that no machine has."""
STATIC, NONE, MEMORY = "cpu-manager/static", "cpu-manager/none", "memory-manager/static"
DEVICES, INIT = "device-manager/allocation", "cpu-manager/init-containers"
CHANGES: tuple[Mapping[str, str], ...] = (
    {"cpu": "1"},
    {"cpu": "3"},
    {"cpu": "500m"},
    {"memory": "32Mi"},
    {"memory": "256Mi"},
    {"cpu": "2", "memory": "96Mi"},
)
"""What a container is to ask for in place of what it does."""
BY_LOT, MOST_DEVICES, EACH = 10, 6, "example.com/device"
"""Resizes drawn for each life; devices of each NUMA node, and their resource."""


def resizes(claimed: frozenset[str], machines: Sequence[Machine] | None = None) -> Iterator[Scenario]:
    """Yield lives with resizes, on small machines, for each policy that is claimed; none without ``node/resize``."""
    if "node/resize" not in claimed:
        return
    known = or_the_catalogue(machines)
    able = [machine for machine in known if LEAST_CPUS <= len(machine.cpus) <= MOST_CPUS and len(machine.core_bits) > 2]
    lives = product(able[:MACHINES], _configurations(claimed))
    for (machine, (name, configure)), aligning in zip(lives, cycle(alignments(claimed)), strict=False):
        config = configure(machine) | aligning
        with_devices = _with_devices(machine) if DEVICES in claimed else machine
        yield Scenario("resize", name, with_devices, partial(_life, with_devices, config, claimed, name))


def _configurations(claimed: frozenset[str]) -> list[tuple[str, Callable[[Machine], dict[str, Any]]]]:
    """Return the configurations of CPU and Memory Manager that are claimed, by their names."""
    known: tuple[tuple[str, frozenset[str], Callable[[Machine], dict[str, Any]]], ...] = (
        ("CPU policy none", frozenset({NONE}), lambda _: kubelet(cpuManagerPolicy="none", kubeReserved={"cpu": "1"})),
        ("static CPUs", frozenset({STATIC}), _static),
        (
            "static CPUs, memory Static",
            frozenset({STATIC, MEMORY}),
            lambda machine: _static(machine) | pinning(min(machine.numa_ids)),
        ),
    )
    return [(name, configure) for name, needed, configure in known if needed <= claimed]


def _static(machine: Machine) -> dict[str, Any]:
    return static(reserved=machine.core_bits[0])


def _with_devices(machine: Machine) -> Machine:
    devices = devices_near(EACH, machine.numa_ids, MOST_DEVICES)
    return replace(machine, name=f"{machine.name} with devices to resize beside", devices=devices)


def _life(machine: Machine, config: Mapping[str, Any], claimed: frozenset[str], name: str) -> Script:
    """Resize containers of pods of every kind up and down, beyond what is left and what there is; look, and restart."""
    lot = random.Random(f"resizes {machine.name} {name}")
    yield "node.start", {"kubelet": config}
    cpus = len(machine.cpus)
    pods = _pods(cpus, claimed)
    for wanted in pods:
        yield "node.admit", {"pod": wanted}
        yield "node.run", {"uid": wanted["metadata"]["uid"]}
    yield "node.state", {}
    all_ways = [
        (wanted, place, more) for wanted in pods for place, more in product(range(len(_containers(wanted))), CHANGES)
    ]
    shared, large = pods[0], pods[1]
    ways = [
        *((shared, 0, more) for more in ({"cpu": "2"}, {"cpu": str(cpus)}, {"memory": str(HUGE)})),
        *((shared, 0, more) for more in ({"cpu": str(cpus + 1)}, {"cpu": "500m"})),
        (large, 0, {"cpu": str(max(2, cpus // 4) + 1)}),
        (large, 0, {"memory": "256Mi"}),
        *((wanted, 0, {"cpu": str(cpus - 1)}) for wanted in pods[1:]),
        *lot.sample(all_ways, BY_LOT),
    ]
    for wanted, place, more in ways:
        answer = yield "node.resize", {"pod": _with(wanted, place, more)}
        if answer.get("result") == "resized" and "cpu-manager/reconcile" in claimed:
            yield "node.reconcile", {}
        yield "node.state", {}
    if "node/restart" in claimed:
        yield "node.restart", {}
    yield "node.remove", {"uid": "large"}
    yield "node.resize", {"pod": _with(large, 0, {"cpu": "2"})}
    yield "node.admit", {"pod": pod("late", [container("c", requests={"memory": "64Mi"})])}  # what waits waits on
    yield "node.state", {}


def _pods(cpus: int, claimed: frozenset[str]) -> list[dict[str, Any]]:
    """Describe a Burstable pod, and Guaranteed ones of one container and of several, whole CPUs and fractions."""
    whole, fraction = container("own", cpu="1", memory="64Mi"), container("fraction", cpu="500m", memory="64Mi")
    device = {EACH: "1"} if DEVICES in claimed else {}
    pods = [
        pod("shared", [container("c", requests={"cpu": "1", "memory": "64Mi", **device}, other=device)]),
        pod("large", [container("c", cpu=str(max(2, cpus // 4)), memory="128Mi", other=device)]),
        pod("two", [container("other", cpu="1", memory="64Mi", other=device), whole]),
        pod("mixed", [fraction, whole]),
        pod("several", [container(name, requests={"cpu": "200m", "memory": "64Mi"}) for name in ("a", "b")]),
        pod("half", [container("half", cpu="1500m", memory="64Mi", other=device)]),
    ]
    if INIT in claimed:
        pods.append(pod("beside", [fraction], init=[container("s", cpu="1", memory="64Mi", sidecar=True)]))
        light = {"cpu": "200m", "memory": "64Mi"}
        sidecar = container("s", requests=light, sidecar=True)
        pods.append(pod("light", [container("c", requests=light)], init=[sidecar]))
    return pods


def _containers(whole: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the containers, which all may be resized: those before the apps are sidecars."""
    return [*whole["spec"].get("initContainers", ()), *whole["spec"]["containers"]]


def resized_by_lot(whole: Mapping[str, Any], lot: random.Random) -> dict[str, Any]:
    """Return a pod of which one app container or sidecar has other amounts, and whose class is what it was."""
    apps = len(whole["spec"]["containers"])
    early = [each.get("restartPolicy") == "Always" for each in whole["spec"].get("initContainers", ())]
    able = [place for place, is_sidecar in enumerate([*early, *[True] * apps]) if is_sidecar]
    changed = _with(whole, lot.choice(able), lot.choice(CHANGES))
    return changed if PodSpec.of(changed).qos == PodSpec.of(whole).qos else dict(whole)


def _with(whole: Mapping[str, Any], place: int, amounts: Mapping[str, str]) -> dict[str, Any]:
    """Return a pod of which one container has other amounts, wherever it has one."""
    changed = deepcopy(dict(whole))
    for side in _containers(changed)[place]["resources"].values():
        side.update({name: amount for name, amount in amounts.items() if name in side})
    return changed
