"""Memory over a node's life, under the Memory Manager's policy Static: page Utilizing the NUMA-aware Memory Manager."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations, islice

from ...cpuset import bit_of, format_bits
from ..judge.checker import Guard, Judgement, Violation, checker, violated
from ..judge.given import OnNode
from ..judge.node_subjects import Admission, Arrival, Moment, Removal, Restart
from ..judge.pods import GUARANTEED, ContainerSpec
from ..judge.room import Request, Room, allocatable, memory_of
from ..judge.seen import blocks_told
from ..judge.start_subjects import Start
from ..judge.world import Held
from .admissions import must_be_admitted, must_be_refused
from .alignment import (
    AT_ONCE,
    aligned_at_once,
    leaving_a_cpu,
    one_node_can_give_all,
    request_of,
    with_app_containers_only,
    with_memory,
)
from .guards import admitted, for_the_first_time, memory_none, memory_static, of_containers, under
from .restarts import came_up, plain

of_a_guaranteed_pod = Guard[Admission]("the pod is not Guaranteed", lambda admission: admission.pod.qos == GUARANTEED)


@checker(
    "memory-manager/static/guarantees-memory-to-guaranteed-pods",
    Admission,
    when=(memory_static, admitted, of_a_guaranteed_pod, of_containers),
)
def guarantees_memory(admission: Admission) -> Iterator[Violation]:
    """Every container of a Guaranteed pod gets the memory it asks for, in however many blocks."""
    for container in admission.pod.containers:
        if container.kind != "init":
            yield from _is_given(admission, container, "memory", lambda kind: True)


def _is_given(
    admission: Admission, container: ContainerSpec, what: str, counts: Callable[[str], bool]
) -> Iterator[Violation]:
    """Judge that a container is given as many bytes as it asks for of each type that counts."""
    held, got = admission.held.get(container.name), Counter[str]()
    for (kind, _), number in blocks_told(held.memory if held else None).items():
        got[kind] += number
    wanted = Counter(memory_of(admission.before, admission.pod, container))
    return violated(
        all(got[kind] == wanted[kind] for kind in {*got, *wanted} if counts(kind)),
        f"container {container.name} of pod {admission.pod.uid} is given other {what} than it asks for",
        got=told_memory(held),
        allowed=", ".join(f"{number} bytes of {kind}" for kind, number in wanted.items() if number),
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
    told = blocks_told(given.held.memory if given.held else None)
    room = allocatable(given.machine, given.settings.reserved_memory) if told else {}
    for kind, nodes in told:
        have = [node for node, amounts in room.items() if amounts.get(kind, 0) > 0]
        yield from violated(
            kind == "memory" or any(nodes >> node & 1 for node in have),
            f"container {given.key} is given {kind} on NUMA nodes that have none",
            got=format_bits(nodes),
            allowed=f"NUMA nodes {have}",
            about=given.about("memory"),
        )


asks_for_huge_pages = Guard[Admission](
    "no container asks for huge pages", lambda admission: any(kind != "memory" for kind in request_of(admission).memory)
)


@checker(
    "memory-manager/hugepages/come-from-named-nodes",
    Admission,
    when=(memory_static, admitted, for_the_first_time, of_containers, with_app_containers_only, asks_for_huge_pages),
)
def huge_pages_are_given_by_size(admission: Admission) -> Iterator[Violation]:
    """Every container of a Guaranteed pod gets the huge pages that it asks for, size by size."""
    for container in admission.pod.containers:
        yield from _is_given(admission, container, "huge pages", lambda kind: kind != "memory")


with_pods = Guard[Moment]("no pod is on the node", lambda moment: moment.world.pods)


@checker("memory-manager/static/never-gives-more-than-is-free", Moment, when=(memory_static, with_pods))
def never_gives_more_than_there_is(moment: Moment) -> Judgement:
    """No set of NUMA nodes gives more memory of a type than it has beyond its reservation."""
    return _overdrawn(moment, "have", lambda nodes, kind: True)


books_say_what_is_free = Guard[Moment](
    "it is not told what NUMA nodes have free", lambda moment: any(one.free for one in moment.memory)
)


@checker(
    "memory-manager/static/never-gives-more-than-is-free",
    Moment,
    when=(memory_static, with_pods, books_say_what_is_free),
)
def books_count_what_is_given(moment: Moment) -> Iterator[Violation]:
    """What NUMA nodes have free is what they have less what containers hold: over all, and over each outside groups."""
    room, told = Room(moment.world), {bit_of(one.node): one.free or {} for one in moment.memory}
    for nodes in (sum(told), *(node for node in told if not node & room.grouped)):
        for kind in sorted({kind for free in told.values() for kind in free}):
            free = sum(free.get(kind, 0) for node, free in told.items() if node & nodes)
            most = max(room.left_of(nodes, kind), 0)
            yield from violated(
                free <= most,
                f"the NUMA nodes {format_bits(nodes)} count {kind} as free that containers hold",
                got=f"{free} bytes",
                allowed=f"{most} bytes at most",
            )


@checker("memory-manager/hugepages/come-from-named-nodes", Moment, when=(memory_static, with_pods))
def never_gives_more_huge_pages_than_there_are(moment: Moment) -> Judgement:
    """Huge pages of a size are given within the pages of these NUMA nodes."""
    return _overdrawn(moment, "have", lambda nodes, kind: kind != "memory")


keeps_some = Guard[Moment]("no memory is reserved on a NUMA node", lambda moment: moment.settings.reserved_memory)


@checker("memory-manager/reserved-memory/is-never-given", Moment, when=(memory_static, with_pods, keeps_some))
def never_gives_what_is_reserved(moment: Moment) -> Judgement:
    """Where memory is reserved on a NUMA node, no more is given of it than is left."""
    kept = moment.settings.reserved_memory.items()
    return _overdrawn(
        moment,
        "have beside what is reserved",
        lambda nodes, kind: any(nodes >> node & 1 and amounts.get(kind) for node, amounts in kept),
    )


def _overdrawn(moment: Moment, what: str, counts: Callable[[int, str], bool]) -> Iterator[Violation]:
    """Judge that no NUMA nodes (bits) that count give more than they have, the first ones alone."""
    over = (excess for excess in Room(moment.world).overdrawn() if counts(*excess[:2]))
    for nodes, kind, given, had in islice(over, 1):
        why = f"NUMA nodes {format_bits(nodes)} give more {kind} than they {what}"
        yield Violation(why, f"{given} bytes", f"{had} bytes at most")


@checker("memory-manager/static/keeps-groups-apart", Moment, when=(memory_static, under("restricted"), with_pods))
def keeps_groups_apart(moment: Moment) -> Judgement:
    """NUMA nodes that serve together serve as no other group, and none of them serves alone."""
    groups = sorted(Room(moment.world).groups)
    crossing = [(first, second) for first, second in combinations(groups, 2) if first & second]
    return violated(
        not crossing,
        "NUMA nodes serve containers in several groups",
        got=", ".join(f"{format_bits(first)} and {format_bits(second)}" for first, second in crossing),
        allowed="one group for each NUMA node",
    )


def _has_too_little(admission: Admission) -> bool:
    room, memory = Room(admission.before), request_of(admission).memory
    if admission.settings.topology == "single-numa-node" and aligned_at_once.holds(admission):
        return not room.nodes_that_hold(Request(0, memory, {}), surely=False)
    return room.lacks(memory)


has_too_little = Guard[Admission]("the NUMA nodes may have so much memory", _has_too_little)


@checker(
    "memory-manager/static/refuses-what-does-not-fit",
    Admission,
    when=(memory_static, for_the_first_time, of_containers, with_app_containers_only, with_memory, has_too_little),
)
def refuses_what_does_not_fit(admission: Admission) -> Judgement:
    """A Guaranteed pod is refused whose memory the NUMA nodes together, or under single-numa-node each, do not have."""
    return must_be_refused(admission, "though NUMA nodes have less memory than it asks for")


had_too_little_before = Guard[Admission](
    "NUMA nodes could give all without what removed pods had",
    lambda admission: (
        not Room(admission.before.with_all_that_went).nodes_that_hold(
            Request(0, request_of(admission).memory, {}), surely=False
        )
    ),
)


@checker(
    "memory-manager/static/returns-memory-on-removal",
    Admission,
    when=(
        memory_static,
        *AT_ONCE,
        leaving_a_cpu,
        with_memory,
        one_node_can_give_all,
        had_too_little_before,
    ),
)
def memory_returns(admission: Admission) -> Judgement:
    """The memory of a removed pod is free again: it serves a pod for which there was too little before."""
    return must_be_admitted(admission, "though a NUMA node has all it asks for, some of which removed pods had")


emptied = Guard[Removal](
    "pods are left on the node, or there was none", lambda removal: removal.was_there and not removal.after.pods
)


@checker("memory-manager/static/returns-memory-on-removal", Removal, when=(memory_static, emptied))
def the_books_are_as_at_first(removal: Removal) -> Iterator[Violation]:
    """Once the last pod is removed every NUMA node has as much memory to give as it came up with."""
    had = {(one.node, kind): table.free for one in removal.at_first for kind, table in (one.tables or {}).items()}
    for one in removal.memory:
        for kind, free in (one.free or {}).items():
            yield from violated(
                free >= had.get((one.node, kind), 0),
                f"no pod is on the node, and not all {kind} of NUMA node {one.node} is free",
                got=f"{free} bytes",
                allowed=f"{had.get((one.node, kind))} bytes",
            )


books_are_told = Guard[Arrival | Start](
    "the books of its memory are not told", lambda start: any(one.tables for one in start.memory)
)


@checker("memory-manager/reserved-memory/is-never-given", Arrival, Start, when=(memory_static, books_are_told))
def reserved_memory_is_never_given(start: Arrival | Start) -> Iterator[Violation]:
    """What a NUMA node has to give is what it has, in huge pages or not, less what is reserved on it."""
    machine = start.machine if isinstance(start, Start) else start.world and start.world.machine
    room = allocatable(machine, start.settings.reserved_memory) if machine else {}
    for one in start.memory:
        for kind, table in (one.tables or {}).items():
            most = max(room.get(one.node, {}).get(kind, 0), 0)
            yield from violated(
                table.allocatable <= most,
                f"NUMA node {one.node} has reserved {kind} to give",
                got=f"{table.allocatable} bytes",
                allowed=f"{most} bytes at most",
            )


@checker("memory-manager/state-file/assignments-survive-a-restart", Restart, when=(plain, memory_static, came_up))
def memory_survives_a_restart(restart: Restart) -> Iterator[Violation]:
    """Running containers keep their memory when the node agent restarts."""
    for who, had, has in restart.kept:
        yield from violated(
            blocks_told(had.memory if had else None) == blocks_told(has.memory if has else None),
            f"{who} has other memory after a restart",
            got=told_memory(has),
            allowed=told_memory(had),
        )


def told_memory(held: Held | None) -> str:
    """Write the memory that a container holds."""
    return ", ".join(map(str, (held.memory if held else None) or ())) or "none"
