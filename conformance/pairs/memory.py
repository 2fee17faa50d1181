"""Nodes that reserve, give and hint memory wrongly, each by one sentence, and nodes that do it rightly."""

from msgspec.structs import replace

from numa_conformance.asking.generators.workloads import burstable, guaranteed, kubelet, pinning, static, static_memory
from numa_conformance.chapters.memory import hints, numa_nodes, reserved_memory, state_file
from numa_conformance.chapters.memory import static as policy
from numa_conformance.judging.files import MEMORY_FILE
from numa_conformance.judging.may_run import MayRun
from numa_conformance.judging.node_subjects import Arrival, NodeMoment, Restart
from numa_conformance.judging.offered import MemoryHints
from numa_conformance.judging.rest import REMOVAL, Balance, Rest
from numa_conformance.judging.room import allocatable
from numa_conformance.judging.start_subjects import Start
from numa_conformance.judging.world import World
from numa_conformance.sources.versions import NEWEST
from numa_conformance.wire.history.values import Affinity, HoldingBits, MemoryBits, NodeBits
from numa_conformance.wire.messages.node import MemoryNode, MemoryTable

from .worlds import admitted, aligned, bits, block, held, node, refused, resident, sighting, start

MACHINE, PAGES = "two-nodes-hugepages", "hugepages-2Mi"
IDLE, NONE = (node(MACHINE, config) for config in (static_memory(), static()))
SMALL, SIX, LARGE = (guaranteed("p", 1, f"{gib}Gi") for gib in (1, 6, 17))
SHARING = burstable("p", 1)
WITH_PAGES, TOO_MANY = (guaranteed(uid, 1, "1Gi", **{PAGES: size}) for uid, size in (("p", "64Mi"), ("q", "514Mi")))


def holds(gib: int, on: int = 1, cpus: str = "1") -> HoldingBits:
    """Describe what a container holds: a CPU, and memory of a NUMA node."""
    return held(cpus, memory=[block("memory", gib, on)])


def pages(mib: int) -> HoldingBits:
    """Describe what a container holds: a GiB of the second NUMA node, and huge pages there."""
    return held("1", memory=[block("memory", 1, 1), MemoryBits(PAGES, mib << 20, NodeBits(0b10))])


def up(topology: str = "none", **pods: HoldingBits) -> World:
    """Describe a node with pods that ask for a GiB of memory each."""
    return node(
        MACHINE, static_memory(topology), *(resident(guaranteed(uid, 1, "1Gi"), c=has) for uid, has in pods.items())
    )


def grouped(*nodes: int) -> NodeMoment:
    """Give each of two pods a GiB of some NUMA nodes (bits)."""
    first, second = (held(memory=[MemoryBits("memory", 1 << 30, NodeBits(bits))]) for bits in nodes)
    return NodeMoment(up("restricted", p=first, q=second))


def books_with(free: int) -> NodeMoment:
    """Describe books by which so many GiB are free of NUMA node 0, where a pod holds one."""
    return NodeMoment(up(p=holds(1, on=0)), (MemoryNode(0, 1, [0], {"memory": free << 30}),))


def emptied(free: int) -> Rest:
    """Describe books after a pod was removed that had a GiB of NUMA node 0, of which 6 GiB were free."""
    return Rest(up(p=holds(1, on=0)), REMOVAL, "p", (), (Balance(1, "memory", free << 30, 7 << 30),))


def taking_memory_from(nodes: str) -> MayRun:
    """Describe a container that has a GiB of NUMA node 0."""
    memory = replace(holds(1, on=0), mems=bits(nodes))
    return MayRun(up(p=memory), "p", "c", memory, True)


REMOVED = up("single-numa-node", a=holds(6, on=0), b=holds(6)).removed("a")

