"""Memory over a node's life under the policy Static, and None. Page: Utilizing the NUMA-aware Memory Manager."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations, islice

from ...cpuset import bit_of, bits_of, format_bits, union
from ...judging.alignment import ResourceRequest, memory_of
from ...judging.chapter import Chapter, Judgement, Violation, applies, judges, recommended_by, rests_on, violated
from ...judging.may_run import MayRun
from ...judging.node_subjects import Admission, NodeMoment
from ...judging.pods import GUARANTEED
from ...judging.rest import REMOVAL, Rest
from ...judging.room import Room, allocatable
from ...judging.shared_views import NodeContainer
from ...judging.sighting import bytes_of_blocks
from ...wire.history.quantities import size_text
from ...wire.history.values import nodes_text
from ..alignment import at_once, leaving_a_cpu, one_node_can_give_all, plain_pod, with_memory
from ..conditions import admitted, memory_none, memory_static, under, without_pod_resources
from ..outcomes import losses, memory_in_words, memory_text, must_be_admitted, must_be_refused

chapter = Chapter("memory-manager/static", since="1.21")
policy_none = Chapter("memory-manager/none", since="1.21")


@chapter.requires("memory-manager/static/guarantees-memory-to-guaranteed-pods")
@rests_on(
    "memory/head/guarantees",
    "memory/static/hints-and-reserves",
    "nrm/memory/guarantees-memory",
    "memory/guaranteed/specific-hints",
    "memory/how/cpuset-mems",
)
def guarantees_memory(admission: Admission) -> Judgement:
    """Every container of a Guaranteed pod is given memory of the size it asks for, on named NUMA nodes, and may
    use no others.
    """
    memory_static(admission)
    without_pod_resources(admission)
    admitted(admission)
    applies(admission.pod.qos == GUARANTEED, "the pod is not Guaranteed")
    return _given_as_asked(admission, "memory", lambda kind: True)


@judges("memory-manager/static/guarantees-memory-to-guaranteed-pods")
def memory_is_where_it_was_given(container: NodeContainer | MayRun) -> Iterator[Violation]:
    """A container whose memory is guaranteed on NUMA nodes may use these, and its threads no others."""
    memory_static(container)
    runs = applies(container.runs, "it is not seen what the container runs on")
    blocks = (container.held.memory if container.held else None) or ()
    applies(any(block.bytes for block in blocks), "the container has no memory of its own")
    nodes = union(block.nodes for block in blocks)  # also of what an init container has left of it
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


def _given_as_asked(admission: Admission, what: str, counts: Callable[[str], bool]) -> Iterator[Violation]:
    """Judge that containers are given as many bytes as they ask for of each type that counts."""
    for container in (each for each in admission.pod.containers if each.kind != "init"):
        held, got = admission.held.get(container.name), Counter[str]()
        for block in held.blocks if held else ():
            got[block.type] += block.bytes
        wanted = Counter(memory_of(admission.before, admission.pod, container))
        yield from violated(
            all(got[kind] == wanted[kind] for kind in {*got, *wanted} if counts(kind)),
            f"container {container.name} of pod {admission.pod.uid} is given other {what} than it asks for",
            got=memory_in_words(held),
            allowed=memory_text(wanted),
        )


@policy_none.requires("memory-manager/none/pins-nothing")
@rests_on("memory/none/does-nothing", "memory/none/default-hint")
def none_pins_nothing(container: NodeContainer) -> Judgement:
    """Policy None pins no container to NUMA nodes' memory."""
    memory_none(container)
    return _has_no_memory(container, "under policy None")


@chapter.requires("memory-manager/static/leaves-other-classes-alone")
@rests_on("memory/static/other-classes")
def leaves_other_classes_alone(container: NodeContainer) -> Judgement:
    """Containers of Burstable and BestEffort pods are given no memory of their own."""
    memory_static(container)
    applies(container.qos not in (GUARANTEED, None), "the pod is Guaranteed, or its class is not known")
    return _has_no_memory(container, f"in a {container.qos} pod")


