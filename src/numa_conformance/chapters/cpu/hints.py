"""Which NUMA nodes are hinted for exclusive CPUs. Page: the walk through the Topology Manager, CPU Manager hints.

Control Topology Management Policies on a node says that the hint is a default one where nothing is to be aligned.
"""

from ...cpuset import bit_of, bits_of, format_bits
from ...judging.chapter import Chapter, Judgement, applies, exists, recommended_by, rests_on, violated
from ...judging.choice import BY_SOCKET, WHOLE_CORES
from ...judging.hinted import CpuHints
from ...wire.history.values import Affinity
from ..conditions import without_option
from ..outcomes import is_no_opinion, listed, must_give_no_hint, must_prefer_the_narrowest, sets_text

chapter = Chapter("cpu-manager/static", "cpu-manager/hints", since="1.27")


def wanted(hints: CpuHints) -> None:
    applies(hints.wanted, "no exclusive CPUs are asked for")


def wanted_anew(hints: CpuHints) -> None:
    wanted(hints)
    applies(hints.held is None, "the container holds CPUs already")


def holds_no_other_number(hints: CpuHints) -> None:
    applies(not hints.of_another_number, "the container holds CPUs in another number than it asks for")


@chapter.requires("cpu-manager/hints/none-without-exclusive-cpus", since="1.18", area="cpu-manager lifecycle")
@rests_on(
    "topology/interactions/specs-1-and-2-have-no-cpu-hint",
    "topology/interactions/spec-4-hints",
    "topology/interactions/spec-5-hints",
    beyond="The page speaks of a default hint; one that is given explicitly is not accepted.",
)
def none_without_exclusive_cpus(hints: CpuHints) -> Judgement:
    """A container without exclusive CPUs gives the CPU Manager no opinion on NUMA affinity."""
    applies(not hints.wanted, "exclusive CPUs are asked for")
    why = "hints are offered for what has no exclusive CPUs"
    return violated(is_no_opinion(hints.offered), why, got=listed(hints.offered), allowed="no opinion")


@chapter.requires("cpu-manager/hints/every-hint-can-hold-the-request", since="1.18", area="cpu-manager lifecycle")
@recommended_by(
    "kep-693/hints/masks-can-satisfy",
    "topology-source/cpu-hints/too-few-free",
    "topology/how/hints",
    "topology-source/cpu-hints/available",
    "topology-source/cpu-hints/every-combination",
)
def every_hint_can_hold(hints: CpuHints) -> Judgement:
    """Each hint names NUMA nodes whose free CPUs can hold the request, and every set of nodes that can is named."""
    wanted(hints)
    holds_no_other_number(hints)
    offered = applies(hints.offered, "no hint is offered")
    nodes = bits_of(hints.machine.numa_ids)
    wrong = [hint for hint in offered if not _can_hold(hints, hint) or (hint.nodes or 0) & ~nodes]
    if not wrong:
        return ()
    why = f"{listed(wrong)} cannot hold {hints.count} CPUs"
    allowed = f"NUMA nodes with {hints.count} of {format_bits(hints.room)}"
    return violated(False, why, got=listed(offered), allowed=allowed, room=hints.room)


def _can_hold(hints: CpuHints, hint: Affinity) -> bool:
    """Whether a hint can hold the request; any node at all is all of them, one by one, if that is preferred."""
    if hint.nodes is not None:
        return hints.holds(hint.nodes)
    return not hint.preferred or all(hints.holds(bit_of(node)) for node in hints.nodes)


@chapter.requires("cpu-manager/hints/offers-every-narrowest-set")
@recommended_by(
    "topology-source/cpu-hints/every-combination",
    "topology-source/cpu-hints/narrowest-is-preferred",
    "topology-source/cpu-hints/picture",
)
def offers_every_narrowest_set(hints: CpuHints) -> Judgement:
    """Every set of as few NUMA nodes as the request needs whose free CPUs can hold it is hinted."""
    wanted_anew(hints)
    width = max(hints.widths)
    return _offers(hints, [nodes for nodes in hints.sets if nodes.bit_count() == width])


@chapter.requires("cpu-manager/hints/offers-every-set-that-fits")
@recommended_by("topology-source/cpu-hints/every-combination")
def offers_every_set(hints: CpuHints) -> Judgement:
    """Every wider set of NUMA nodes whose free CPUs can hold the request is hinted too."""
    wanted_anew(hints)
    width = max(hints.widths)
    return _offers(hints, [nodes for nodes in hints.sets if nodes.bit_count() > width])


