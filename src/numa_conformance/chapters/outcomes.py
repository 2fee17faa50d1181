"""What becomes of a pod or of a node, and which hints are given, as judges demand it."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from ..cpuset import format_bits
from ..judging.alignment import ResourceRequest
from ..judging.chapter import Judgement, Violation, violated
from ..judging.node_subjects import Admission
from ..judging.rest import CPUS, DEVICES, MEMORY, QUOTA, Rest
from ..judging.room import Room
from ..judging.sighting import bytes_of_blocks
from ..judging.start_subjects import Start
from ..wire.history.quantities import size_text
from ..wire.history.values import Affinity, CpuBits, HoldingBits, nodes_text

NOTHING = HoldingBits(CpuBits(0), memory=(), devices={})
IMPOSSIBLE = "no hint: an empty list, not null, which is no opinion"


def is_impossible(offered: Iterable[Affinity] | None) -> bool:
    """Tell whether hints say that nothing will do, where no opinion would say that anything will."""
    return offered is not None and all(hint == Affinity(None, False) for hint in offered)


def is_no_opinion(offered: Collection[Affinity] | None) -> bool:
    """Tell whether hints say that any NUMA nodes will do, explicitly or not."""
    return offered is None or {*offered} == {Affinity(None, True)}


def listed(offered: Iterable[Affinity] | None) -> str:
    """Write hints; None is no opinion, none at all is no way."""
    if offered is None:
        return "no opinion"
    texts = [("any" if hint.nodes is None else f"{{{format_bits(hint.nodes)}}}", hint.preferred) for hint in offered]
    return ", ".join(f"{nodes} preferred" if preferred else nodes for nodes, preferred in texts) or "no hint"


def number_of(number: int, noun: str) -> str:
    """Write a number of things."""
    return f"one {noun}" if number == 1 else f"{number} {noun}s"


def amounts_text(amounts: Mapping[str, int]) -> str:
    """Write how many of each resource, which may be none of any."""
    return ", ".join(f"{number} of {name}" for name, number in amounts.items()) or "none"


def memory_text(amounts: Mapping[str, int], joint: str = ", ") -> str:
    """Write how many bytes of each type of memory, which may be none of any."""
    return joint.join(f"{size_text(number)} of {kind}" for kind, number in amounts.items() if number) or "none"


def in_words(held: Mapping[str, HoldingBits]) -> str:
    """Write what the containers of a pod hold."""
    return "; ".join(f"{name}: {holding}" for name, holding in held.items())


def cpus_text(held: HoldingBits) -> str:
    """Write the exclusive CPUs of a container."""
    return format_bits(held.cpus) or "none"


def blocks_text(held: HoldingBits) -> str:
    """Write the memory of a container, however it is divided into blocks."""
    return str(dict(sorted(bytes_of_blocks(held.memory).items())))


def devices_text(held: HoldingBits | None) -> str:
    """Write the devices that a container holds."""
    known = sorted(held.devices_by_resource.items()) if held else ()
    return ", ".join(f"{name}: {', '.join(sorted(ids))}" for name, ids in known) or "none"


def quota_text(held: HoldingBits) -> str:
    """Write the CFS quota of a container; no bound is 0."""
    return str(max(held.quota or 0, 0))


def sets_text(sets: Iterable[int]) -> str:
    """Write sets of NUMA nodes."""
    return ", ".join(f"{{{format_bits(nodes)}}}" for nodes in sets)


def memory_in_words(held: HoldingBits | None) -> str:
    """Write the memory that a container holds."""
    return ", ".join(map(str, (held.memory if held else None) or ())) or "none"


_FACTS: Mapping[str, tuple[Callable[[HoldingBits], bool], Callable[[HoldingBits], str]]] = {
    CPUS: (lambda held: True, cpus_text),
    MEMORY: (lambda held: held.memory is not None, blocks_text),
    DEVICES: (lambda held: held.devices is not None, devices_text),
    QUOTA: (lambda held: held.quota is not None, quota_text),
}
"""Of each fact of a holding whether it is told, and how it is written."""


def changed(
    fact: str, containers: Iterable[tuple[str, HoldingBits | None, HoldingBits | None]], event: str
) -> Iterator[Violation]:
    """Yield the containers that hold other CPUs, memory or devices after an event than they had, where both are told.

    ``containers``: who each is, what it had, and what it has now.
    """
    is_shown, write = _FACTS[fact]
    for who, had, has in containers:
        before, now = had or NOTHING, has or NOTHING
        holds = not (is_shown(before) and is_shown(now)) or write(before) == write(now)
        yield from violated(holds, f"{who} has other {fact} after {event}", got=write(now), allowed=write(before))


def losses(rest: Rest) -> Iterator[Violation]:
    """Yield of which NUMA nodes the books have less free after an event than it leaves them."""
    for balance in rest.balances:
        why = f"after {rest.in_words} {nodes_text(balance.nodes)} has {balance.kind} that is neither free nor held"
        allowed = f"{size_text(balance.least)} at least"
        yield from violated(balance.free >= balance.least, why, got=f"{size_text(balance.free)} free", allowed=allowed)


NOT_ALIGNED = "TopologyAffinityError"


def must_be_admitted(admission: Admission, why: str) -> Judgement:
    """Judge that the pod is admitted; ``why`` is told of it."""
    reason, got = f"pod {admission.pod.uid} is refused, {why}", f"{admission.reason}: {admission.message}"
    return violated(admission.admitted, reason, got=got, allowed="admitted", available=admission.before.free)


def must_be_refused(admission: Admission, why: str) -> Judgement:
    """Judge that the pod is refused; ``why`` is told of it."""
    reason, got = f"pod {admission.pod.uid} is admitted, {why}", in_words(admission.held)
    return violated(not admission.admitted, reason, got=got, allowed="refused", available=admission.before.free)


def must_be_refused_as_unaligned(admission: Admission, request: ResourceRequest, why: str) -> Iterator[Violation]:
    """Judge that the pod is refused, and as not aligned where the node as a whole has all that it asks for."""
    yield from must_be_refused(admission, why) or ()
    if not admission.admitted and Room.of(admission.before).has(request):
        why = f"pod {admission.pod.uid} is refused for another reason than its alignment"
        got = f"{admission.reason}: {admission.message}"
        yield from violated(admission.reason == NOT_ALIGNED, why, got=got, allowed=NOT_ALIGNED)


def must_come_up(start: Start, why: str) -> Judgement:
    """Judge that the node comes up; ``why`` says with what."""
    return violated(start.up, f"the node does not come up, {why}", got=start.refusal, allowed="the node comes up")


def must_not_come_up(start: Start, why: str) -> Judgement:
    """Judge that the node does not come up; ``why`` says with what."""
    return violated(not start.up, f"the node comes up, {why}", allowed="the node does not come up")


def must_give_no_hint(offered: Iterable[Affinity] | None, why: str) -> Judgement:
    """Judge that hints say that nothing will do; ``why`` tells what they say instead."""
    return violated(is_impossible(offered), why, got=listed(offered), allowed=IMPOSSIBLE)


def must_prefer_the_narrowest(rows: Collection[tuple[int, bool]], widths: Collection[int], offered: str) -> Judgement:
    """Judge hints, each as NUMA nodes (bits) and whether it is preferred: as narrow as ever possible, and no others.

    ``widths``: how many NUMA nodes that may be; more than one where it is open. ``offered``: the hints in words.
    """
    known = " or ".join(number_of(width, "NUMA node") for width in sorted(widths))
    return violated(
        any(all(preferred == (nodes.bit_count() == width) for nodes, preferred in rows) for width in widths),
        "other hints are preferred than the narrowest",
        got=offered,
        allowed=f"preferred are sets of {known}, no others",
    )
