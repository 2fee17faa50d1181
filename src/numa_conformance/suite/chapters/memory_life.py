"""Memory over a node's life, under the Memory Manager's policy Static: page Utilizing the NUMA-aware Memory Manager."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import reduce
from itertools import combinations, islice
from operator import or_

from ...cpuset import format_bits
from ..judge.chapter import Chapter, Judgement, Violation, applies, judges, violated
from ..judge.given import OnNode
from ..judge.may_run import MayRun
from ..judge.node_subjects import Admission, Arrival, Moment, Removal
from ..judge.pods import GUARANTEED, ContainerSpec
from ..judge.room import Request, Room, allocatable, memory_of
from ..judge.seen import blocks_told
from ..judge.start_subjects import Start
from ..judge.world import Held
from .alignment import (
    at_once,
    is_aligned_at_once,
    leaving_a_cpu,
    one_node_can_give_all,
    request_of,
    with_app_containers_only,
    with_memory,
)
from .conditions import under
from .outcomes import must_be_admitted, must_be_refused

chapter = Chapter(since="1.21")


@chapter.requires(
    "memory-manager/static/guarantees-memory-to-guaranteed-pods",
    "memory-manager/static",
    on=Admission,
    rests_on=(
        "memory/head/guarantees",
        "memory/static/hints-and-reserves",
        "nrm/memory/guarantees-memory",
        "memory/guaranteed/specific-hints",
        "memory/how/cpuset-mems",
    ),
)
def guarantees_memory(admission: Admission) -> Iterator[Violation]:
    """Every container of a Guaranteed pod is given memory of the size it asks for, on named NUMA nodes, and may
    use no others.
    """
    applies(admission.settings.memory_static, "the Memory Manager's policy is None")
    applies(admission.admitted, "the pod was refused")
    applies(admission.pod.qos == GUARANTEED, "the pod is not Guaranteed")
    applies(not admission.pod.whole, "the pod as a whole has resources")
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


def memory_is_told(given: OnNode) -> None:
    applies(
        given.held is not None and given.held.memory is not None,
        "the container's memory is not told, or its pod was refused",
    )


@chapter.requires(
    "memory-manager/none/pins-nothing",
    "memory-manager/none",
    on=OnNode,
    rests_on=("memory/none/does-nothing", "memory/none/default-hint"),
)
def none_pins_nothing(given: OnNode) -> Judgement:
    """Policy None pins no container to NUMA nodes' memory."""
    applies(not given.settings.memory_static, "the Memory Manager's policy is Static")
    memory_is_told(given)
    return _has_no_memory(given, "under policy None")


@chapter.requires(
    "memory-manager/static/leaves-other-classes-alone",
    "memory-manager/static",
    on=OnNode,
    rests_on=("memory/static/other-classes",),
)
def leaves_other_classes_alone(given: OnNode) -> Judgement:
    """Containers of Burstable and BestEffort pods are given no memory of their own."""
    applies(given.settings.memory_static, "the Memory Manager's policy is None")
    applies(given.qos not in (GUARANTEED, None), "the pod is Guaranteed, or its class is not known")
    memory_is_told(given)
    return _has_no_memory(given, f"in a {given.qos} pod")


def _has_no_memory(given: OnNode, where: str) -> Judgement:
    return violated(
        not blocks_told(given.held.memory if given.held else None),
        f"container {given.key} has memory of its own {where}",
        got=told_memory(given.held),
        allowed="none",
        about=given.about("memory", "qos"),
    )


@chapter.requires(
    "memory-manager/hugepages/come-from-named-nodes",
    "memory-manager/static",
    "memory-manager/hugepages",
    on=OnNode,
    rests_on=("memory/head/guarantees", "kep-1769/hints/every-type-counts", "nrm/memory/guarantees-huge-pages"),
)
def huge_pages_come_from_named_nodes(given: OnNode) -> Iterator[Violation]:
    """Huge pages of a Guaranteed pod are given per page size, on named NUMA nodes, within the pages of these
    nodes.
    """
    applies(given.settings.memory_static, "the Memory Manager's policy is None")
    applies(
        any(block.type != "memory" and block.bytes for block in (given.held.memory if given.held else None) or ()),
        "the container has no huge pages of its own",
    )
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