def _has_no_memory(container: NodeContainer, where: str) -> Judgement:
    held = applies(container.held, "its pod was refused")
    applies(held.memory is not None, "the container's memory is not reported")
    why = f"container {container.key} has memory of its own {where}"
    return violated(
        not held.blocks, why, got=memory_in_words(held), allowed="none", about=container.about("memory", "qos")
    )


@chapter.requires("memory-manager/hugepages/come-from-named-nodes", "memory-manager/hugepages")
@rests_on("memory/head/guarantees", "kep-1769/hints/every-type-counts", "nrm/memory/guarantees-huge-pages")
def huge_pages_come_from_named_nodes(container: NodeContainer) -> Iterator[Violation]:
    """Huge pages of a Guaranteed pod are given per page size, on named NUMA nodes, within the pages of these
    nodes.
    """
    memory_static(container)
    blocks = bytes_of_blocks(container.held.blocks if container.held else ())
    pages = applies([place for place in blocks if place[0] != "memory"], "the container has no huge pages of its own")
    room = allocatable(container.machine, container.settings.reserved_memory)
    for kind, nodes in pages:
        have = [node for node, amounts in room.items() if amounts.get(kind, 0) > 0]
        yield from violated(
            any(nodes >> node & 1 for node in have),
            f"container {container.key} is given {kind} on a NUMA node that has none",
            got=format_bits(nodes),
            allowed=nodes_text(bits_of(have)),
            about=container.about("memory"),
        )


@judges("memory-manager/hugepages/come-from-named-nodes")
def huge_pages_are_given_by_size(admission: Admission) -> Judgement:
    """Every container of a Guaranteed pod gets the huge pages that it asks for, size by size."""
    memory_static(admission)
    plain_pod(admission)
    admitted(admission)
    applies(any(kind != "memory" for kind in admission.request.memory), "no container asks for huge pages")
    return _given_as_asked(admission, "huge pages", lambda kind: kind != "memory")


@judges("memory-manager/hugepages/come-from-named-nodes")
def gives_no_more_huge_pages_than_there_are(moment: NodeMoment) -> Judgement:
    """Huge pages of a size are given within the pages of these NUMA nodes."""
    applies(any(len(kinds) > 1 for kinds in Room.of(moment.world).allocatable.values()), "there are no huge pages")
    return overdrafts(moment, lambda nodes, kind: kind != "memory")


@chapter.requires("memory-manager/hugepages/are-not-overcommitted", "memory-manager/hugepages")
@rests_on("huge-pages/api/no-overcommit", "nrm/memory/guarantees-huge-pages")
def huge_pages_are_not_overcommitted(admission: Admission) -> Judgement:
    """A Guaranteed pod is refused that asks for more huge pages of a size than other pods have left of all."""
    memory_static(admission)
    plain_pod(admission)
    pages = {kind: size for kind, size in with_memory(admission).items() if kind != "memory"}
    applies(not Room.of(admission.before).gives(pages), "the machine may have so many huge pages left")
    return must_be_refused(admission, "though fewer huge pages are left than it asks for")


def with_pods(moment: NodeMoment) -> None:
    memory_static(moment)
    applies(moment.world.pods, "no pod is on the node")


def overdrafts(moment: NodeMoment, counts: Callable[[int, str], bool], what: str = "is there") -> Iterator[Violation]:
    """Judge that no NUMA nodes (bits) that count give more than they have, the first ones alone."""
    with_pods(moment)
    over = (excess for excess in moment.overdrawn if counts(*excess[:2]))
    for nodes, kind, out, had in islice(over, 1):
        why = f"more {kind} is given from {nodes_text(nodes)} than {what}"
        yield Violation(why, size_text(out), f"{size_text(had)} at most")


@chapter.requires("memory-manager/static/never-gives-more-than-is-free")
@rests_on(
    "memory/static/hints-and-reserves", "troubleshooting/state/group-amounts-add-up", "reserve/eviction/not-available"
)
def never_gives_more_than_there_is(moment: NodeMoment) -> Judgement:
    """The memory given from a NUMA node never exceeds what the node has beyond its reservation."""
    return overdrafts(moment, lambda nodes, kind: True)  # a set of several nodes too


