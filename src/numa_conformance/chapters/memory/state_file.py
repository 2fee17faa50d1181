"""The Memory Manager's state file. Page: Troubleshooting Topology Management, on what the file holds."""

from collections import Counter
from collections.abc import Iterator

from ...judging.chapter import Chapter, Judgement, Violation, applies, judges, rests_on, violated
from ...judging.files import MEMORY_FILE, MEMORY_POLICY
from ...judging.node_subjects import Restart
from ...judging.rest import MEMORY
from ...judging.room import whole
from ...judging.shared_views import FoundFile
from ...judging.sighting import Sighting, bytes_of_blocks
from ...wire.history.quantities import size_text
from ..conditions import memory_static, plain
from ..outcomes import changed
from ..restart import can_be_read, is_of_the_same

chapter = Chapter(since="1.21")

ABOUT = (f"file:{MEMORY_FILE}",)


@chapter.requires("memory-manager/state-file/assignments-survive-a-restart", "memory-manager/static", "node/restart")
@rests_on(
    "troubleshooting/state/file",
    beyond="The page shows what the file holds; that containers keep their memory over a restart it does not say.",
)
def memory_survives_a_restart(restart: Restart) -> Iterator[Violation]:
    """The memory of running containers is the same after the node agent restarts."""
    plain(restart)
    memory_static(restart)
    applies(restart.after is not None, "the node does not come up")
    applies(restart.before.pods, "no pod is on the node")
    return changed(MEMORY, restart.readmitted, "a restart")


@judges("memory-manager/state-file/assignments-survive-a-restart")
def memory_file_fits(sighting: Sighting) -> Judgement:
    """The file that holds the assignments can be read, and has the memory that the machine has."""
    return list(can_be_read(sighting, MEMORY_FILE)) or [*_wrong_books(sighting), *_wrong_sums(sighting)]


def _wrong_books(sighting: Sighting) -> Iterator[Violation]:
    """Compare the books of each NUMA node with its memory, and their sums."""
    machine = {node.node: whole(node) for node in sighting.world.machine.memory}
    for book in sighting.memory or ():
        node, tables = book["node"], book["tables"]
        if node not in machine:
            yield Violation(f"the file mentions NUMA node {node}, which the machine does not have", about=ABOUT)
            continue
        for kind, size in machine[node].items():
            total = tables[kind]["total"] if kind in tables else 0
            if size and kind not in tables:
                why = f"the file does not mention {kind} on NUMA node {node}, which the machine has"
                yield Violation(why, "nothing", size_text(size), about=ABOUT)
            elif total != size and (size or kind != "memory"):
                why = f"the file has other {kind} on NUMA node {node} than the machine has"
                yield Violation(why, size_text(total), size_text(size), about=ABOUT)
        for kind, table in tables.items():
            yield from violated(
                table["reserved"] + table["free"] == table["allocatable"],
                f"the books of {kind} on NUMA node {node} do not add up",
                got=f"{size_text(table['reserved'])} reserved and {size_text(table['free'])} free",
                allowed=f"{size_text(table['allocatable'])} together",
                about=ABOUT,
            )


def _wrong_sums(sighting: Sighting) -> Iterator[Violation]:
    """Compare what NUMA nodes have given by their books with what containers hold, over all nodes."""
    if sighting.memory is None or not sighting.settings.memory_static:
        return
    held, booked = Counter[str](), Counter[str]()
    for container in sighting.containers:
        for (kind, _), number in bytes_of_blocks(container.held.memory).items():
            held[kind] += number
    for book in sighting.memory:
        for kind, table in book["tables"].items():
            booked[kind] += table["reserved"]
    for kind in sorted(held.keys() | booked.keys()):
        why = f"the books say that other {kind} is given out than containers have"
        yield from violated(
            held[kind] == booked[kind], why, got=size_text(booked[kind]), allowed=size_text(held[kind]), about=ABOUT
        )


@chapter.requires(
    "memory-manager/state-file/policy-change-is-refused",
    "node/restart",
    "memory-manager/static",
    "memory-manager/state-file",
)
@rests_on(
    "troubleshooting/state/file",
    beyond="The page shows that the file holds the policy; what becomes of another one it does not say.",
)
def memory_policy_change_is_refused(file: FoundFile) -> Judgement:
    """The node does not come up with another Memory Manager policy than that of the state file left on it."""
    return is_of_the_same(file, MEMORY_POLICY)
