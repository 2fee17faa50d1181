"""Which NUMA nodes are hinted for exclusive CPUs.

That a default hint is given where there is nothing to align stands on the page Control Topology Management Policies on
a node; the rest in the walk through the Topology Manager, section Hints of the CPU Manager.
"""

from __future__ import annotations

from ...cpuset import format_bits
from ..history.answers import Affinity
from ..judge.checker import Judgement, checker, violated
from ..judge.choice import BY_SOCKET, WHOLE_CORES
from ..judge.hinted import CpuHints
from .wording import listed, sets_told


@checker("cpu-manager/hints/none-without-exclusive-cpus", CpuHints)
def none_without_exclusive_cpus(hints: CpuHints) -> Judgement:
    """Without exclusive CPUs to give, the default hint: no opinion, or that any NUMA node will do."""
    if hints.wanted:
        return None
    return violated(
        hints.offered is None or (hints.offered and all(hint == Affinity(None, True) for hint in hints.offered)),
        "hints are offered for what has no exclusive CPUs",
        got=listed(hints.offered),
        allowed="no opinion",
    )


@checker("cpu-manager/hints/every-hint-can-hold-the-request", CpuHints)
def every_hint_can_hold(hints: CpuHints) -> Judgement:
    """A set of NUMA nodes with fewer free CPUs than asked for is no hint."""
    if not hints.wanted or hints.of_another_number or not hints.offered:
        return None
    known = sum(1 << node for node in hints.machine.numa_ids)
    wrong = [hint for hint in hints.offered if not _can_hold(hints, hint) or (hint.nodes or 0) & ~known]
    if not wrong:
        return ()
    return violated(
        False,
        f"{listed(wrong)} cannot hold {hints.asked} CPUs",
        got=listed(hints.offered),
        allowed=f"NUMA nodes with {hints.asked} of {format_bits(hints.room)}",
        room=hints.room,
    )


def _can_hold(hints: CpuHints, hint: Affinity) -> bool:
    """Whether a hint can hold the request; any node at all is all of them, one by one, if that is preferred."""
    if hint.nodes is not None:
        return hints.holds(hint.nodes)
    return not hint.preferred or all(hints.holds(1 << node) for node in hints.nodes)


@checker("cpu-manager/hints/offers-every-narrowest-set", CpuHints)
def offers_every_narrowest_set(hints: CpuHints) -> Judgement:
    """Each set of as many NUMA nodes as the request needs that can hold it is offered."""
    return _offers(hints, [nodes for nodes in hints.sets if nodes.bit_count() == max(hints.widths)])


@checker("cpu-manager/hints/offers-every-set-that-fits", CpuHints)
def offers_every_set(hints: CpuHints) -> Judgement:
    """Every combination of NUMA nodes is looked at."""
    return _offers(hints, [nodes for nodes in hints.sets if nodes.bit_count() > max(hints.widths)])


def _offers(hints: CpuHints, sets: list[int]) -> Judgement:
    if not hints.wanted or hints.held is not None:
        return None
    fitting = [nodes for nodes in sets if hints.surely_holds(nodes)]
    if not fitting:
        return None
    missing = [nodes for nodes in fitting if nodes not in hints.named]
    if not missing:
        return ()
    return violated(
        False,
        f"{sets_told(missing)} can hold {hints.asked} CPUs and is not offered",
        got=listed(hints.offered),
        allowed=sets_told(fitting),
        room=hints.room,
    )


@checker("cpu-manager/hints/preferred-is-narrowest", CpuHints)
def preferred_is_narrowest(hints: CpuHints) -> Judgement:
    """Preferred are the hints of as few NUMA nodes as the request needs, counted by all CPUs of the nodes."""
    if not hints.wanted or not hints.named or not hints.sets or hints.of_another_number:
        return None
    if BY_SOCKET in hints.settings.options:
        return None
    offered = [hint for hint in hints.offered or () if hint.nodes is not None]
    if any(all(hint.preferred == (_width(hint) == width) for hint in offered) for width in hints.widths):
        return ()
    return violated(
        False,
        "other hints are preferred than the narrowest",
        got=listed(hints.offered),
        allowed=f"preferred are sets of {' or '.join(map(str, sorted(hints.widths)))} NUMA nodes, no others",
    )


@checker("cpu-manager/hints/init-cpus-are-reusable", CpuHints)
def init_cpus_are_reusable(hints: CpuHints) -> Judgement:
    """CPUs of an ended init container count as free for its pod; asked where they are needed."""
    if not hints.wanted or hints.held is not None or hints.free.bit_count() >= hints.asked:
        return None
    if hints.usable.bit_count() < hints.asked:
        return None
    return violated(
        hints.named,
        f"no hint is offered though {format_bits(hints.reusable)} can be used again",
        got=listed(hints.offered),
        allowed=f"NUMA nodes with {hints.asked} of {format_bits(hints.room)}",
        reusable=hints.reusable,
    )


@checker("cpu-manager/hints/covers-reusable-cpus", CpuHints)
def covers_reusable_cpus(hints: CpuHints) -> Judgement:
    """Sets of NUMA nodes that miss one of a CPU that can be used again are dropped."""
    needed = sum(1 << node for node, cpus in hints.machine.numa_bits.items() if cpus & hints.reusable)
    if not hints.wanted or hints.held is not None or not needed or not hints.named:
        return None
    if WHOLE_CORES in hints.settings.options:
        return None  # a part of a core cannot be used again
    wrong = sorted(nodes for nodes in hints.named if needed & ~nodes)
    return violated(
        not wrong,
        f"{sets_told(wrong)} leave out CPUs that an ended init container of the pod has left",
        got=listed(hints.offered),
        allowed=f"sets with {sets_told([needed])} in them",
        reusable=hints.reusable,
    )


@checker("cpu-manager/hints/held-cpus-give-the-same", CpuHints)
def held_cpus_give_the_same(hints: CpuHints) -> Judgement:
    """CPUs that the container holds already give their NUMA nodes as a hint again."""
    if not hints.wanted or hints.held is None or hints.of_another_number:
        return None
    own = sum(1 << node for node, cpus in hints.machine.numa_bits.items() if cpus & hints.held)
    return violated(
        own in hints.named,
        "the NUMA nodes of the CPUs that the container holds are not offered",
        got=listed(hints.offered),
        allowed=f"{sets_told([own])} among them",
        held=hints.held,
    )


@checker("cpu-manager/hints/none-for-held-cpus-of-another-number", CpuHints)
def none_for_another_number(hints: CpuHints) -> Judgement:
    """CPUs held in another number than asked for: no hint."""
    return _no_hint(hints, "is held in another number") if hints.of_another_number else None


@checker("cpu-manager/hints/none-where-too-few-are-free", CpuHints)
def none_where_too_few(hints: CpuHints) -> Judgement:
    """Fewer free CPUs than asked for: no hint."""
    return _no_hint(hints, "is not free") if hints.held is None and hints.room.bit_count() < hints.asked else None


def _no_hint(hints: CpuHints, why: str) -> Judgement:
    if not hints.wanted:
        return None
    return violated(
        all(hint == Affinity(None, False) for hint in hints.offered or ()),
        f"hints are offered for what {why}",
        got=listed(hints.offered),
        allowed="no hint",
    )


def _width(hint: Affinity) -> int:
    return (hint.nodes or 0).bit_count()
