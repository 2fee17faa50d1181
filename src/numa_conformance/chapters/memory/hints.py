"""Which NUMA nodes the Memory Manager hints. Page: Control Memory Management Policies on a Node, and KEP-1769."""

from collections.abc import Collection

from ...cpuset import bits_of
from ...judging.chapter import Chapter, Judgement, applies, judges, recommended_by, rests_on, violated
from ...judging.offered import DeviceHints, MemoryHints
from ...wire.history.values import nodes_text
from ..conditions import memory_none, memory_static
from ..outcomes import (
    IMPOSSIBLE,
    is_impossible,
    is_no_opinion,
    listed,
    memory_text,
    must_prefer_the_narrowest,
    sets_text,
)

chapter = Chapter("node/hints", "memory-manager/static", since="1.21")
policy_none = Chapter("node/hints", "memory-manager/none", since="1.21")


def wanted(hints: MemoryHints) -> None:
    applies(hints.amounts, "no memory is to be given")


@chapter.requires("memory-manager/hints/can-guarantee-the-request")
@rests_on("memory/static/hints-and-reserves")
def can_guarantee(hints: MemoryHints) -> Judgement:
    """The NUMA nodes of a hint can guarantee the memory of a Guaranteed pod."""
    sets = applies(_sets(hints), "no hint names NUMA nodes")
    wrong = [(kind, nodes) for kind, nodes, _ in sets if not hints.can_hold(nodes, kind)]
    why = ", ".join(f"{nodes_text(nodes)} cannot guarantee the {kind} asked for" for kind, nodes in wrong)
    return violated(not wrong, why, got=_offered(hints), allowed=f"NUMA nodes with {_request(hints)} free")


@chapter.requires("memory-manager/hints/every-type-counts", "memory-manager/hugepages")
@recommended_by("kep-1769/hints/every-type-counts")
def every_type_counts(hints: MemoryHints) -> Judgement:
    """The NUMA nodes of a hint have enough of every type of memory that is asked for. Where none have, there is no
    hint, which is not the same as no opinion.
    """
    applies(len(hints.amounts) > 1, "memory of one type at most is to be given")
    sets = {nodes for _, nodes, _ in _sets(hints)}
    wrong = sorted(nodes for nodes in sets if not all(hints.can_hold(nodes, kind) for kind in hints.amounts))
    why = f"{sets_text(wrong)} cannot give all of {_request(hints)}"
    return violated(not wrong, why, got=_offered(hints), allowed=f"NUMA nodes with {_request(hints)} free")


@judges("memory-manager/hints/every-type-counts")
def gives_no_hint_where_none_can(hints: MemoryHints) -> Judgement:
    """Where not even all NUMA nodes have enough of every type, some type has no hint, and not just no opinion."""
    wanted(hints)
    every = bits_of(hints.before.machine.numa_ids)
    short = any(not hints.can_hold(every, kind) for kind in hints.amounts)
    applies(short, "all NUMA nodes together may hold what is asked for")
    holds = any(is_impossible(hints.offered.get(kind)) for kind in hints.amounts)
    why = f"{_request(hints)} are not free, and any NUMA node would do by the hints"
    return violated(holds, why, got=_offered(hints), allowed=IMPOSSIBLE)


@chapter.requires("memory-manager/hints/guaranteed-pods-have-some")
@rests_on("memory/guaranteed/specific-hints", "memory/static/hints-and-reserves")
def guaranteed_pods_have_some(hints: MemoryHints) -> Judgement:
    """NUMA nodes are hinted for the memory of a Guaranteed pod, with fractional CPUs too."""
    wanted(hints)
    applies(any(map(hints.surely_hold, hints.sets)), "no NUMA nodes of which nothing is given hold it all")
    without = [kind for kind in hints.amounts if not any(hint.nodes for hint in hints.offered.get(kind) or ())]
    why = f"no NUMA nodes are hinted for {', '.join(without)} of a Guaranteed pod"
    return violated(not without, why, got=_offered(hints), allowed=f"hints for {_request(hints)}")


