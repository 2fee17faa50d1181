"""Memory over a node's life, under the Memory Manager's policy Static: page Utilizing the NUMA-aware Memory Manager."""

from __future__ import annotations

from ...cpuset import format_bits
from ..judge.checker import Judgement, checker, violated
from ..judge.node_subjects import Admission, Moment, Restart
from ..judge.room import Room, memory_of
from ..judge.world import Held


def _told(held: Held | None) -> str:
    blocks = (held.memory if held else None) or ()
    return ", ".join(f"{block.bytes} bytes of {block.type} on {format_bits(block.nodes)}" for block in blocks) or "none"


def _by_type(held: Held | None) -> dict[str, int]:
    amounts: dict[str, int] = {}
    for block in (held.memory if held else None) or ():
        amounts[block.type] = amounts.get(block.type, 0) + block.bytes
    return {kind: number for kind, number in amounts.items() if number}


@checker("memory-manager/static/guarantees-memory-to-guaranteed-pods", Admission)
def guarantees_memory(admission: Admission) -> Judgement:
    """Every container of a Guaranteed pod gets the memory it asks for, in however many blocks."""
    world, pod = admission.before, admission.pod
    if not world.settings.memory_static or not admission.admitted or pod.qos != "Guaranteed" or pod.whole:
        return None
    for container in pod.containers:
        wanted = {kind: number for kind, number in memory_of(world, pod, container).items() if number}
        got = _by_type(admission.held.get(container.name))
        if container.kind != "init" and got != wanted:
            return violated(
                False,
                f"container {container.name} of pod {pod.uid} is given other memory than it asks for",
                got=_told(admission.held.get(container.name)),
                allowed=", ".join(f"{number} bytes of {kind}" for kind, number in wanted.items()),
            )
    return ()


@checker("memory-manager/hugepages/come-from-named-nodes", Admission)
def huge_pages_come_from_named_nodes(admission: Admission) -> Judgement:
    """Huge pages are given by page size, on NUMA nodes that have such pages."""
    room = Room(admission.before)
    blocks = [
        (name, block)
        for name, held in admission.held.items()
        for block in held.memory or ()
        if block.type != "memory" and block.bytes
    ]
    if not admission.before.settings.memory_static or not blocks:
        return None
    for name, block in blocks:
        have = [node for node, amounts in room.allocatable.items() if amounts.get(block.type, 0) > 0]
        if not block.nodes & sum(1 << node for node in have):
            why = f"container {name} is given {block.type} on NUMA nodes {format_bits(block.nodes)}, which have none"
            return violated(False, why, got=_told(admission.held[name]), allowed=f"NUMA nodes {have}")
    return ()


@checker("memory-manager/static/leaves-other-classes-alone", Admission)
def leaves_other_classes_alone(admission: Admission) -> Judgement:
    """Burstable and BestEffort pods get no memory of their own."""
    if not admission.before.settings.memory_static or not admission.admitted or admission.pod.qos == "Guaranteed":
        return None
    given = {name: held for name, held in admission.held.items() if _by_type(held)}
    return violated(
        not given,
        f"containers of the {admission.pod.qos} pod {admission.pod.uid} are given memory of their own",
        got="; ".join(f"{name}: {_told(held)}" for name, held in given.items()),
        allowed="none",
    )


@checker("memory-manager/none/pins-nothing", Admission)
def none_pins_nothing(admission: Admission) -> Judgement:
    """Policy None pins no memory."""
    if admission.before.settings.memory_static or not admission.admitted:
        return None
    given = {name: held for name, held in admission.held.items() if _by_type(held)}
    return violated(
        not given,
        f"containers of pod {admission.pod.uid} are given memory of their own under policy None",
        got="; ".join(f"{name}: {_told(held)}" for name, held in given.items()),
    )


@checker("memory-manager/static/never-gives-more-than-is-free", Moment)
def never_gives_more_than_there_is(moment: Moment) -> Judgement:
    """No set of NUMA nodes gives more memory of a type than it has beyond its reservation."""
    world = moment.world
    if not world.settings.memory_static or not world.pods:
        return None
    over = Room(world).overdrawn()
    if over is None:
        return ()
    nodes, kind, given, had = over
    return violated(
        False,
        f"NUMA nodes {format_bits(nodes)} give more {kind} than they have",
        got=f"{given} bytes",
        allowed=f"{had} bytes at most",
    )


@checker("memory-manager/state-file/assignments-survive-a-restart", Restart)
def memory_survives_a_restart(restart: Restart) -> Judgement:
    """Running containers keep their memory when the node agent restarts."""
    if not restart.plain or not restart.before.settings.memory_static or restart.after is None:
        return None
    for uid, pod in restart.before.pods.items():
        for container in pod.spec.containers:
            had, has = pod.held.get(container.name), restart.held.get(uid, {}).get(container.name)
            if container.kind != "init" and uid in restart.held and _blocks(had) != _blocks(has):
                why = f"container {container.name} of pod {uid} has other memory after a restart"
                return violated(False, why, got=_told(has), allowed=_told(had))
    return ()


def _blocks(held: Held | None) -> set[tuple[str, int, int]]:
    return {(block.type, block.bytes, block.nodes) for block in (held.memory if held else None) or () if block.bytes}