@judges("memory-manager/hugepages/come-from-named-nodes", on=Admission)
def huge_pages_are_given_by_size(admission: Admission) -> Iterator[Violation]:
    """Every container of a Guaranteed pod gets the huge pages that it asks for, size by size."""
    applies(admission.settings.memory_static, "the Memory Manager's policy is None")
    applies(admission.admitted, "the pod was refused")
    applies(not admission.again, "the pod was on the node before")
    applies(not admission.pod.whole, "the pod as a whole has resources")
    with_app_containers_only(admission)
    applies(any(kind != "memory" for kind in request_of(admission).memory), "no container asks for huge pages")
    for container in admission.pod.containers:
        yield from _is_given(admission, container, "huge pages", lambda kind: kind != "memory")


@chapter.requires(
    "memory-manager/static/never-gives-more-than-is-free",
    "memory-manager/static",
    on=Moment,
    rests_on=(
        "memory/static/hints-and-reserves",
        "troubleshooting/state/group-amounts-add-up",
        "reserve/eviction/not-available",
    ),
)
def never_gives_more_than_there_is(moment: Moment) -> Judgement:
    """The memory given from a NUMA node never exceeds what the node has beyond its reservation.

    No set of NUMA nodes gives more memory of a type than it has beyond its reservation.
    """
    applies(moment.settings.memory_static, "the Memory Manager's policy is None")
    applies(moment.world.pods, "no pod is on the node")
    return _overdrawn(moment, "have", lambda nodes, kind: True)


@judges("memory-manager/static/never-gives-more-than-is-free", on=Moment)
def books_count_what_is_given(moment: Moment) -> Iterator[Violation]:
    """What NUMA nodes have free is what they have less what containers hold: over all, and over each outside groups."""
    applies(moment.settings.memory_static, "the Memory Manager's policy is None")
    applies(moment.world.pods, "no pod is on the node")
    applies(any(one.free for one in moment.memory), "it is not told what NUMA nodes have free")
    room, told = Room(moment.world), {1 << one.node: one.free or {} for one in moment.memory}
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


@judges("memory-manager/hugepages/come-from-named-nodes", on=Moment)
def never_gives_more_huge_pages_than_there_are(moment: Moment) -> Judgement:
    """Huge pages of a size are given within the pages of these NUMA nodes."""
    applies(moment.settings.memory_static, "the Memory Manager's policy is None")
    applies(moment.world.pods, "no pod is on the node")
    return _overdrawn(moment, "have", lambda nodes, kind: kind != "memory")


@chapter.requires(
    "memory-manager/reserved-memory/is-never-given",
    "memory-manager/static",
    on=Moment,
    rests_on=("memory/reserved/not-for-containers",),
)
def never_gives_what_is_reserved(moment: Moment) -> Judgement:
    """The memory reserved on a NUMA node is not given to any container."""
    applies(moment.settings.memory_static, "the Memory Manager's policy is None")
    applies(moment.world.pods, "no pod is on the node")
    applies(moment.settings.reserved_memory, "no memory is reserved on a NUMA node")
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


@chapter.requires(
    "memory-manager/static/keeps-groups-apart",
    "memory-manager/static",
    "topology-manager/restricted",
    on=Moment,
    rests_on=("kep-1769/groups/disjoint", "kep-1769/groups/inseparable", "memory/how/groups"),
    strength="SHOULD",
    beyond="The page leaves the handling of groups to the proposal.",
)
def keeps_groups_apart(moment: Moment) -> Judgement:
    """A NUMA node that serves a container together with other NUMA nodes serves no container alone, and belongs
    to one group at a time.
    """
    applies(moment.settings.memory_static, "the Memory Manager's policy is None")
    under(moment, "restricted")
    applies(moment.world.pods, "no pod is on the node")
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
    if admission.settings.topology == "single-numa-node" and is_aligned_at_once(admission):
        return not room.nodes_that_hold(Request(0, memory, {}), surely=False)
    return room.lacks(memory)


