"""Odd machines, on which code that is right everywhere else goes wrong, and what is asked on them.

Cores with unequal online threads, caches of any size, NUMA nodes with gaps between their ids, huge pages beyond the
memory of a node. Level ``exact`` is compared with the kubelet's own managers on them; no requirement is judged there.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from odd_resizes import GATES, resized_at_random
from odd_scores import odd_scores

from numa_conformance.asking.generators.allocations import allocation_sweep, hint_sweep
from numa_conformance.asking.generators.cell_kubelets import kubelet_of
from numa_conformance.asking.generators.cells import RESERVATIONS, Cell
from numa_conformance.asking.generators.picks import OPTION_SETS
from numa_conformance.asking.generators.scenario import Question, Scenario, Script, ask_all
from numa_conformance.asking.generators.walks import walks
from numa_conformance.asking.generators.workloads import container, pod
from numa_conformance.cpuset import bits_of, format_bits, iter_bits
from numa_conformance.machine import Cpu, Device, Machine, MemoryNode
from numa_conformance.sources.policies import TOPOLOGY_POLICIES

__all__ = ["odd_machine", "odd_scenarios"]

MIB, GIB = 2**20, 2**30
STRICT = "strict-cpu-reservation"
CLOSEST = "prefer-closest-numa-nodes"
TOPOLOGY_GATES = {"TopologyManagerPolicyOptions": True, "TopologyManagerPolicyBetaOptions": True}
SCORED = frozenset(
    f"scheduler/{name}" for name in ("least-allocated", "most-allocated", "requested-to-capacity-ratio", "filter")
)
COUNTS = 8
"""Questions for a choice, a merge or a score, on one machine in one state of use."""
PICKS, SWEPT = 3, 2
"""Scenarios of choices for one life of a node, and of allocations and hints."""
STRANGE_NODES, NONE_STRANGE = (-1, 63), 0.6
"""NUMA nodes of devices that no machine here has, and how many machines have none of these."""
NUMBERED = ((0, 1), (0, 2), (1, 1), (0, 8), (2, 3))
"""First id of a NUMA node, and the distance to the next."""


def odd_machine(lot: random.Random) -> Machine:
    """Draw a machine of at most 48 CPUs and four NUMA nodes."""
    first, step = lot.choice(NUMBERED)
    nodes = [first + step * place for place in range(lot.randint(1, 4))]
    threads = lot.choice((1, 2, 2, 2, 4))
    cpus: list[Cpu] = []
    offline: list[int] = []
    core = cache = 0
    share = lot.choice((0, 0.1, 0.3, 0.5))
    for place, node in enumerate(nodes):
        for _ in range(lot.randint(1, 3)):
            for _ in range(lot.randint(1, max(1, 12 // (threads * len(nodes))))):
                ids = range(core * threads, (core + 1) * threads)
                gone = {cpu for cpu in ids if lot.random() < share}
                cpus += [Cpu(cpu, core, place // 2, node, cache) for cpu in ids if cpu not in gone]
                offline += gone
                core += 1
            cache += 1
        if not any(cpu.numa == node for cpu in cpus):
            back = offline.pop()
            cpus.append(Cpu(back, back // threads, place // 2, node, cache - 1))
    return Machine(
        f"odd {len(nodes)} nodes, {len(cpus)} CPUs",
        tuple(sorted(cpus, key=lambda cpu: cpu.id)),
        tuple(_memory(node, lot) for node in nodes),
        distances=_distances(len(nodes), lot),
        devices=_devices(nodes, lot),
        offline=tuple(sorted(offline)),
    )


def _memory(node: int, lot: random.Random) -> MemoryNode:
    """Draw memory; huge pages may take more than there is."""
    gib = lot.randint(1, 6)
    pages = lot.choice(({"1Gi": lot.randint(0, gib)}, {"1Gi": gib + 1}, {"1Gi": 0}))
    return MemoryNode(node, gib * GIB + lot.choice((0, 64, 500)) * MIB, pages)


def _distances(count: int, lot: random.Random) -> tuple[tuple[int, ...], ...]:
    pairs = {(first, second): lot.choice((11, 12, 20, 20, 32)) for first in range(count) for second in range(first)}

    def between(first: int, second: int) -> int:
        return 10 if first == second else pairs[max(first, second), min(first, second)]

    return tuple(tuple(between(first, second) for second in range(count)) for first in range(count))


def _devices(nodes: list[int], lot: random.Random) -> tuple[Device, ...]:
    """Draw devices, now and then some on NUMA nodes that the machine lacks: a kubelet takes these for a topology."""
    kinds = lot.sample(("nic", "gpu"), lot.randint(0, 2))
    near = nodes if lot.random() < NONE_STRANGE else [*nodes, *STRANGE_NODES]
    return tuple(
        Device(
            f"example.com/{kind}",
            f"{kind}-{place}",
            tuple(sorted(lot.sample(near, lot.choice((1, 1, min(2, len(near))))))),
        )
        for kind in kinds
        for place in range(lot.randint(1, 5))
    )


def odd_scenarios(claimed: frozenset[str], *, seed: int) -> Iterator[Scenario]:
    """Yield scenarios without end within what a target claims; each seed has others."""
    lot = random.Random(f"odd {seed}")
    possible = [options for options in OPTION_SETS if {f"cpu-manager/{name}" for name in options} <= claimed]
    number = 0
    while True:
        number += 1
        for _ in range(PICKS):
            yield _picks(odd_machine(lot), frozenset(lot.choice(possible)), lot, seed)
        machine = odd_machine(lot)
        yield _merges(machine, lot, seed)
        if claimed >= SCORED:
            yield Scenario("odd score", "by lot", machine, partial(ask_all, odd_scores(lot, COUNTS)), seed)
        for sweep in (allocation_sweep, hint_sweep):
            drawn = list(sweep(claimed, [machine], lot.getrandbits(32)))
            yield from lot.sample(drawn, min(SWEPT, len(drawn)))
        cell = _cell(odd_machine(lot), possible, claimed, lot)
        if not cell.features <= claimed:
            continue
        if lot.random() < 0.25 and cell.static:
            yield Scenario(
                "odd removal", cell.name, cell.machine, partial(_removed, cell, claimed, f"{seed} {number}"), seed
            )
            continue
        if "node/resize" in claimed and lot.random() < 0.5:
            yield Scenario("odd resize", cell.name, cell.machine, _resizing(cell, claimed, f"{seed} {number}"), seed)
            continue
        for life in walks([cell], claimed, steps=14, seed=seed * 100_000 + number):
            yield _changed(life, partial(_oddly, cell.machine, claimed, random.Random(lot.random())))


def _picks(machine: Machine, options: frozenset[str], lot: random.Random, seed: int) -> Scenario:
    online = list(iter_bits(machine.online_bits))
    free = bits_of(cpu for cpu in online if lot.random() > lot.choice((0, 0.1, 0.4))) or machine.online_bits
    questions: list[Question] = [
        (
            "pick",
            {
                "available": format_bits(free),
                "count": lot.randint(1, free.bit_count()),
                "options": dict.fromkeys(sorted(options), True),
            },
        )
        for _ in range(COUNTS)
    ]
    return Scenario("odd pick", "+".join(sorted(options)), machine, partial(ask_all, questions), seed)


def _merges(machine: Machine, lot: random.Random, seed: int) -> Scenario:
    """Ask for merges of hints over all its NUMA nodes, most of them by distance."""
    ids = machine.numa_ids

    def hint() -> dict[str, Any]:
        nodes = None if lot.random() < 0.1 else sorted(lot.sample(ids, lot.randint(1, len(ids))))
        return {"nodes": nodes, "preferred": lot.random() < 0.5}

    def provider() -> dict[str, Any] | None:
        return None if lot.random() < 0.1 else {"resource": [hint() for _ in range(lot.randint(0, 4))]}

    questions: list[Question] = [
        (
            "merge",
            {
                "policy": lot.choice(("best-effort", "restricted", "single-numa-node")),
                "options": {CLOSEST: "true"} if lot.random() < 0.8 else {},
                "nodes": list(ids),
                "distances": [list(row) for row in machine.distances or ()],
                "providers": [provider() for _ in range(lot.randint(1, 3))],
            },
        )
        for _ in range(COUNTS)
    ]
    return Scenario("odd merge", "by distance", machine, partial(ask_all, questions), seed)


def _cell(machine: Machine, possible: list[tuple[str, ...]], claimed: frozenset[str], lot: random.Random) -> Cell:
    names = {*lot.choice(possible)}
    if f"cpu-manager/{STRICT}" in claimed and lot.random() < 0.2:
        names.add(STRICT)
    topology = lot.choice(
        [name for name in TOPOLOGY_POLICIES if f"topology-manager/{name}" in claimed or name == "none"]
    )
    if "align-by-socket" in names and (topology == "single-numa-node" or len(machine.numa_ids) < 2):
        names.discard("align-by-socket")
    return Cell(
        machine,
        static=len(machine.cpus) >= 4 and lot.random() < 0.9,
        options=frozenset(names),
        topology=topology,
        scope=lot.choice(("container", "pod")),
        memory="memory-manager/static" in claimed and lot.random() < 0.5,
        reservation=lot.choice(RESERVATIONS),
    )


def _oddly(machine: Machine, claimed: frozenset[str], lot: random.Random, question: Question) -> Question:
    """Return the question that starts a node with what cells do not have: the closest nodes, any node's memory."""
    method, params = question
    if method != "node.start":
        return question
    kubelet: dict[str, Any] = dict(params["kubelet"])
    closest = f"topology-manager/{CLOSEST}" in claimed and lot.random() < 0.6
    if closest and kubelet.get("topologyManagerPolicy", "none") != "none":
        kubelet["topologyManagerPolicyOptions"] = {CLOSEST: "true"}
        kubelet["featureGates"] = {**kubelet.get("featureGates", {}), **TOPOLOGY_GATES}
    if "reservedMemory" in kubelet:
        entries = kubelet["reservedMemory"]
        nodes = lot.sample(machine.numa_ids, len(entries))
        kubelet["reservedMemory"] = [{**entry, "numaNode": node} for entry, node in zip(entries, nodes, strict=True)]
    return method, {**params, "kubelet": kubelet}


