"""Damages: state files are cut short, changed, old or of another node when the node agent starts again.

Crashes: it ends after each write of its state files in turn, and comes up with what is there.
"""

import json
import random
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from ...cpuset import CpuSet
from ...judging.choice import STRICT
from ...judging.files import CPU_FILE, MEMORY_FILE
from ...judging.room import ordinary
from ...machine import load_machine, machine_to_dict
from .cell_kubelets import kubelet_of
from .cells import Cell
from .scenario import Answer, Question, Scenario, Script, admit, ask_all, remove
from .workloads import ALPHA, RESERVED_MIB, container, guaranteed, pod, static

NEEDED_FOR_CRASHES = frozenset({"node/restart", "node/writes"})
"""What a target must claim to be asked."""
FILES: Question = ("node.checkpoints", {})


def crashes(cells: Iterable[Cell], *, seed: int = 0) -> Iterator[Scenario]:
    """Yield for each cell a node on which pods run, and which crashes while one comes and while one goes."""
    for number, cell in enumerate(cells):
        if cell.static:
            name = f"crash {seed} {number} {cell.machine.name} {cell.name}"
            yield Scenario("crash", cell.name, cell.machine, partial(_crash, cell, name), seed)


def _crash(cell: Cell, name: str) -> Script:
    lot = random.Random(name)
    up = yield "node.start", {"kubelet": kubelet_of(cell, lot)}
    if "default_cpuset" not in up:
        return
    threads = cell.machine.core_bits[0].bit_count()
    free = len(CpuSet.parse(up["default_cpuset"]))
    running = []
    for uid in ("first", "second"):
        answer = yield "node.admit", {"pod": guaranteed(uid, threads * lot.randint(1, max(1, free // threads // 4)))}
        if answer.get("result") == "admitted":
            running.append(uid)
            yield "node.run", {"uid": uid}
    coming = guaranteed("coming", threads * lot.randint(1, 2))
    yield from _crashing(("node.admit", {"pod": coming}))
    if running:
        yield from _crashing(("node.remove", {"uid": lot.choice(running)}))


def _crashing(question: Question) -> Script:
    """Ask for something, then restart from the state files before each of the writes it took, and after the last."""
    before = yield FILES
    yield question
    after = yield FILES
    texts: dict[str, str | None] = dict(before["checkpoints"])
    names = texts.keys() | after["checkpoints"].keys()
    for write in [*(after.get("writes") or ()), None]:
        answer = yield "node.restart", {"files": {name: texts.get(name) for name in sorted({*names, *texts})}}
        if answer.get("result") != "restarted":
            return
        if write is not None:
            texts[write["file"]] = write["text"]


NEEDED = frozenset({"node/restart", "cpu-manager/state-file", "cpu-manager/none"})
"""What a target must claim to be asked."""
OTHERS = ("t1-one-socket-smt2", "t2-two-sockets-interleaved", "t6-eight-numa-no-smt")
"""Machines of whose CPUs a state file may be."""
DELETED = {"files": {CPU_FILE: None}}
DRAINED, MOST_RESERVED, MORE_MIB = 0.5, 2, 32
"""The share of nodes that are drained before they reserve other CPUs (on the others pods run); cores reserved so; half
of what is reserved of memory more.
"""
Kubelet = Mapping[str, Any]
NOTHING: Kubelet = MappingProxyType({})


def damages(cells: Iterable[Cell], claimed: frozenset[str], *, seed: int = 0) -> Iterator[Scenario]:
    """Yield for each cell a node on which pods run, whose state files are damaged and restored again and again."""
    for number, cell in enumerate(cells):
        if cell.static:
            name = f"damage {seed} {number} {cell.machine.name} {cell.name}"
            yield Scenario("damage", cell.name, cell.machine, partial(_damage, cell, claimed, name), seed)


def _another_digit(text: str, lot: random.Random) -> str:
    places = [place for place, letter in enumerate(text) if letter.isdigit()]
    if not places:
        return text + "0"
    place = lot.choice(places)
    return f"{text[:place]}{(int(text[place]) + lot.randint(1, 8)) % 10}{text[place + 1 :]}"


def _another_checksum(text: str, _lot: random.Random) -> str:
    try:
        content = json.loads(text)
        return json.dumps({**content, "checksum": content["checksum"] + 1})
    except (ValueError, KeyError, TypeError):
        return text + " "


WAYS: tuple[Callable[[str, random.Random], str], ...] = (
    lambda text, lot: text[: lot.randrange(len(text))] if text else "",
    lambda _text, _lot: "",
    lambda _text, lot: lot.choice(("[]", "null", "{}", "{")),
    _another_digit,
    _another_checksum,
)
"""What happens to a text: it is cut short, emptied, of another kind, or changed."""


def _damage(cell: Cell, claimed: frozenset[str], name: str) -> Script:
    lot = random.Random(name)
    kubelet = kubelet_of(cell, lot)
    up = yield "node.start", {"kubelet": kubelet}
    if "default_cpuset" not in up:
        return
    old = (yield FILES)["checkpoints"]
    yield from _run_some(cell, up, lot, claimed)
    files = (yield FILES)["checkpoints"]
    for way in lot.sample(WAYS, len(WAYS)):
        if not files:
            return
        file = lot.choice(sorted(files))
        answer = yield "node.restart", {"files": {file: way(files[file], lot)}}
        if answer.get("result") == "restarted":
            files = (yield FILES)["checkpoints"]
            continue
        answer = yield "node.restart", {"files": files}
        if answer.get("result") != "restarted":
            return
    anew = yield "node.restart", {"files": {**dict.fromkeys(files), **old}}
    if anew.get("result") != "restarted":
        return
    there = {pod["uid"]: pod["containers"].values() for pod in anew["pods"] if pod["result"] == "admitted"}
    held = {uid: sum(CpuSet.parse(each["cpus"]).bits for each in containers) for uid, containers in there.items()}
    others = [*_other_settings(kubelet, claimed)]
    if not (yield from _refused(kubelet, others)):
        return
    drained = lot.random() < DRAINED
    if not drained:
        yield from _other_reservation(cell, kubelet, held, lot)
    for uid in held:
        yield "node.remove", {"uid": uid}
    yield from _drained(cell, kubelet, others, lot, anew=drained)
    yield from _another_machine(cell, kubelet)


def _run_some(cell: Cell, up: Mapping[str, Any], lot: random.Random, claimed: frozenset[str]) -> Script:
    """Run a few pods that hold something of every manager."""
    free = len(CpuSet.parse(up["default_cpuset"]))
    threads = cell.machine.core_bits[0].bit_count()
    resources = sorted({device.resource for device in cell.machine.devices if device.healthy})
    for uid in ("first", "second", "third"):
        other = {lot.choice(resources): "1"} if resources and "device-manager/allocation" in claimed else {}
        cpus = threads * lot.randint(1, max(1, free // threads // 5))
        wanted = pod(uid, [container("c", cpu=str(cpus), memory="64Mi", other=other)])
        if (yield "node.admit", {"pod": wanted}).get("result") == "admitted":
            yield "node.run", {"uid": uid}


def _other_settings(kubelet: Kubelet, claimed: frozenset[str]) -> Iterator[Kubelet]:
    """Yield settings for which a state file must be deleted: policy none first."""
    yield _none(kubelet)
    if "memory-manager/none" in claimed and kubelet.get("memoryManagerPolicy") == "Static":
        unchanged = {name: value for name, value in kubelet.items() if name != "reservedMemory"}
        yield {**unchanged, "memoryManagerPolicy": "None"}
    if f"cpu-manager/{STRICT}" in claimed and "reservedSystemCPUs" in kubelet:
        options = {**kubelet.get("cpuManagerPolicyOptions", {}), STRICT: "true"}
        yield {**kubelet, "cpuManagerPolicyOptions": options, "featureGates": ALPHA}


def _none(kubelet: Kubelet) -> Kubelet:
    plain = {name: value for name, value in kubelet.items() if name != "cpuManagerPolicyOptions"}
    return {**plain, "cpuManagerPolicy": "none"}


def _refused(kubelet: Kubelet, others: Iterable[Kubelet]) -> Generator[Question, Answer, bool]:
    """Ask twice for other settings with the state files of these, then for these; return whether they were refused."""
    for other in others:
        for _ in range(2):  # a start that fails leaves the files as they are
            if (yield "node.restart", {"kubelet": dict(other)}).get("result") == "restarted":
                return False
        if (yield "node.restart", {"kubelet": dict(kubelet)}).get("result") != "restarted":
            return False
    return True


def _drained(cell: Cell, kubelet: Kubelet, others: Iterable[Kubelet], lot: random.Random, *, anew: bool) -> Script:
    """Ask a node without pods the same, then without the file; with the file of policy none at last."""
    if not (yield from _refused(kubelet, others)):
        return
    if anew:
        yield from _other_reservation(cell, kubelet, {}, lot, files=DELETED)
    if "reservedMemory" in kubelet:
        yield from _other_memory(cell, kubelet)
    if (yield "node.restart", {"kubelet": _none(kubelet), **DELETED}).get("result") == "restarted":
        yield "node.restart", {"kubelet": dict(kubelet)}


def _other_reservation(
    cell: Cell, kubelet: Kubelet, held: Mapping[str, int], lot: random.Random, files: Kubelet = NOTHING
) -> Script:
    """Reserve more CPUs at a restart, those that are likely to be given first or last; let pods come and go."""
    taken = sum(held.values())
    free = [core for core in cell.machine.core_bits if not core & taken]
    if len(free) < MOST_RESERVED + 2:
        return
    listed = CpuSet.parse(kubelet.get("reservedSystemCPUs", "")).bits | free[0] | free[-1]
    more = {**kubelet, "reservedSystemCPUs": str(CpuSet.from_bits(listed & ~taken))}
    if (yield "node.restart", {"kubelet": more, **files}).get("result") != "restarted":
        yield "node.restart", {"kubelet": dict(kubelet)}
        return
    come = []
    for number in range(lot.randint(1, 2)):
        wanted = guaranteed(f"later{number}", cell.machine.core_bits[0].bit_count() * (number + 1))
        if (yield "node.admit", {"pod": wanted}).get("result") == "admitted":
            come.append(f"later{number}")
    for uid in come:
        yield "node.remove", {"uid": uid}


def _other_memory(cell: Cell, kubelet: Kubelet) -> Script:
    """Reserve more memory at a restart, or all of it on the last of its NUMA nodes, with its file and without it.

    Pods ask for more than is left, of all or of a NUMA node, and for less than was.
    """
    first, *others = kubelet["reservedMemory"]
    rooms = {node.node: ordinary(node) >> 20 for node in cell.machine.memory}
    reserved = [{**first, "limits": _with_more_memory(first["limits"])}, *others]
    more = {**kubelet, "kubeReserved": _with_more_memory(kubelet["kubeReserved"]), "reservedMemory": reserved}
    ways = [(more, sum(rooms.values()) - RESERVED_MIB - MORE_MIB)]
    if others:
        moved = {**kubelet, "reservedMemory": [{**others[-1], "limits": {"memory": f"{RESERVED_MIB}Mi"}}]}
        ways.append((moved, rooms[others[-1]["numaNode"]] - RESERVED_MIB + MORE_MIB))
    deleted, uids = {MEMORY_FILE: None}, ("large", "other")
    for config, size in ways:
        pods = [guaranteed(uid, 1, f"{size}Mi") for uid in uids]
        for files in ({}, deleted):
            if (yield "node.restart", {"kubelet": config, "files": files}).get("result") == "restarted":
                yield from ask_all((*map(admit, pods), *map(remove, uids)))
        yield "node.restart", {"kubelet": dict(kubelet), "files": deleted}


def _with_more_memory(amounts: Mapping[str, str]) -> dict[str, str]:
    return {**amounts, "memory": f"{int(amounts['memory'].removesuffix('Mi')) + 2 * MORE_MIB}Mi"}


def _another_machine(cell: Cell, kubelet: Mapping[str, Any]) -> Script:
    """Bring up a node with the state file of another, aligning as it does."""
    aligning = {name: value for name, value in kubelet.items() if name.startswith("topologyManager")}
    for name in OTHERS:
        other = load_machine(name)
        if other.online_bits == cell.machine.online_bits:
            continue
        yield "node.start", {"machine": machine_to_dict(other), "kubelet": static()}
        idle = (yield FILES)["checkpoints"]
        yield "node.admit", {"pod": guaranteed("there", 2)}
        in_use = (yield FILES)["checkpoints"]
        here = {"machine": machine_to_dict(cell.machine), "kubelet": static() | aligning}
        for files in (idle, in_use):
            if CPU_FILE in files:
                yield "node.start", {**here, "files": {CPU_FILE: files[CPU_FILE]}}
        return
