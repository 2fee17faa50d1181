"""What was seen of a node as histories: the conversation as data that the suite's checkers judge."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ..cpuset import MAX_ID, Unchecked, bit_of, bits_of, format_bits, iter_bits
from ..reference.managers.cpu.state_file import CPU_FILE
from ..sources.versions import DEFAULT, KubernetesVersion
from ..wire.history.history import Head, History, Step
from ..wire.history.sightings import LIVE_NODE, LiveMemoryTable
from .cgroups import limit_of
from .look import Sight
from .state_files import SavedState

WHOLE_POD = "(the pod as a whole)"
"""In the place of a container: what a pod was given as a whole."""
GENERATOR = "living-node"


def sight_history(sight: Sight) -> History:
    """Return what is to be seen now."""
    version = str(sight.version or DEFAULT)
    return History(Head(GENERATOR, "seen", 0, sight.machine, version), (_sight(sight, _kubelet(sight)),))


def start_history(sight: Sight, version: KubernetesVersion) -> History | None:
    """Return that a kubelet of a version came up with its configuration; None where none ever ran."""
    if sight.configured.process is None and not sight.state.files:
        return None
    reserved = _reserved(sight)
    answer = {"result": "started", **({} if reserved is None else {"reserved_cpus": reserved})}
    start = Step("node.start", {"kubelet": _kubelet(sight)}, answer)
    return History(Head("start", GENERATOR, 0, sight.machine, str(version)), (start,))


def _kubelet(sight: Sight) -> dict[str, Any]:
    """Return the configuration as it was understood, whatever its files leave empty."""
    return dict(replace(sight.configured.kubelet, raw={}).to_dict())


def _reserved(sight: Sight) -> str | None:
    """Return the reserved CPUs where the kubelet tells which it has to give."""
    allocatable = None if sight.listed is None else sight.listed.allocatable
    if allocatable is None or not allocatable.cpus:
        return None
    return format_bits(sight.machine.online_bits & ~_bits(allocatable.cpus))


def _sight(sight: Sight, kubelet: Mapping[str, Any]) -> Step:
    params: dict[str, Any] = {"kubelet": kubelet, "settled": sight.settled}
    if sight.version is not None:
        params["kubernetes_version"] = str(sight.version)
    state = sight.state
    files = {
        name: {"policy": file.policy, **({"damage": file.damage} if file.damage else {})}
        for name, file in state.files.items()
    }
    answer: dict[str, Any] = {"files": files, "pods": _pods(sight)}
    if state.cpus is not None and state.files[CPU_FILE].policy == "static":
        answer["default_cpuset"] = format_bits(state.cpus.default)
    if (reserved := _reserved(sight)) is not None:
        answer["reserved_cpus"] = reserved
    if state.nodes is not None and not state.pods_with_memory:
        answer["memory_state"] = []
        for number, node in sorted(state.nodes.items()):
            tables = {
                kind: {name: getattr(table, name) for name in LiveMemoryTable.__annotations__}
                for kind, table in node.tables.items()
            }
            answer["memory_state"].append({"node": number, "tables": tables})
    return Step(LIVE_NODE, params, answer, seconds=sight.seconds)


def _pods(sight: Sight) -> dict[str, dict[str, Any]]:
    pods: dict[str, dict[str, Any]] = {}

    def container(uid: str, name: str) -> dict[str, Any]:
        entry: dict[str, Any] = pods.setdefault(uid, {"containers": {}})["containers"].setdefault(name, {})
        return entry

    _add_held(sight.state, container)
    for uid, cpus in (sight.state.cpus.pods if sight.state.cpus else {}).items():
        container(uid, WHOLE_POD)["cpus"] = format_bits(cpus)
        pods[uid]["whole"] = True
    for running in sight.running:
        sets = {"written": running.written, "effective": running.effective, "mems": running.mems}
        runs: dict[str, Any] = {name: format_bits(bits) for name, bits in sets.items() if bits is not None}
        runs["threads"] = []
        for threads in running.threads:
            bits = {"cpus": threads.cpus} if threads.mems is None else {"cpus": threads.cpus, "mems": threads.mems}
            shown = {name: format_bits(each) for name, each in bits.items()}
            runs["threads"].append({"first": threads.ids[0], "count": len(threads.ids), **shown})
        container(running.uid, running.name)["runs"] = runs
        pods[running.uid]["qos"] = running.cgroup.qos
        if running.limit is not None:
            container(running.uid, running.name)["limit"] = [running.limit.numerator, running.limit.denominator]
    for cgroup in sight.pods:
        limit = limit_of(sight.tree, cgroup.hierarchy, cgroup.path)
        if limit is not None and cgroup.uid in pods:
            pods[cgroup.uid]["limit"] = [limit.numerator, limit.denominator]
    for uid in _gone(sight) & pods.keys():
        pods[uid]["gone"] = True
    _add_listed(sight, pods, container)
    return pods


def _gone(sight: Sight) -> set[str]:
    """Return the pods with CPUs of their own of which a node with a kubelet shows neither a cgroup nor a log."""
    if sight.hierarchy is None or sight.configured.process is None or sight.state.cpus is None:
        return set()
    there = {cgroup.uid for cgroup in sight.pods} | {named.uid for named in sight.names.values()}
    there |= {container.uid for container in sight.running}
    return {*sight.state.cpus.assignments, *sight.state.cpus.pods} - there


def _add_held(state: SavedState, container: Any) -> None:
    for uid, containers in (state.cpus.assignments if state.cpus else {}).items():
        for name, cpus in containers.items():
            container(uid, name)["cpus"] = format_bits(cpus)
    for uid, memory in state.blocks.items():
        for name, blocks in memory.items():
            shown = [{"type": block.type, "bytes": block.bytes, "nodes": list(block.nodes)} for block in blocks]
            container(uid, name)["memory"] = shown
    for entry in state.devices or ():
        of: dict[str, int] = {}
        for node, ids in entry.devices.items():
            for id in ids:
                of[id] = of.get(id, 0) | (bit_of(node) if node >= 0 else 0)
        held = container(entry.uid, entry.container)
        held.setdefault("devices", {})[entry.resource] = sorted(of)
        held.setdefault("device_nodes", []).extend(list(iter_bits(bits)) for bits in of.values())


def _add_listed(sight: Sight, pods: Mapping[str, Any], container: Any) -> None:
    """Add what PodResources tells of pods whose uid is known: it names pods by namespace and name."""
    if sight.listed is None:
        return
    uids = {(named.namespace, named.pod): named.uid for named in sight.names.values() if named.uid}
    uids |= {
        (named.namespace, named.pod): container.uid
        for container in sight.running
        if (named := sight.names.get(container.cgroup.id)) is not None
    }
    unknown = 0
    for pod in sight.listed.pods:
        uid = uids.get((pod.namespace, pod.name))
        if uid is None or uid not in pods:
            unknown += any(listed.cpus or listed.memory or listed.devices for listed in pod.containers)
            continue
        for listed in pod.got if pod.got is not None else pod.containers:
            container(uid, listed.name)["listed"] = {
                "cpus": format_bits(_bits(listed.cpus)),
                "memory": [{"type": block.type, "bytes": block.bytes, "nodes": block.nodes} for block in listed.memory],
                "devices": {device.resource: device.ids for device in listed.devices if device.ids},
            }
    if unknown:
        sight.tree.note(f"PodResources has {unknown} pods that nothing else knows")


def _bits(ids: Iterable[Unchecked]) -> int:
    return bits_of(id for id in ids if 0 <= id <= MAX_ID)
