"""What becomes of a pod or of a node, and which hints are given, as judges demand it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from ..judging.chapter import Judgement, Violation, violated
from ..judging.node_subjects import Admission
from ..judging.room import ResourceRequest, Room
from ..judging.start_subjects import Start
from ..wire.history.values import Affinity
from .wording import IMPOSSIBLE, in_words, is_impossible, listed, number_of

NOT_ALIGNED = "TopologyAffinityError"


def must_be_admitted(admission: Admission, why: str) -> Judgement:
    """Judge that the pod is admitted; ``why`` is told of it."""
    return violated(
        admission.admitted,
        f"pod {admission.pod.uid} is refused, {why}",
        got=f"{admission.reason}: {admission.message}",
        allowed="admitted",
        free=admission.before.free,
    )


def must_be_refused(admission: Admission, why: str) -> Judgement:
    """Judge that the pod is refused; ``why`` is told of it."""
    return violated(
        not admission.admitted,
        f"pod {admission.pod.uid} is admitted, {why}",
        got=in_words(admission.held),
        allowed="refused",
        free=admission.before.free,
    )


def must_be_refused_as_unaligned(admission: Admission, request: ResourceRequest, why: str) -> Iterator[Violation]:
    """Judge that the pod is refused, and as not aligned where the node as a whole has all that it asks for."""
    yield from must_be_refused(admission, why) or ()
    if not admission.admitted and Room(admission.before).has(request):
        yield from violated(
            admission.reason == NOT_ALIGNED,
            f"pod {admission.pod.uid} is refused for another reason than its alignment",
            got=f"{admission.reason}: {admission.message}",
            allowed=NOT_ALIGNED,
        )


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
