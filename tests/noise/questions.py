"""What the suite's questions rarely have, and some quirks need: made of other questions, for the search of probes.

A life of a node goes on with a start anew or a resize, its pods have resources as a whole, its NUMA nodes lie past 63.
NUMA nodes of a merge are numbered otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import msgspec

from numa_conformance.machine import Machine
from numa_conformance.sources.gates import GATES
from numa_conformance.wire.history.history import History, Step

LONGEST, MOST_CPUS = 12, 32
"""Longer histories and larger machines are left alone: there are enough others."""
WHOLE = "PodLevelResources"
ON = dict.fromkeys((WHOLE, "PodLevelResourceManagers", "PodLevelResourcesFixDefaulting"), True)
OFF = {WHOLE: False, **{gate.name: False for gate in GATES.values() if WHOLE in gate.needs}}
FAR = 60
CLOSEST = {"prefer-closest-numa-nodes": "true"}
Json = Mapping[str, Any]


def rare(surface: str, histories: Iterable[History]) -> Iterator[History]:
    """Yield what is made of histories of a surface."""
    for history in histories:
        if len(history.steps) <= LONGEST and len(history.head.machine.cpus) <= MOST_CPUS:
            for made in MADE.get(surface, ()):
                yield from made(history)


def restarts(history: History) -> Iterator[History]:
    """End a life after each pod that goes, and at its end, with a start anew, at once or later."""
    for number, step in enumerate(history.steps, 1):
        if step.method == "node.remove" or number == len(history.steps):
            for params in ({}, {"at_once": True}):
                yield History(history.head, (*history.steps[:number], Step("node.restart", params)))


def resizes(history: History) -> Iterator[History]:
    """Let a pod that has come ask for twice the CPUs, or for half of them."""
    for step in history.steps:
        if step.method == "node.admit":
            for times in (2, 0.5):
                pod = _each_container(step.params["pod"], lambda resources, times=times: _more(resources, times))
                yield History(history.head, (*history.steps, Step("node.resize", {"pod": pod})))


def as_a_whole(history: History) -> Iterator[History]:
    """Give pods resources of their own: what their containers ask for together, with limits or without."""
    for gates in (ON, OFF, {WHOLE: True}):
        for scope in ("pod", "container"):
            for sides in (("requests", "limits"), ("requests",)):
                told = {"featureGates": gates, "topologyManagerScope": scope}
                yield _with_pods(_with_kubelet(history, told), lambda pod, sides=sides: _summed(pod, sides))


def classes_as_a_whole(history: History) -> Iterator[History]:
    """Ask for the class of pods with resources of their own."""
    for sides in (("requests", "limits"), ("requests",)):
        yield _with_pods(history, lambda pod, sides=sides: _summed(pod, sides))


def far_nodes(history: History) -> Iterator[History]:
    """Number the NUMA nodes from ``FAR`` on; the Memory Manager, which minds too, is off."""
    machine = _from(history.head.machine, FAR)
    told = {"topologyManagerPolicy": "best-effort", "memoryManagerPolicy": "None", "reservedMemory": []}
    yield _with_kubelet(History(replace(history.head, machine=machine), history.steps), told)


def other_ids(history: History) -> Iterator[History]:
    """Number the NUMA nodes of a merge with gaps, and tell distances."""
    for step in history.steps:
        yield History(history.head, (Step(step.method, _renumbered(step.params, lambda id: 3 * id)),))


def odd_shapes(history: History) -> Iterator[History]:
    """Turn the points of a shape round, or tell a shape beside another type of scoring."""
    for step in history.steps:
        shape = (step.params["strategy"].get("requestedToCapacityRatio") or {}).get("shape")
        if shape:
            turned = {"requestedToCapacityRatio": {"shape": [*reversed(shape)]}}
            for more in (turned, {"type": "MostAllocated"}):
                strategy = {**step.params["strategy"], **more}
                yield History(history.head, (Step(step.method, {**step.params, "strategy": strategy}),))


def uneven_pages(history: History) -> Iterator[History]:
    """Let one NUMA node list huge pages, let pods ask for more memory than a node has, and start anew."""
    first, *others = history.head.machine.memory
    if not others:
        return
    listed = replace(first, hugepages={"1Gi": 1})
    bare = [replace(node, hugepages={}) for node in others]
    machine = replace(history.head.machine, memory=(listed, *bare))
    wide = f"{first.memory * 5 // 4}"
    wider = _with_pods(
        History(replace(history.head, machine=machine), history.steps),
        lambda pod: _each_container(pod, lambda resources: _with_memory(resources, wide)),
    )
    yield History(wider.head, (*wider.steps, Step("node.restart", {})))


MADE: Mapping[str, tuple[Callable[[History], Iterator[History]], ...]] = {
    "node": (restarts, resizes, as_a_whole, far_nodes, uneven_pages),
    "merge": (other_ids,),
    "score": (odd_shapes,),
    "classify": (classes_as_a_whole,),
}


def _with_kubelet(history: History, more: Json) -> History:
    steps = [
        replace(step, params={**step.params, "kubelet": {**step.params["kubelet"], **more}}, answer=None)
        if isinstance(step.params.get("kubelet"), Mapping)
        else replace(step, answer=None)
        for step in history.steps
    ]
    return History(history.head, tuple(steps))


def _with_pods(history: History, change: Callable[[Json], Json]) -> History:
    steps = [
        replace(step, params={**step.params, "pod": change(step.params["pod"])}) if "pod" in step.params else step
        for step in history.steps
    ]
    return History(history.head, tuple(steps))


def _each_container(pod: Json, change: Callable[[Json], Json]) -> Json:
    containers = [{**each, "resources": change(each.get("resources") or {})} for each in pod["spec"]["containers"]]
    return {**pod, "spec": {**pod["spec"], "containers": containers}}


def _more(resources: Json, times: float) -> Json:
    told = {side: dict(resources.get(side) or {}) for side in ("requests", "limits")}
    for amounts in told.values():
        if "cpu" in amounts:
            amounts["cpu"] = f"{int(_milli(amounts['cpu']) * times)}m"
    return told


def _with_memory(resources: Json, memory: str) -> Json:
    return {side: {**amounts, "memory": memory} for side, amounts in resources.items() if amounts}


def _summed(pod: Json, sides: Iterable[str]) -> Json:
    whole: dict[str, dict[str, str]] = {}
    for side in sides:
        cpus = [_amount(each, side, "cpu") for each in pod["spec"]["containers"]]
        memory = [_amount(each, side, "memory") for each in pod["spec"]["containers"]]
        if all(cpus) and all(memory):
            whole[side] = {"cpu": f"{sum(map(_milli, cpus))}m", "memory": memory[0] if len(memory) == 1 else "8Gi"}
    return {**pod, "spec": {**pod["spec"], "resources": whole}} if whole else pod


def _amount(container: Json, side: str, name: str) -> str:
    resources = container.get("resources") or {}
    given = resources.get(side) or {}
    return str(given.get(name) or (resources.get("limits") or {}).get(name) or "")


def _milli(cpu: str) -> int:
    text = str(cpu)
    return int(float(text[:-1])) if text.endswith("m") else int(float(text) * 1000)


def _from(machine: Machine, first: int) -> Machine:
    """Return a machine whose NUMA nodes are numbered from one on."""
    return replace(
        machine,
        cpus=tuple(msgspec.structs.replace(cpu, numa=cpu.numa + first) for cpu in machine.cpus),
        memory=tuple(replace(node, node=node.node + first) for node in machine.memory),
        devices=(),
    )


def _renumbered(params: Json, new: Callable[[int], int]) -> Json:
    """Return a question of merge by distance, with other ids: NUMA nodes are as far apart as their ids."""
    nodes = [new(id) for id in params["nodes"]]
    providers = [
        provider
        and {
            name: hints and [{**hint, "nodes": hint["nodes"] and [new(id) for id in hint["nodes"]]} for hint in hints]
            for name, hints in provider.items()
        }
        for provider in params["providers"]
    ]
    distances = [[10 + abs(one - other) for other in nodes] for one in nodes]
    return {**params, "nodes": nodes, "providers": providers, "distances": distances, "options": CLOSEST}
