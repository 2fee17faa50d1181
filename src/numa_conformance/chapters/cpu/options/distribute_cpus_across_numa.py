"""distribute-cpus-across-numa. Page: Node Resource Managers."""

from ....cpuset import format_bits
from ....judging.chapter import Chapter, Judgement, applies, exists, rests_on, violated
from ....judging.choice import ACROSS_NUMA, BY_SOCKET, BY_UNCORE, WHOLE_CORES, CpuChoice, can_be_shared, touched
from ..choices import in_one, off, on, took
from .maturity import maturity

chapter = Chapter("cpu-manager/static", f"cpu-manager/{ACROSS_NUMA}", since="1.23", area="cpu-manager options")
maturity(
    chapter,
    ACROSS_NUMA,
    available="cpu-manager/distribute-cpus-across-numa/is-available",
    hidden="cpu-manager/distribute-cpus-across-numa/stays-hidden",
    placements="exact/placements/distribute-cpus-across-numa",
)


def distributed(choice: CpuChoice, *, in_one_socket: bool = False) -> tuple[int, int]:
    """Go on where CPUs are divided: return them, and by how many the shares of NUMA nodes may differ.

    ``in_one_socket``: with align-by-socket too, where they are of one.
    """
    taken = took(choice)
    on(choice, ACROSS_NUMA)
    off(choice, BY_UNCORE)
    if not (in_one_socket and len(touched(choice.machine.socket_bits.values(), taken)) == 1):
        off(choice, BY_SOCKET)
    applies(choice.scope, "the NUMA nodes of the hint cannot give so many")
    apart = exists(_apart(choice, taken), "under full-pcpus-only parts of cores are asked for, or no even shares are")
    return taken, apart


def _apart(choice: CpuChoice, taken: int) -> int | None:
    """Return by how many CPUs shares may differ; under full-pcpus-only by a core, None where cores make no shares."""
    if WHOLE_CORES not in choice.options:
        return 1
    if choice.even:
        return None if choice.count % choice.threads else choice.threads
    cores = [[core for core in choice.free_cores if core & node] for node in touched(choice.numa, taken)]
    return next((apart for apart in range(choice.threads + 1) if can_be_shared(cores, choice.count, apart)), None)


@chapter.requires("cpu-manager/distribute-cpus-across-numa/keeps-one-node-where-one-suffices")
@rests_on("nrm/distribute-cpus-across-numa/only-where-needed")
def keeps_one_node(choice: CpuChoice) -> Judgement:
    """A request that one NUMA node can hold is still given from one NUMA node: the option concerns only requests
    that need more than one.
    """
    taken, _ = distributed(choice)
    return in_one(choice, taken, choice.numa, "NUMA node")


@chapter.twin(
    "cpu-manager/distribute-cpus-across-numa/spreads-evenly-in-use",
    "CPUs are divided evenly over the NUMA nodes needed, on a machine in use too, and in whole cores of two sizes.",
    rests_on=("nrm/distribute-cpus-across-numa/even-in-use",),
)
@chapter.requires("cpu-manager/distribute-cpus-across-numa/spreads-evenly")
@rests_on(
    "nrm/distribute-cpus-across-numa/even",
    "nrm/distribute-cpus-across-numa/even-over-many-nodes",
    "nrm/distribute-cpus-across-numa/even-in-use",
    "nrm/options/distribute-cpus-across-numa",
)
def spreads_evenly(choice: CpuChoice, in_use: bool = False) -> Judgement:
    """Where one NUMA node is not enough, the exclusive CPUs of a container are divided evenly over the NUMA nodes
    that are needed.
    """
    taken, apart = distributed(choice, in_one_socket=not in_use)
    clear = choice.whole(choice.numa) and (choice.even or WHOLE_CORES not in choice.options)
    nodes = touched(choice.numa, taken)
    if in_use:
        applies(not clear, "every NUMA node is free as a whole or taken")
        used = len(nodes)
        applies(used > 1, "one NUMA node was used")
        room, step = choice.room(choice.scope), choice.threads if WHOLE_CORES in choice.options else 1
        share = -(-choice.count // (used * step)) * step
        able = sum((node & room).bit_count() >= share for node in choice.numa)
        applies(able >= used, "fewer NUMA nodes than were used can give their share")
    else:
        applies(clear, "some NUMA node is partly in use, or under full-pcpus-only cores differ in threads")
        sizes = {(node & choice.scope).bit_count() for node in choice.numa} - {0}
        applies(len(sizes) == 1, "the NUMA nodes that can give some differ in size")
        applies(choice.count > min(sizes), "one NUMA node can give so many")
        applies(min(sizes) > 2 * apart, "NUMA nodes are too small for shares that are uneven")
    shares = sorted((node & taken).bit_count() for node in nodes)
    why = f"the shares of the NUMA nodes are {', '.join(map(str, shares))}"
    allowed = f"several shares that differ by {apart} at most"
    return violated(len(shares) > 1 and shares[-1] - shares[0] <= apart, why, got=format_bits(taken), allowed=allowed)