@chapter.requires(
    "memory-manager/static/refuses-what-does-not-fit",
    "memory-manager/static",
    on=Admission,
    rests_on=(
        "troubleshooting/error/without-enough",
        "memory/head/hints-and-policy-decide",
        "nrm/memory/gives-hints",
        "nrm/memory/hints-and-policy-decide",
    ),
)
def refuses_what_does_not_fit(admission: Admission) -> Judgement:
    """A Guaranteed pod whose memory does not fit is refused.

    A Guaranteed pod is refused whose memory the NUMA nodes together, or under single-numa-node each, do not have.
    """
    applies(admission.settings.memory_static, "the Memory Manager's policy is None")
    applies(not admission.again, "the pod was on the node before")
    applies(not admission.pod.whole, "the pod as a whole has resources")
    with_app_containers_only(admission)
    with_memory(admission)
    applies(_has_too_little(admission), "the NUMA nodes may have so much memory")
    return must_be_refused(admission, "though NUMA nodes have less memory than it asks for")


@chapter.requires(
    "memory-manager/static/returns-memory-on-removal",
    "memory-manager/static",
    on=Admission,
    rests_on=("memory/static/hints-and-reserves",),
    beyond="No page says when the memory of a removed pod returns.",
)
def memory_returns(admission: Admission) -> Judgement:
    """The memory of a removed pod is free again."""
    applies(admission.settings.memory_static, "the Memory Manager's policy is None")
    at_once(admission)
    leaving_a_cpu(admission)
    with_memory(admission)
    one_node_can_give_all(admission)
    applies(
        not Room(admission.before.with_all_that_went).nodes_that_hold(
            Request(0, request_of(admission).memory, {}), surely=False
        ),
        "NUMA nodes could give all without what removed pods had",
    )
    return must_be_admitted(admission, "though a NUMA node has all it asks for, some of which removed pods had")


@judges("memory-manager/static/returns-memory-on-removal", on=Removal)
def the_books_are_as_at_first(removal: Removal) -> Iterator[Violation]:
    """Once the last pod is removed every NUMA node has as much memory to give as it came up with."""
    applies(removal.settings.memory_static, "the Memory Manager's policy is None")
    applies(removal.was_there and not removal.after.pods, "pods are left on the node, or there was none")
    had = {(one.node, kind): table.free for one in removal.at_first for kind, table in (one.tables or {}).items()}
    for one in removal.memory:
        for kind, free in (one.free or {}).items():
            yield from violated(
                free >= had.get((one.node, kind), 0),
                f"no pod is on the node, and not all {kind} of NUMA node {one.node} is free",
                got=f"{free} bytes",
                allowed=f"{had.get((one.node, kind))} bytes",
            )


@judges("memory-manager/reserved-memory/is-never-given", on=(Arrival, Start))
def reserved_memory_is_never_given(start: Arrival | Start) -> Iterator[Violation]:
    """What a NUMA node has to give is what it has, in huge pages or not, less what is reserved on it."""
    applies(start.settings.memory_static, "the Memory Manager's policy is None")
    applies(any(one.tables for one in start.memory), "the books of its memory are not told")
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


@judges("memory-manager/static/guarantees-memory-to-guaranteed-pods", on=(OnNode, MayRun))
def memory_is_where_it_was_given(container: OnNode | MayRun) -> Iterator[Violation]:
    """A container whose memory is guaranteed on NUMA nodes may use these, and its threads no others."""
    applies(container.settings.memory_static, "the Memory Manager's policy is None")
    runs = applies(container.runs, "it is not seen what the container runs on")
    blocks = (container.held.memory if container.held else None) or ()
    applies(any(block.bytes for block in blocks), "the container has no memory of its own")
    nodes = reduce(or_, (block.nodes for block in blocks))  # also of what an init container has left of it
    facts = container.about("mems", "memory")
    if runs.mems is not None and int(runs.mems) != nodes:
        why = f"the cgroup of container {container.key} takes memory from other NUMA nodes than it is guaranteed on"
        yield Violation(why, format_bits(runs.mems or 0) or "any", format_bits(nodes), about=facts)
        return
    for threads in runs.threads:
        yield from violated(
            threads.mems is None or not threads.mems & ~nodes,
            f"{threads} of container {container.key} may take memory from other NUMA nodes",
            got=format_bits(threads.mems or 0),
            allowed=format_bits(nodes),
            about=(f"thread:{threads.first}", *facts),
        )


def told_memory(held: Held | None) -> str:
    """Write the memory that a container holds."""
    return ", ".join(map(str, (held.memory if held else None) or ())) or "none"
