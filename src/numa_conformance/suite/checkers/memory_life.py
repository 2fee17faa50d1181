"""Memory over a node's life, under the Memory Manager's policy Static: page Utilizing the NUMA-aware Memory Manager."""

from __future__ import annotations

from collections.abc import Iterator

from ...cpuset import format_bits
from ..judge.checker import Guard, Judgement, Violation, checker, violated
from ..judge.given import OnNode
from ..judge.node_subjects import Admission, Moment, Restart
from ..judge.pods import GUARANTEED
from ..judge.room import Room, allocatable, memory_of
from ..judge.seen import blocks_told
from ..judge.world import Held
from .guards import admitted, memory_none, memory_static, of_containers
from .restarts import came_up, plain

of_a_guaranteed_pod = Guard[Admission]("the pod is not Guaranteed", lambda admission: admission.pod.qos == GUARANTEED)


@checker(
    "memory-manager/static/guarantees-memory-to-guaranteed-pods",
    Admission,
    when=(memory_static, admitted, of_a_guaranteed_pod, of_containers),
)
def guarantees_memory(admission: Admission) -> Iterator[Violation]:
    """Every container of a Guaranteed pod gets the memory it asks for, in however many blocks."""
    pod = admission.pod
    for container in pod.containers:
        wanted = {kind: number for kind, number in memory_of(admission.before, pod, container).items() if number}
        held, got = admission.held.get(container.name), dict[str, int]()
        for (kind, _), number in blocks_told(held.memory if held else None).items():
            got[kind] = got.get(kind, 0) + number
        if container.kind != "init":
            yield from violated(
                got == wanted,
                f"container {container.name} of pod {pod.uid} is given other memory than it asks for",
                got=told_memory(held),
                allowed=", ".join(f"{number} bytes of {kind}" for kind, number in wanted.items()),
            )


memory_is_told = Guard[OnNode](
    "the container's memory is not told, or its pod was refused",
    lambda given: given.held is not None and given.held.memory is not None,
)
of_another_class = Guard[OnNode](
    "the pod is Guaranteed, or its class is not known", lambda given: given.qos not in (GUARANTEED, None)
)
has_huge_pages = Guard[OnNode](
    "the container has no huge pages of its own",
    lambda given: any(
        block.type != "memory" and block.bytes for block in (given.held.memory if given.held else None) or ()
    ),
)


@checker("memory-manager/none/pins-nothing", OnNode, when=(memory_none, memory_is_told))
def none_pins_nothing(given: OnNode) -> Judgement:
    """Policy None pins no memory."""
    return _has_no_memory(given, "under policy None")


@checker(
    "memory-manager/static/leaves-other-classes-alone", OnNode, when=(memory_static, of_another_class, memory_is_told)
)
def leaves_other_classes_alone(given: OnNode) -> Judgement:
    """Burstable and BestEffort pods get no memory of their own."""
    return _has_no_memory(given, f"in a {given.qos} pod")


def _has_no_memory(given: OnNode, where: str) -> Judgement:
    return violated(
        not blocks_told(given.held.memory if given.held else None),
        f"container {given.key} has memory of its own {where}",
        got=told_memory(given.held),
        allowed="none",
        about=given.about("memory", "qos"),
    )


@checker("memory-manager/hugepages/come-from-named-nodes", OnNode, when=(memory_static, has_huge_pages))
def huge_pages_come_from_named_nodes(given: OnNode) -> Iterator[Violation]:
    """Huge pages are given by page size, on NUMA nodes that have such pages."""
    room = allocatable(given.machine, given.settings.reserved_memory)
    for kind, nodes in blocks_told(given.held.memory if given.held else None):
        have = [node for node, amounts in room.items() if amounts.get(kind, 0) > 0]
        yield from violated(
            kind == "memory" or any(nodes >> node & 1 for node in have),
            f"container {given.key} is given {kind} on NUMA nodes that have none",
            got=format_bits(nodes),
            allowed=f"NUMA nodes {have}",
            about=given.about("memory"),
        )


with_pods = Guard[Moment]("no pod is on the node", lambda moment: moment.world.pods)


@checker("memory-manager/static/never-gives-more-than-is-free", Moment, when=(memory_static, with_pods))
def never_gives_more_than_there_is(moment: Moment) -> Judgement:
    """No set of NUMA nodes gives more memory of a type than it has beyond its reservation."""
    over = Room(moment.world).overdrawn()
    nodes, kind, given, had = over or (0, "", 0, 0)
    return violated(
        over is None,
        f"NUMA nodes {format_bits(nodes)} give more {kind} than they have",
        got=f"{given} bytes",
        allowed=f"{had} bytes at most",
    )


@checker("memory-manager/state-file/assignments-survive-a-restart", Restart, when=(plain, memory_static, came_up))
def memory_survives_a_restart(restart: Restart) -> Iterator[Violation]:
    """Running containers keep their memory when the node agent restarts."""
    for who, had, has in restart.kept:
        yield from violated(
            _blocks(had) == _blocks(has),
            f"{who} has other memory after a restart",
            got=told_memory(has),
            allowed=told_memory(had),
        )


def _blocks(held: Held | None) -> set[tuple[str, int, int]]:
    return {(block.type, block.bytes, block.nodes) for block in (held.memory if held else None) or () if block.bytes}


def told_memory(held: Held | None) -> str:
    """Write the memory that a container holds."""
    blocks = (held.memory if held else None) or ()
    return ", ".join(f"{block.bytes} bytes of {block.type} on {format_bits(block.nodes)}" for block in blocks) or "none"
