"""State files of a node at work, and what PodResources tells beside them: a kubelet must be able to start with them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...cpuset import format_bits
from ..judge.checker import Judgement, Violation, checker, violated
from ..judge.files import CPU_FILE, DEVICE_FILE, MEMORY_FILE
from ..judge.room import Room, whole
from ..judge.seen import SeenContainer, Sighting, blocks_told

__all__: list[str] = []


@checker("cpu-manager/state-file/assignments-survive-a-restart", Sighting)
def cpu_file_can_be_read(seen: Sighting) -> Judgement:
    """Assignments survive a restart: the file that holds them can be read."""
    return _readable(seen, CPU_FILE)


@checker("memory-manager/state-file/assignments-survive-a-restart", Sighting)
def memory_file_fits(seen: Sighting) -> Judgement:
    """Assignments survive a restart: the file can be read, and tells of the memory that the machine has."""
    return _readable(seen, MEMORY_FILE) or (list(_wrong_books(seen)) if seen.memory is not None else None)


@checker("device-manager/restart/keeps-devices", Sighting)
def device_file_can_be_read(seen: Sighting) -> Judgement:
    """Containers keep their devices when the node agent restarts: the file that holds them can be read."""
    return _readable(seen, DEVICE_FILE)


def _readable(seen: Sighting, name: str) -> list[Violation] | None:
    if name not in seen.files:
        return None
    damage = seen.files[name].damage
    return list(
        violated(damage is None, f"a kubelet that starts cannot use {name}", got=damage, allowed="a sound file")
    )


def _wrong_books(seen: Sighting) -> Iterator[Violation]:
    machine = {node.node: node for node in seen.world.machine.memory}
    about = (f"file:{MEMORY_FILE}",)
    for told in seen.memory or ():
        node, tables = told["node"], told["tables"]
        if node not in machine:
            yield Violation(f"the file tells of NUMA node {node}, which the machine does not have", about=about)
            continue
        yield from _wrong_tables(node, tables, about)
        yield from _wrong_sizes(node, tables, whole(machine[node]), about)
    yield from _wrong_sums(seen)


def _wrong_tables(node: int, tables: dict[str, Any], about: tuple[str, ...]) -> Iterator[Violation]:
    for kind, table in tables.items():
        if table["reserved"] + table["free"] != table["allocatable"]:
            yield Violation(
                f"the books of {kind} on NUMA node {node} do not add up",
                f"{table['reserved']} reserved and {table['free']} free",
                f"{table['allocatable']} bytes together",
                about=about,
            )


def _wrong_sizes(
    node: int, tables: dict[str, Any], whole: dict[str, int], about: tuple[str, ...]
) -> Iterator[Violation]:
    for kind, size in whole.items():
        told = tables.get(kind, {}).get("total")
        if told is not None and size and told != size:
            yield Violation(
                f"the file tells of other {kind} on NUMA node {node} than the machine has",
                f"{told} bytes",
                f"{size} bytes",
                about=about,
            )


def _wrong_sums(seen: Sighting) -> Iterator[Violation]:
    """Compare what NUMA nodes have given by their books with what containers hold, over all nodes."""
    if seen.memory is None or not seen.settings.memory_static:
        return
    held: dict[str, int] = {}
    for one in seen.containers:
        for (kind, _), number in blocks_told(one.held.memory).items():
            held[kind] = held.get(kind, 0) + number
    booked: dict[str, int] = {}
    for told in seen.memory:
        for kind, table in told["tables"].items():
            booked[kind] = booked.get(kind, 0) + table["reserved"]
    for kind in sorted(held.keys() | booked.keys()):
        if held.get(kind, 0) != booked.get(kind, 0):
            yield Violation(
                f"the books say that other {kind} is given out than containers have",
                f"{booked.get(kind, 0)} bytes",
                f"{held.get(kind, 0)} bytes",
                about=(f"file:{MEMORY_FILE}",),
            )


@checker("cpu-manager/state-file/policy-change-is-refused", Sighting)
def cpu_policy_is_the_files(seen: Sighting) -> Judgement:
    """With another policy than the state file's the node does not come up."""
    wanted = "static" if seen.settings.static else "none"
    return _same_policy(seen, CPU_FILE, wanted, "cpuManagerPolicy")


@checker("memory-manager/state-file/policy-change-is-refused", Sighting)
def memory_policy_is_the_files(seen: Sighting) -> Judgement:
    """With another policy than the state file's the node does not come up."""
    wanted = "Static" if seen.settings.memory_static else "None"
    return _same_policy(seen, MEMORY_FILE, wanted, "memoryManagerPolicy")


