"""Relations: the same pods are asked for again and again, where no less is free than when they were admitted."""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ...judging.start_subjects import MOST_NODES
from ...machine import machine_to_dict
from ...sources.options import STATIC_OPTIONS
from .cells import Cell, are_too_many
from .scenario import Scenario, Script, admit, come_and_go, remove
from .walks import Walk
from .workloads import container, pod

Json = dict[str, Any]
PODS, LESS = 3, 0.5
FAR = 64
"""How far a machine is from another one beside it."""


def related(cells: Iterable[Cell], claimed: frozenset[str], *, seed: int = 0) -> Iterator[Scenario]:
    """Yield for each cell a life in which a few pods come and go, each time with as much free or more."""
    for number, cell in enumerate(cells):
        name = f"relation {seed} {number} {cell.machine.name} {cell.name}"
        yield Scenario("relation", cell.name, cell.machine, partial(_life, cell, claimed, name), seed)


def _life(cell: Cell, claimed: frozenset[str], name: str) -> Script:
    lot = random.Random(name)
    walk = Walk(cell, claimed, lot)
    if not (yield from walk.begin()):
        return
    pods = [walk.by_nodes(alone=True), *(walk.alone() for _ in range(PODS))]
    yield from come_and_go(pods)
    yield from walk.fragment()
    for order in (1, -1):
        yield from _together(pods[-2:], order)
        yield from come_and_go(pods)
    if "cpu-manager/init-containers" in claimed:
        yield from come_and_go([_with_init(wanted, lot) for wanted in pods])
    if "node/restart" in claimed:
        restarted = yield "node.restart", {}
        if restarted.get("result") != "restarted":
            return
        yield from come_and_go(pods)
    for uid in list(walk.pods)[::2]:
        yield "node.remove", {"uid": uid}
    yield from come_and_go(pods)
    written, described = _written_otherwise(walk.kubelet, claimed), machine_to_dict(cell.machine)
    turned = {name: list(reversed(described[name])) for name in ("cpus", "devices") if described.get(name)}
    for machine, kubelet, variants in (
        (described, walk.kubelet, pods),
        ({**described, **turned}, written, [_renamed(wanted) for wanted in pods]),
        (_twice(cell), walk.kubelet, pods),
    ):
        if machine is not None:
            yield "node.start", {"machine": machine, "kubelet": kubelet}
            yield from come_and_go(variants)


def _together(pods: Sequence[Json], order: int) -> Script:
    """Ask for pods one after the other; what is admitted goes in the order in which it came, or in reverse (-1)."""
    there = []
    for wanted in pods:
        if (yield admit(wanted)).get("result") == "admitted":
            there.append(wanted["metadata"]["uid"])
    for uid in there[::order]:
        yield remove(uid)


def _with_init(wanted: Mapping[str, Any], lot: random.Random) -> Json:
    """Add one or two init containers that ask for as much as the app container, or for fewer CPUs and devices."""
    (app,) = wanted["spec"]["containers"]
    resources = app.get("resources") or {}
    request = {**resources.get("limits", {}), **resources.get("requests", {})}
    if "limits" not in resources:
        return pod(wanted["metadata"]["uid"], [app], init=[container("i")])
    cpu = request.get("cpu", "0")
    size = int(cpu) if cpu.isdigit() else 0
    less = str(lot.randint(1, size)) if size and lot.random() < LESS else cpu
    sizes = [cpu, less] if lot.random() < LESS else [less]
    others = {
        name: str(lot.randint(1, int(text))) if "/" in name and lot.random() < LESS else text
        for name, text in resources["limits"].items()
    }
    limits = [{**others, "cpu": cpus} for cpus in sizes]
    init = [{"name": f"i{n}", "image": "example", "resources": {"limits": amounts}} for n, amounts in enumerate(limits)]
    return pod(wanted["metadata"]["uid"], [app], init=init)


def _written_otherwise(kubelet: Json, claimed: frozenset[str]) -> Json:
    """Write the same configuration otherwise: what is off left out, or what was left out off; the order reversed."""
    config = dict(reversed(kubelet.items()))
    if config.get("cpuManagerPolicy") == "static":
        written = config.get("cpuManagerPolicyOptions", {})
        options = {name: "true" for name, text in reversed(written.items()) if text == "true"}
        if len(options) == len(written):
            known = (name for name in STATIC_OPTIONS if f"cpu-manager/{name}" in claimed)
            options |= dict.fromkeys((name for name in known if name not in options), "false")
        config["cpuManagerPolicyOptions"] = options
        config["featureGates"] = {"CPUManagerPolicyAlphaOptions": True}
    if "topologyManagerPolicy" in config:
        config.setdefault("topologyManagerScope", "container")
    return config


def _renamed(wanted: Mapping[str, Any]) -> Json:
    """Call a pod and its container by other names, which say nothing."""
    uid = wanted["metadata"]["uid"]
    return pod(f"z-{uid}", [{**each, "name": f"other-{each['name']}"} for each in wanted["spec"]["containers"]])


def _twice(cell: Cell) -> Json | None:
    """Tell a machine beside which there is another one like it, with no devices; None where that is too large."""
    machine = cell.machine
    if 2 * len(machine.numa_ids) > MOST_NODES or max(machine.numa_ids) > MOST_NODES:
        return None
    if cell.topology != "none" and are_too_many(machine, 2 * cell.opinions):
        return None
    described = machine_to_dict(machine)
    offsets = {"id": max(cpu.id for cpu in machine.cpus) + 1}
    for name in ("core", "socket", "numa", "uncore"):
        offsets[name] = max((cpu[name] for cpu in described["cpus"] if cpu[name] is not None), default=0) + 1
    nodes = offsets["numa"] = max(machine.numa_ids) + 1

    def other(cpu: Json) -> Json:
        return {**cpu, **{name: cpu[name] + more for name, more in offsets.items() if cpu[name] is not None}}

    memory = [{**node, "node": node["node"] + nodes} for node in described["memory"]]
    distances = machine.distances and [
        *([*row, *(FAR for _ in row)] for row in machine.distances),
        *([*(FAR for _ in row), *row] for row in machine.distances),
    ]
    return {
        **{name: value for name, value in described.items() if name != "offline"},
        "cpus": [*described["cpus"], *map(other, described["cpus"])],
        "memory": [*described["memory"], *memory],
        "distances": distances,
    }