def _offers(hints: CpuHints, sets: list[int]) -> Judgement:
    able = applies([nodes for nodes in sets if hints.surely_holds(nodes)], "no such set surely has so many free CPUs")
    missing = [nodes for nodes in able if nodes not in hints.named]
    if not missing:
        return ()
    why = f"{sets_text(missing)} can hold {hints.count} CPUs and is not offered"
    return violated(False, why, got=listed(hints.offered), allowed=sets_text(able), room=hints.room)


@chapter.requires("cpu-manager/hints/preferred-is-narrowest", since="1.18", area="cpu-manager lifecycle")
@recommended_by(
    "topology/how/narrowest-preferred",
    "kep-693/hints/preferred-as-if-empty",
    "topology-source/cpu-hints/size-counts-all-cpus",
    "topology-source/cpu-hints/narrowest-is-preferred",
)
def preferred_is_narrowest(hints: CpuHints) -> Judgement:
    """A hint is preferred exactly when no smaller number of NUMA nodes could hold the request on an empty
    machine.
    """
    wanted(hints)
    applies(hints.named, "no hint names NUMA nodes")
    applies(hints.sets, "the machine has too many NUMA nodes to look at every set of them")
    holds_no_other_number(hints)
    without_option(hints, BY_SOCKET)
    rows = [(hint.nodes, hint.preferred) for hint in hints.offered or () if hint.nodes is not None]
    return must_prefer_the_narrowest(rows, hints.widths, listed(hints.offered))


@chapter.requires("cpu-manager/hints/init-cpus-are-reusable", "cpu-manager/init-containers")
@recommended_by("topology-source/cpu-hints/reusable")
def init_cpus_are_reusable(hints: CpuHints) -> Judgement:
    """CPUs of an ended init container count as free in the hints of its pod's later containers."""
    wanted_anew(hints)
    applies(hints.free.bit_count() < hints.count, "enough CPUs are free")
    applies(hints.count <= hints.usable.bit_count(), "too few are free with those of ended init containers")
    why = f"no hint is offered though {format_bits(hints.reusable)} can be used again"
    allowed = f"NUMA nodes with {hints.count} of {format_bits(hints.room)}"
    return violated(hints.named, why, got=listed(hints.offered), allowed=allowed, reusable=hints.reusable)


@chapter.requires("cpu-manager/hints/covers-reusable-cpus", "cpu-manager/init-containers")
@recommended_by("topology-source/cpu-hints/reusable-must-be-covered")
def covers_reusable_cpus(hints: CpuHints) -> Judgement:
    """Sets of NUMA nodes that miss a CPU which an ended init container of the pod has left are not hinted."""
    wanted_anew(hints)
    needed = applies(hints.nodes_of(hints.reusable), "no CPUs can be used again")
    applies(hints.named, "no hint names NUMA nodes")
    without_option(hints, WHOLE_CORES)
    wrong = sorted(nodes for nodes in hints.named if needed & ~nodes)
    why = f"{sets_text(wrong)} leave out CPUs that an ended init container of the pod has left"
    allowed = f"sets with {sets_text([needed])} in them"
    return violated(not wrong, why, got=listed(hints.offered), allowed=allowed, reusable=hints.reusable)


@chapter.requires("cpu-manager/hints/held-cpus-give-the-same")
@recommended_by("topology-source/cpu-hints/held-cpus-again")
def held_cpus_give_the_same(hints: CpuHints) -> Judgement:
    """A container that holds its CPUs already is hinted their NUMA nodes."""
    wanted(hints)
    held = exists(hints.held, "the container holds no CPUs")
    holds_no_other_number(hints)
    nodes = hints.nodes_of(held)
    why = "the NUMA nodes of the CPUs that the container holds are not offered"
    return violated(
        nodes in hints.named, why, got=listed(hints.offered), allowed=f"{sets_text([nodes])} among them", held=held
    )


@chapter.requires("cpu-manager/hints/none-for-held-cpus-of-another-number")
@recommended_by("topology-source/cpu-hints/other-number-held")
def none_for_another_number(hints: CpuHints) -> Judgement:
    """A container that holds another number of CPUs than it asks for is given no hint, which is not the same as no
    opinion.
    """
    wanted(hints)
    applies(hints.of_another_number, "the container holds no CPUs, or as many as it asks for")
    return must_give_no_hint(hints.offered, "hints are offered for what is held in another number")


@chapter.requires("cpu-manager/hints/none-where-too-few-are-free")
@recommended_by("topology-source/cpu-hints/too-few-free")
def none_where_too_few(hints: CpuHints) -> Judgement:
    """Where fewer CPUs are free than asked for there is no hint, which is not the same as no opinion."""
    wanted_anew(hints)
    applies(hints.room.bit_count() < hints.count, "so many CPUs are free")
    return must_give_no_hint(hints.offered, "hints are offered for what is not free")