def _same_policy(seen: Sighting, name: str, wanted: str, field: str) -> Judgement:
    file = seen.files.get(name)
    if file is None or not file.policy:
        return None
    return [
        Violation(
            f"the kubelet does not come up with {field} {wanted} while {name} is that of another policy",
            file.policy,
            wanted,
            about=(f"file:{name}", f"config:{field}"),
        )
    ][: file.policy != wanted]


@checker("cpu-manager/state-file/changed-cpus-are-refused", Sighting)
def cpus_are_online(seen: Sighting) -> Judgement:
    """With a state file of other CPUs than are online the node does not come up."""
    if not seen.settings.static or seen.pool is None:
        return None
    gone = seen.pool & ~seen.world.online
    wrong = [Violation(*_not_online(gone), about=("pool",))] if gone else []
    for one in seen.containers:
        gone = one.held.cpus & ~seen.world.online
        wrong += [Violation(*_not_online(gone), about=(f"cpu:{one.key}",))] if gone else []
    return wrong


def _not_online(cpus: int) -> tuple[str, str, str]:
    return f"CPUs {format_bits(cpus)} are given out and not online", format_bits(cpus), "CPUs that are online"


@checker("memory-manager/none/pins-nothing", Sighting)
def none_pins_nothing(seen: Sighting) -> Judgement:
    """Policy None pins no memory."""
    if seen.settings.memory_static or MEMORY_FILE not in seen.files:
        return None
    return [_memory_of(one, "under policy None") for one in seen.containers if blocks_told(one.held.memory)]


@checker("memory-manager/static/leaves-other-classes-alone", Sighting)
def other_classes_have_no_memory(seen: Sighting) -> Judgement:
    """Burstable and BestEffort pods have no memory of their own."""
    others = [one for one in seen.containers if seen.qos.get(one.uid) not in ("Guaranteed", None)]
    if not seen.settings.memory_static or not others:
        return None
    return [_memory_of(one, f"in a {seen.qos[one.uid]} pod") for one in others if blocks_told(one.held.memory)]


def _memory_of(one: SeenContainer, where: str) -> Violation:
    told = ", ".join(
        f"{number} bytes of {kind} on NUMA nodes {format_bits(nodes)}"
        for (kind, nodes), number in blocks_told(one.held.memory).items()
    )
    why = f"container {one.key} has memory of its own {where}"
    return Violation(why, told, "none", about=(f"memory:{one.key}", f"qos:{one.uid}"))


@checker("memory-manager/hugepages/come-from-named-nodes", Sighting)
def huge_pages_are_there(seen: Sighting) -> Judgement:
    """Huge pages are given on NUMA nodes that have such pages."""
    own = [(one, key) for one in seen.containers for key in blocks_told(one.held.memory) if key[0] != "memory"]
    if not seen.settings.memory_static or not own:
        return None
    allocatable = Room(seen.world).allocatable
    return [
        Violation(
            f"container {one.key} is given {kind} on NUMA nodes that have none",
            format_bits(nodes),
            about=(f"memory:{one.key}",),
        )
        for one, (kind, nodes) in own
        if not any(nodes >> node & 1 and amounts.get(kind, 0) > 0 for node, amounts in allocatable.items())
    ]


@checker("protocol/state-agrees-with-answers", Sighting)
def what_is_listed_is_held(seen: Sighting) -> Judgement:
    """What the kubelet tells of running containers is what its state files say that they hold."""
    told = [one for one in seen.containers if one.listed is not None]
    return [wrong for one in told for wrong in _told_otherwise(seen, one)] if told else None


def _told_otherwise(seen: Sighting, one: SeenContainer) -> Iterator[Violation]:
    held, listed = one.held, one.listed
    if listed is None:
        return
    if seen.settings.static and seen.pool is not None and held.cpus != listed.cpus:
        yield Violation(
            f"PodResources tells of other CPUs of container {one.key} than {CPU_FILE}",
            format_bits(listed.cpus) or "none",
            format_bits(held.cpus) or "none",
            about=(f"listed:{one.key}", f"cpu:{one.key}"),
        )
    if MEMORY_FILE in seen.files and blocks_told(held.memory) != blocks_told(listed.memory):
        yield Violation(
            f"PodResources tells of other memory of container {one.key} than {MEMORY_FILE}",
            str(blocks_told(listed.memory)),
            str(blocks_told(held.memory)),
            about=(f"listed:{one.key}", f"memory:{one.key}"),
        )
    devices = {name: ids for name, ids in (held.devices or {}).items() if ids}
    if held.devices is not None and listed.devices is not None and devices != dict(listed.devices):
        yield Violation(
            f"PodResources tells of other devices of container {one.key} than the Device Manager's state file",
            _listed(listed.devices),
            _listed(devices),
            about=(f"listed:{one.key}", f"device:{one.key}"),
        )


def _listed(devices: Any) -> str:
    return ", ".join(f"{name}: {', '.join(sorted(ids))}" for name, ids in sorted(devices.items())) or "none"
