"""Which NUMA nodes are hinted for exclusive CPUs.

That a default hint is given where there is nothing to align stands on the page Control Topology Management Policies on
a node; the rest in the walk through the Topology Manager, section Hints of the CPU Manager.
"""

from __future__ import annotations

from ...cpuset import bit_of, bits_of, format_bits
from ..history.values import Affinity
from ..judge.checker import Guard, Judgement, checker, violated
from ..judge.choice import BY_SOCKET, WHOLE_CORES
from ..judge.hinted import CpuHints
from .guards import without_option
from .wording import IMPOSSIBLE, is_impossible, listed, sets_told

wants_none = Guard[CpuHints]("exclusive CPUs are asked for", lambda hints: not hints.wanted)
wants_some = Guard[CpuHints]("no exclusive CPUs are asked for", lambda hints: hints.wanted)
holds_none = Guard[CpuHints]("the container holds CPUs already", lambda hints: hints.held is None)
holds_some = Guard[CpuHints]("the container holds no CPUs", lambda hints: hints.held is not None)
holds_no_other_number = Guard[CpuHints](
    "the container holds CPUs in another number than it asks for", lambda hints: not hints.of_another_number
)
holds_another_number = Guard[CpuHints](
    "the container holds no CPUs, or as many as it asks for", lambda hints: hints.of_another_number
)
some_are_offered = Guard[CpuHints]("no hint is offered", lambda hints: hints.offered)
some_are_named = Guard[CpuHints]("no hint names NUMA nodes", lambda hints: hints.named)
sets_are_known = Guard[CpuHints](
    "the machine has too many NUMA nodes to look at every set of them", lambda hints: hints.sets
)
needs_reusable_cpus = Guard[CpuHints](
    "enough CPUs are free, or too few with those of ended init containers",
    lambda hints: hints.free.bit_count() < hints.asked <= hints.usable.bit_count(),
)
some_are_reusable = Guard[CpuHints]("no CPUs can be used again", lambda hints: _reusable_nodes(hints))
too_few_are_free = Guard[CpuHints]("so many CPUs are free", lambda hints: hints.room.bit_count() < hints.asked)
narrowest_can_hold = Guard[CpuHints](
    "none of the narrowest sets of NUMA nodes surely has so many free CPUs", lambda hints: _narrowest(hints)
)
wider_can_hold = Guard[CpuHints]("no wider set of NUMA nodes surely has so many free CPUs", lambda hints: _wider(hints))


def _narrowest(hints: CpuHints) -> list[int]:
    return [nodes for nodes in hints.sets if nodes.bit_count() == max(hints.widths) and hints.surely_holds(nodes)]


def _wider(hints: CpuHints) -> list[int]:
    return [nodes for nodes in hints.sets if nodes.bit_count() > max(hints.widths) and hints.surely_holds(nodes)]


def _reusable_nodes(hints: CpuHints) -> int:
    return bits_of(node for node, cpus in hints.machine.numa_bits.items() if cpus & hints.reusable)


@checker("cpu-manager/hints/none-without-exclusive-cpus", CpuHints, when=(wants_none,))
def none_without_exclusive_cpus(hints: CpuHints) -> Judgement:
    """Without exclusive CPUs to give, the default hint: no opinion, or that any NUMA node will do."""
    return violated(
        hints.offered is None or (hints.offered and all(hint == Affinity(None, True) for hint in hints.offered)),
        "hints are offered for what has no exclusive CPUs",
        got=listed(hints.offered),
        allowed="no opinion",
    )


@checker(
    "cpu-manager/hints/every-hint-can-hold-the-request",
    CpuHints,
    when=(wants_some, holds_no_other_number, some_are_offered),
)
def every_hint_can_hold(hints: CpuHints) -> Judgement:
    """A set of NUMA nodes with fewer free CPUs than asked for is no hint."""
    known = bits_of(hints.machine.numa_ids)
    wrong = [hint for hint in hints.offered or () if not _can_hold(hints, hint) or (hint.nodes or 0) & ~known]
    return violated(
        not wrong,
        f"{listed(wrong)} cannot hold {hints.asked} CPUs",
        got=listed(hints.offered),
        allowed=f"NUMA nodes with {hints.asked} of {format_bits(hints.room)}",
        room=hints.room,
    )


def _can_hold(hints: CpuHints, hint: Affinity) -> bool:
    """Whether a hint can hold the request; any node at all is all of them, one by one, if that is preferred."""
    if hint.nodes is not None:
        return hints.holds(hint.nodes)
    return not hint.preferred or all(hints.holds(bit_of(node)) for node in hints.nodes)