def _changed(scenario: Scenario, change: Callable[[Question], Question]) -> Scenario:
    """Return a scenario whose questions are changed on their way."""

    def script() -> Script:
        asked = scenario.script()
        try:
            question = next(asked)
            while True:
                question = asked.send((yield change(question)))
        except StopIteration:
            return

    return replace(scenario, generator="odd life", script=script)


def _resizing(cell: Cell, claimed: frozenset[str], name: str) -> Callable[[], Script]:
    """Return a life with resizes, on a node that may have the gates that let more of them through."""
    lot = random.Random(f"resize {name}")
    method, params = _oddly(cell.machine, claimed, lot, ("node.start", {"kubelet": kubelet_of(cell, lot)}))
    kubelet = params["kubelet"]
    gates = {gate: True for gate in GATES if lot.random() < 0.3}
    if gates:
        kubelet = {**kubelet, "featureGates": {**kubelet.get("featureGates", {}), **gates}}
    return partial(resized_at_random, (method, {**params, "kubelet": kubelet}), cell.machine, claimed, name)


def _removed(cell: Cell, claimed: frozenset[str], name: str) -> Script:
    """Fill a node, take pods away, and restart it: at once, or after passes of the loop and pods of any size."""
    lot = random.Random(name)
    up = yield _oddly(cell.machine, claimed, lot, ("node.start", {"kubelet": kubelet_of(cell, lot)}))
    if up.get("result") != "started":
        return
    count = len(cell.machine.cpus)
    for turn in range(3):
        uids = [f"p{turn}-{place}" for place in range(lot.randint(1, 3))]
        if lot.random() < 0.3:
            yield "node.reconcile", {}
            yield "node.state", {}
        for uid in uids:
            yield _of_any_size(uid, count, lot)
        for uid in lot.sample(uids, lot.randint(1, len(uids))):
            yield "node.remove", {"uid": uid}
        if lot.random() < 0.3:
            yield _of_any_size(f"late{turn}", count, lot)
        if lot.random() < 0.3:
            yield "node.reconcile", {}
        if (yield "node.restart", {"at_once": True} if lot.random() < 0.8 else {}).get("result") != "restarted":
            return


def _of_any_size(uid: str, count: int, lot: random.Random) -> Question:
    """Ask for a pod that may take every CPU; some are refused at a second container, when the first has its own.

    No pod with two containers stays: in which order the kubelet takes memory back from them is chance.
    """
    size = lot.choice((count, count // 2, lot.randint(1, count)))
    containers = [container("c", cpu=str(max(1, size)), memory=f"{lot.choice((64, 64, 900, 3000))}Mi")]
    if lot.random() < 0.2:
        containers.append(container("refused", cpu=str(count), memory="64Mi"))
    return "node.admit", {"pod": pod(uid, containers)}