@judges("memory-manager/static/never-gives-more-than-is-free")
def books_count_what_is_given(moment: NodeMoment) -> Iterator[Violation]:
    """What NUMA nodes have free is what they have less what containers hold: over all, and over each outside groups."""
    with_pods(moment)
    applies(any(node.free for node in moment.memory), "no answer says what NUMA nodes have free")
    room, books = Room.of(moment.world), {bit_of(node.node): node.free or {} for node in moment.memory}
    for nodes in (sum(books), *(node for node in books if not node & room.grouped)):
        for kind in sorted({kind for free in books.values() for kind in free}):
            free = sum(free.get(kind, 0) for node, free in books.items() if node & nodes)
            most = max(room.left_of(nodes, kind), 0)
            if free > most:
                why = f"the books of {nodes_text(nodes)} have {kind} free that containers hold"
                yield Violation(why, size_text(free), f"{size_text(most)} at most")


@chapter.requires("memory-manager/static/keeps-groups-apart", "topology-manager/restricted")
@recommended_by(
    "kep-1769/groups/disjoint",
    "kep-1769/groups/inseparable",
    "memory/how/groups",
    beyond="The page leaves the handling of groups to the proposal.",
)
def keeps_groups_apart(moment: NodeMoment) -> Judgement:
    """A NUMA node that serves a container together with other NUMA nodes serves no container alone, and belongs
    to one group at a time.
    """
    with_pods(moment)
    under(moment, "restricted")
    groups = sorted(Room.of(moment.world).groups)
    crossing = [(first, second) for first, second in combinations(groups, 2) if first & second]
    why = "NUMA nodes serve containers in several groups"
    got = ", ".join(f"{format_bits(first)} and {format_bits(second)}" for first, second in crossing)
    return violated(not crossing, why, got=got, allowed="one group for each NUMA node")


@chapter.requires("memory-manager/static/refuses-what-does-not-fit")
@rests_on(
    "troubleshooting/error/without-enough",
    "memory/head/hints-and-policy-decide",
    "nrm/memory/gives-hints",
    "nrm/memory/hints-and-policy-decide",
)
def refuses_what_does_not_fit(admission: Admission) -> Judgement:
    """A Guaranteed pod whose memory does not fit is refused."""
    memory_static(admission)
    plain_pod(admission)
    memory, room = with_memory(admission), Room.of(admission.before)
    if admission.settings.topology == "single-numa-node" and admission.is_aligned_at_once:
        lacks = not room.nodes_that_hold(ResourceRequest(0, memory, {}), surely=False)
    else:
        lacks = not room.gives(memory)
    applies(lacks, "the NUMA nodes may have so much memory")
    return must_be_refused(admission, "though NUMA nodes have less memory than it asks for")


@chapter.requires("memory-manager/static/returns-memory-on-removal")
@rests_on("memory/static/hints-and-reserves", beyond="No page says when the memory of a removed pod returns.")
def memory_returns(admission: Admission) -> Judgement:
    """The memory of a removed pod is free again."""
    memory_static(admission)
    at_once(admission)
    leaving_a_cpu(admission)
    memory = with_memory(admission)
    one_node_can_give_all(admission)
    before = Room.of(admission.before.with_all_that_went).nodes_that_hold(ResourceRequest(0, memory, {}), surely=False)
    applies(not before, "NUMA nodes could give all without what removed pods had")
    return must_be_admitted(admission, "though a NUMA node has all it asks for, some of which removed pods had")


@judges("memory-manager/static/returns-memory-on-removal")
def the_books_show_it_as_free(rest: Rest) -> Iterator[Violation]:
    """The books of NUMA nodes have free what a removed pod had."""
    applies(rest.event == REMOVAL, "no pod is removed")
    applies(rest.balances, "no answer says what NUMA nodes have free")
    return losses(rest)