NODE = node("two-nodes-hugepages-devices", static_memory(topology="best-effort"))
ON_BOTH, ON_0 = (
    admitted(NODE, guaranteed("p", 1, "1Gi"), c=held("1", memory=[MemoryBits("memory", 1 << 30, NodeBits(nodes))]))
    for nodes in (0b11, 0b01)
)

ANY, FIRST, SECOND = Affinity(None, True), Affinity(NodeBits(0b01), True), Affinity(NodeBits(0b10), True)
BOTH, WRONGLY_BOTH = (Affinity(NodeBits(0b11), preferred) for preferred in (False, True))


def hinted(gib: int, *hints: Affinity, mib_of_pages: int = 0) -> MemoryHints:
    """Describe the hints for what a Guaranteed pod asks for."""
    amounts = {"memory": gib << 30} | ({"hugepages-2Mi": mib_of_pages << 20} if mib_of_pages else {})
    return MemoryHints(IDLE, "Guaranteed", amounts, {"memory": hints})


def default_hint(hint: Affinity, world: World = IDLE) -> MemoryHints:
    """Describe the hint for a Burstable pod."""
    return MemoryHints(world, "Burstable", {}, {"memory": (hint,)})


GIB = 1 << 30


def starts(*entries: tuple[int, str, str], **more: dict[str, str]) -> tuple[Start, Start]:
    """Describe a node that comes up with entries of reservedMemory (NUMA node, type, amount), and one that does not."""
    listed = [{"numaNode": node, "limits": {kind: amount}} for node, kind, amount in entries]
    config = kubelet(**{**pinning(0), "reservedMemory": listed, **more})
    came_up, down = (start(MACHINE, config, up=up, version=str(NEWEST)) for up in (True, False))
    return came_up, down


def gives(gib: float) -> NodeMoment:
    """Give so much of NUMA node 0, where 356 MiB are reserved, and 7.5 GiB are not in huge pages."""
    memory = [MemoryBits("memory", int(gib * GIB), NodeBits(0b01))]
    return NodeMoment(node(MACHINE, static_memory(), resident(guaranteed("p", 1, "1Gi"), c=held("1", memory=memory))))


def books(more: int) -> Arrival:
    """Describe a node that reserves a GiB of NUMA node 0, and whose books have so many GiB too many to give there."""
    world = node(MACHINE, static_memory(reservedMemory=[{"numaNode": 0, "limits": {"memory": "1Gi"}}]))
    room = allocatable(world.machine, world.settings.reserved_memory)
    room[0]["memory"] += more * GIB
    tables = ({kind: MemoryTable(each, 0, each, 0, each) for kind, each in kinds.items()} for kinds in room.values())
    return Arrival(world.settings, world, memory=[MemoryNode(n, 0, [n], tables=each) for n, each in enumerate(tables)])


BEFORE = up(p=holds(1))


def same(on: int) -> Restart:
    """Restart a node whose pod has a GiB of NUMA node 1."""
    return Restart(BEFORE, BEFORE, True, {"p": {"c": holds(1, on)}})


def to_none(up: bool) -> Restart:
    """Restart a node with the memory policy None and the state file of policy Static."""
    return Restart(IDLE, NONE if up else None, False, wanted=NONE.settings)