@chapter.requires("memory-manager/hints/default-for-other-classes")
@rests_on("memory/static/other-classes", "memory/guaranteed/specific-hints")
def default_for_other_classes(hints: MemoryHints) -> Judgement:
    """Under Static BestEffort and Burstable pods have the default hint."""
    memory_static(hints)
    applies(hints.qos != "Guaranteed", "the pod is Guaranteed")
    return _prefers_nothing(hints, f"a {hints.qos} pod")


@policy_none.requires("memory-manager/hints/default-under-none")
@rests_on("memory/none/default-hint")
def default_under_none(hints: MemoryHints) -> Judgement:
    """Under policy None there is no preference for memory."""
    memory_none(hints)
    return _prefers_nothing(hints, "policy None")


def _prefers_nothing(hints: MemoryHints, subject: str) -> Judgement:
    holds = all(map(is_no_opinion, hints.offered.values()))
    why = f"{subject} has other hints for memory than that any NUMA node will do"
    return violated(holds, why, got=_offered(hints), allowed="no opinion, or any preferred")


@chapter.requires("memory-manager/hints/offers-every-narrowest-set")
@recommended_by(
    "memory/static/hints-and-reserves",
    "memory/head/fewest-numa-nodes",
    beyond="that every such set is hinted, not one of them",
)
def offers_every_narrowest_set(hints: MemoryHints) -> Judgement:
    """Unused NUMA nodes, as few as ever hold the request, are hinted."""
    wanted(hints)
    applies(len(hints.widths) == 1, "how many NUMA nodes hold it depends on what is reserved")
    able = [nodes for nodes in hints.sets if nodes.bit_count() in hints.widths and hints.surely_hold(nodes)]
    fitting = applies(able, "no NUMA nodes of which nothing is given, as few as ever hold it, hold it all")
    hinted = {(kind, nodes) for kind, nodes, _ in _sets(hints)}
    missing = [nodes for nodes in sorted(fitting) if not hinted.issuperset((kind, nodes) for kind in hints.amounts)]
    why = f"{sets_text(missing)} can hold {_request(hints)} and is not hinted"
    return violated(not missing, why, got=_offered(hints), allowed=sets_text(fitting))


@chapter.requires("memory-manager/hints/preferred-is-narrowest")
@recommended_by("kep-693/hints/preferred-as-if-empty", "memory/head/fewest-numa-nodes")
def preferred_is_narrowest(hints: MemoryHints) -> Judgement:
    """Preferred are hints of as few NUMA nodes as ever hold the request, and no others."""
    return prefers_the_narrowest(hints, [row[1:] for row in _sets(hints)], _offered(hints))


def prefers_the_narrowest(
    hints: MemoryHints | DeviceHints, rows: Collection[tuple[int, bool]], offered: str
) -> Judgement:
    """Judge that what is preferred is as narrow as ever possible, and nothing else, where hints name NUMA nodes."""
    applies(rows, "no hint names NUMA nodes")
    applies(hints.sets, "the machine has too many NUMA nodes to look at every set of them")
    return must_prefer_the_narrowest(rows, hints.widths, offered)


def _sets(hints: MemoryHints) -> list[tuple[str, int, bool]]:
    """Return the hints that name NUMA nodes, of what is asked for: type, NUMA nodes (bits), whether it is preferred."""
    return [
        (kind, hint.nodes, hint.preferred)
        for kind in hints.amounts
        for hint in hints.offered.get(kind) or ()
        if hint.nodes is not None
    ]


def _offered(hints: MemoryHints) -> str:
    return "; ".join(f"{kind}: {listed(offered)}" for kind, offered in hints.offered.items()) or "no opinion"


def _request(hints: MemoryHints) -> str:
    return memory_text(dict(sorted(hints.amounts.items())), " and ")
