"""Which NUMA nodes the Memory Manager hints: page Control Memory Management Policies on a Node, and KEP-1769."""

from __future__ import annotations

from ...cpuset import bits_of, format_bits
from ..history.values import Affinity
from ..judge.checker import Guard, Judgement, checker, violated
from ..judge.offered import MemoryHints
from .guards import memory_none, memory_static
from .wording import IMPOSSIBLE, is_impossible, listed, sets_told

ANY = Affinity(None, True)


def _told(hints: MemoryHints) -> str:
    return "; ".join(f"{kind}: {listed(offered)}" for kind, offered in hints.offered.items()) or "no opinion"


def _asked(hints: MemoryHints) -> str:
    return " and ".join(f"{number} bytes of {kind}" for kind, number in sorted(hints.asked.items()))


def _named(hints: MemoryHints) -> list[tuple[str, int, bool]]:
    """Return the hints that name NUMA nodes, of what is asked for: type, NUMA nodes (bits), whether it is preferred."""
    return [
        (kind, hint.nodes, hint.preferred)
        for kind in hints.asked
        for hint in hints.offered.get(kind) or ()
        if hint.nodes is not None
    ]


def _fitting(hints: MemoryHints) -> list[int]:
    return [nodes for nodes in hints.sets if nodes.bit_count() in hints.widths and hints.surely_hold(nodes)]


def _every_node(hints: MemoryHints) -> int:
    return bits_of(hints.before.machine.numa_ids)


some_are_named = Guard[MemoryHints]("no hint names NUMA nodes", lambda hints: _named(hints))
wants_memory = Guard[MemoryHints]("no memory is to be given", lambda hints: hints.asked)
wants_several_types = Guard[MemoryHints](
    "memory of one type at most is to be given", lambda hints: len(hints.asked) > 1
)
too_little_is_free = Guard[MemoryHints](
    "all NUMA nodes together may hold what is asked for",
    lambda hints: any(not hints.can_hold(_every_node(hints), kind) for kind in hints.asked),
)
some_surely_hold = Guard[MemoryHints](
    "no NUMA nodes of which nothing is given hold it all", lambda hints: any(map(hints.surely_hold, hints.sets))
)
narrowest_surely_hold = Guard[MemoryHints](
    "no NUMA nodes of which nothing is given, as few as ever hold it, hold it all",
    lambda hints: len(hints.widths) == 1 and bool(_fitting(hints)),
)
sets_are_known = Guard[MemoryHints](
    "the machine has too many NUMA nodes to look at every set of them", lambda hints: hints.sets
)
of_another_class = Guard[MemoryHints]("the pod is Guaranteed", lambda hints: hints.qos != "Guaranteed")


@checker("memory-manager/hints/can-guarantee-the-request", MemoryHints, when=(some_are_named,))
def can_guarantee(hints: MemoryHints) -> Judgement:
    """A hint names NUMA nodes that can guarantee the memory: so much of the type is free in them."""
    wrong = [(kind, nodes) for kind, nodes, _ in _named(hints) if not hints.can_hold(nodes, kind)]
    return violated(
        not wrong,
        ", ".join(f"NUMA nodes {format_bits(nodes)} cannot guarantee the {kind} asked for" for kind, nodes in wrong),
        got=_told(hints),
        allowed=f"NUMA nodes with {_asked(hints)} free",
    )


@checker("memory-manager/hints/every-type-counts", MemoryHints, when=(wants_several_types,))
def every_type_counts(hints: MemoryHints) -> Judgement:
    """A hint names NUMA nodes with enough for all types of memory that are asked for."""
    named = {nodes for _, nodes, _ in _named(hints)}
    wrong = sorted(nodes for nodes in named if not all(hints.can_hold(nodes, kind) for kind in hints.asked))
    return violated(
        not wrong,
        f"{sets_told(wrong)} cannot give all of {_asked(hints)}",
        got=_told(hints),
        allowed=f"NUMA nodes with {_asked(hints)} free",
    )


@checker("memory-manager/hints/every-type-counts", MemoryHints, when=(wants_memory, too_little_is_free))
def says_where_none_can(hints: MemoryHints) -> Judgement:
    """Where not even all NUMA nodes have enough of every type, some type has no hint, and not just no opinion."""
    return violated(
        any(is_impossible(hints.offered.get(kind)) for kind in hints.asked),
        f"{_asked(hints)} are not free, and any NUMA node would do by the hints",
        got=_told(hints),
        allowed=IMPOSSIBLE,
    )


@checker("memory-manager/hints/guaranteed-pods-have-some", MemoryHints, when=(wants_memory, some_surely_hold))
def guaranteed_pods_have_some(hints: MemoryHints) -> Judgement:
    """Guaranteed pods have specific hints: asked where some NUMA nodes, of which nothing is given yet, hold it all."""
    without = [kind for kind in hints.asked if not any(hint.nodes for hint in hints.offered.get(kind) or ())]
    return violated(
        not without,
        f"no NUMA nodes are hinted for {', '.join(without)} of a Guaranteed pod",
        got=_told(hints),
        allowed=f"hints for {_asked(hints)}",
    )


@checker("memory-manager/hints/default-for-other-classes", MemoryHints, when=(memory_static, of_another_class))
def default_for_other_classes(hints: MemoryHints) -> Judgement:
    """Under Static BestEffort and Burstable pods have the default hint."""
    return _default(hints, f"a {hints.qos} pod")


@checker("memory-manager/hints/default-under-none", MemoryHints, when=(memory_none,))
def default_under_none(hints: MemoryHints) -> Judgement:
    """Policy None gives the default hint."""
    return _default(hints, "policy None")


def _default(hints: MemoryHints, whose: str) -> Judgement:
    specific = [kind for kind, offered in hints.offered.items() if any(hint != ANY for hint in offered or (ANY,))]
    impossible = [kind for kind, offered in hints.offered.items() if offered == ()]
    return violated(
        not specific and not impossible,
        f"{whose} has other hints for memory than that any NUMA node will do",
        got=_told(hints),
        allowed="no opinion, or any preferred",
    )


@checker("memory-manager/hints/offers-every-narrowest-set", MemoryHints, when=(wants_memory, narrowest_surely_hold))
def offers_every_narrowest_set(hints: MemoryHints) -> Judgement:
    """NUMA nodes of which nothing is given, as few as ever hold the request, are hinted."""
    fitting = _fitting(hints)
    missing = {
        nodes
        for kind in hints.asked
        for nodes in set(fitting) - {hint.nodes for hint in hints.offered.get(kind) or () if hint.nodes is not None}
    }
    return violated(
        not missing,
        f"{sets_told(sorted(missing))} can hold {_asked(hints)} and is not hinted",
        got=_told(hints),
        allowed=sets_told(fitting),
    )


@checker("memory-manager/hints/preferred-is-narrowest", MemoryHints, when=(some_are_named, sets_are_known))
def preferred_is_narrowest(hints: MemoryHints) -> Judgement:
    """Preferred are sets of as few NUMA nodes as ever hold the request."""
    fits = any(
        all(preferred == (nodes.bit_count() == width) for _, nodes, preferred in _named(hints))
        for width in hints.widths
    )
    return violated(
        fits,
        "other hints are preferred than the narrowest",
        got=_told(hints),
        allowed=f"preferred are sets of {' or '.join(map(str, sorted(hints.widths)))} NUMA nodes, no others",
    )