@checker("cpu-manager/hints/offers-every-narrowest-set", CpuHints, when=(wants_some, holds_none, narrowest_can_hold))
def offers_every_narrowest_set(hints: CpuHints) -> Judgement:
    """Each set of as many NUMA nodes as the request needs that can hold it is offered."""
    return _offers(hints, _narrowest(hints))


@checker("cpu-manager/hints/offers-every-set-that-fits", CpuHints, when=(wants_some, holds_none, wider_can_hold))
def offers_every_set(hints: CpuHints) -> Judgement:
    """Every combination of NUMA nodes is looked at."""
    return _offers(hints, _wider(hints))


def _offers(hints: CpuHints, fitting: list[int]) -> Judgement:
    missing = [nodes for nodes in fitting if nodes not in hints.named]
    return violated(
        not missing,
        f"{sets_told(missing)} can hold {hints.asked} CPUs and is not offered",
        got=listed(hints.offered),
        allowed=sets_told(fitting),
        room=hints.room,
    )


@checker(
    "cpu-manager/hints/preferred-is-narrowest",
    CpuHints,
    when=(wants_some, some_are_named, sets_are_known, holds_no_other_number, without_option(BY_SOCKET)),
)
def preferred_is_narrowest(hints: CpuHints) -> Judgement:
    """Preferred are the hints of as few NUMA nodes as the request needs, counted by all CPUs of the nodes."""
    offered = [hint for hint in hints.offered or () if hint.nodes is not None]
    return violated(
        any(all(hint.preferred == (_width(hint) == width) for hint in offered) for width in hints.widths),
        "other hints are preferred than the narrowest",
        got=listed(hints.offered),
        allowed=f"preferred are sets of {' or '.join(map(str, sorted(hints.widths)))} NUMA nodes, no others",
    )


@checker("cpu-manager/hints/init-cpus-are-reusable", CpuHints, when=(wants_some, holds_none, needs_reusable_cpus))
def init_cpus_are_reusable(hints: CpuHints) -> Judgement:
    """CPUs of an ended init container count as free for its pod; asked where they are needed."""
    return violated(
        hints.named,
        f"no hint is offered though {format_bits(hints.reusable)} can be used again",
        got=listed(hints.offered),
        allowed=f"NUMA nodes with {hints.asked} of {format_bits(hints.room)}",
        reusable=hints.reusable,
    )


@checker(
    "cpu-manager/hints/covers-reusable-cpus",
    CpuHints,
    # Under full-pcpus-only a part of a core cannot be used again.
    when=(wants_some, holds_none, some_are_reusable, some_are_named, without_option(WHOLE_CORES)),
)
def covers_reusable_cpus(hints: CpuHints) -> Judgement:
    """Sets of NUMA nodes that miss one of a CPU that can be used again are dropped."""
    needed = _reusable_nodes(hints)
    wrong = sorted(nodes for nodes in hints.named if needed & ~nodes)
    return violated(
        not wrong,
        f"{sets_told(wrong)} leave out CPUs that an ended init container of the pod has left",
        got=listed(hints.offered),
        allowed=f"sets with {sets_told([needed])} in them",
        reusable=hints.reusable,
    )


@checker("cpu-manager/hints/held-cpus-give-the-same", CpuHints, when=(wants_some, holds_some, holds_no_other_number))
def held_cpus_give_the_same(hints: CpuHints) -> Judgement:
    """CPUs that the container holds already give their NUMA nodes as a hint again."""
    held = hints.held or 0
    nodes_held = bits_of(node for node, cpus in hints.machine.numa_bits.items() if cpus & held)
    return violated(
        nodes_held in hints.named,
        "the NUMA nodes of the CPUs that the container holds are not offered",
        got=listed(hints.offered),
        allowed=f"{sets_told([nodes_held])} among them",
        held=held,
    )


@checker("cpu-manager/hints/none-for-held-cpus-of-another-number", CpuHints, when=(wants_some, holds_another_number))
def none_for_another_number(hints: CpuHints) -> Judgement:
    """CPUs held in another number than asked for: no hint."""
    return _no_hint(hints, "is held in another number")


@checker("cpu-manager/hints/none-where-too-few-are-free", CpuHints, when=(wants_some, holds_none, too_few_are_free))
def none_where_too_few(hints: CpuHints) -> Judgement:
    """Fewer free CPUs than asked for: no hint."""
    return _no_hint(hints, "is not free")


def _no_hint(hints: CpuHints, why: str) -> Judgement:
    return violated(
        is_impossible(hints.offered),
        f"hints are offered for what {why}",
        got=listed(hints.offered),
        allowed=IMPOSSIBLE,
    )


def _width(hint: Affinity) -> int:
    return (hint.nodes or 0).bit_count()