PAIRS = {
    policy.guarantees_memory: (admitted(IDLE, SMALL, c=held("1")), admitted(IDLE, SMALL, c=holds(1))),
    policy.none_pins_nothing: (admitted(NONE, SMALL, c=holds(1)), admitted(NONE, SMALL, c=held("1"))),
    policy.leaves_other_classes_alone: (
        admitted(IDLE, SHARING, c=holds(1, cpus="")),
        admitted(IDLE, SHARING, c=held()),
    ),
    policy.huge_pages_come_from_named_nodes: (
        admitted(IDLE, SMALL, c=held("1", memory=[block("hugepages-1Gi", 1, 1)])),
        admitted(IDLE, SMALL, c=pages(64)),
    ),
    policy.huge_pages_are_given_by_size: (
        admitted(IDLE, WITH_PAGES, c=holds(1)),
        admitted(IDLE, WITH_PAGES, c=pages(64)),
    ),
    policy.huge_pages_are_not_overcommitted: (
        admitted(up(p=pages(512)), TOO_MANY, c=pages(513)),
        refused(up(p=pages(512)), TOO_MANY),
    ),
    policy.gives_no_more_huge_pages_than_there_are: (NodeMoment(up(p=pages(600))), NodeMoment(up(p=pages(512)))),
    policy.never_gives_more_than_there_is: (NodeMoment(up(p=holds(8))), NodeMoment(up(p=holds(7)))),
    policy.books_count_what_is_given: (books_with(free=7), books_with(free=6)),
    policy.keeps_groups_apart: (grouped(0b01, 0b11), grouped(0b01, 0b10)),
    policy.refuses_what_does_not_fit: (admitted(IDLE, LARGE, c=holds(17)), refused(IDLE, LARGE)),
    policy.memory_returns: (refused(REMOVED, SIX), admitted(REMOVED, SIX, c=holds(6, on=0))),
    policy.the_books_show_it_as_free: (emptied(free=6), emptied(free=7)),
    policy.memory_is_where_it_was_given: (taking_memory_from("0-1"), taking_memory_from("0")),
    numa_nodes.memory_of_the_fewest_nodes: (ON_BOTH, ON_0),
    numa_nodes.memory_of_the_fewest_nodes_around: (aligned(ON_BOTH, "c"), aligned(ON_0, "c")),
    hints.can_guarantee: (hinted(10, FIRST), hinted(10, BOTH)),
    hints.every_type_counts: (hinted(1, FIRST, mib_of_pages=600), hinted(1, BOTH, mib_of_pages=600)),
    hints.gives_no_hint_where_none_can: (hinted(20, ANY), hinted(20)),
    hints.guaranteed_pods_have_some: (hinted(1, ANY), hinted(1, FIRST)),
    hints.default_for_other_classes: (default_hint(FIRST), default_hint(ANY)),
    hints.default_under_none: (default_hint(FIRST, NONE), default_hint(ANY, NONE)),
    hints.offers_every_narrowest_set: (hinted(1, FIRST, BOTH), hinted(1, FIRST, SECOND, BOTH)),
    hints.preferred_is_narrowest: (hinted(1, FIRST, WRONGLY_BOTH), hinted(1, FIRST, BOTH)),
    reserved_memory.reserved_memory_is_mandatory: starts(),
    reserved_memory.reserved_memory_must_match: starts((0, "memory", "355Mi")),
    reserved_memory.reserved_memory_that_matches: starts((0, "memory", "100Mi"), (1, "memory", "256Mi"))[::-1],
    reserved_memory.other_thresholds_end_the_default: starts(
        (0, "memory", "356Mi"), evictionHard={"nodefs.available": "5%"}
    ),
    reserved_memory.refuses_duplicates: starts((0, "memory", "178Mi"), (0, "memory", "178Mi")),
    reserved_memory.refuses_zero_limits: starts((0, "memory", "356Mi"), (1, "memory", "0")),
    reserved_memory.refuses_unknown_numa_nodes: starts((9, "memory", "356Mi")),
    reserved_memory.refuses_unknown_types: starts((0, "memory", "356Mi"), (0, "swap", "1")),
    reserved_memory.never_gives_what_is_reserved: (gives(7.5), gives(7)),
    reserved_memory.has_no_reserved_memory_to_give: (books(1), books(0)),
    state_file.memory_survives_a_restart: (same(0), same(1)),
    state_file.memory_file_fits: (
        sighting(BEFORE, of=MEMORY_FILE, policy="Static", damage="the checksum is another"),
        sighting(BEFORE, of=MEMORY_FILE, policy="Static"),
    ),
    state_file.memory_policy_change_is_refused: (to_none(up=True), to_none(up=False)),
}
