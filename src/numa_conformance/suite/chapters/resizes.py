"""Resizing pods in place: page Resize CPU and Memory Resources assigned to Containers."""

from __future__ import annotations

from ...cpuset import format_bits
from ..judge.chapter import Chapter, Judgement, applies, violated
from ..judge.node_subjects import Resize
from ..judge.world import union

chapter = Chapter("node/resize", since="1.33")


def asks_for_more_than_there_is(resize: Resize) -> None:
    applies(
        resize.pod.effective("cpu") > resize.before.online.bit_count()
        or resize.pod.effective("memory") > sum(node.memory or 0 for node in resize.before.machine.memory),
        "the node has as much as is asked for",
    )


@chapter.requires(
    "resize/exclusive-cpus-are-not-resized",
    "cpu-manager/static",
    on=Resize,
    rests_on=("resize/limits/static-policies",),
)
def exclusive_cpus_are_not_resized(resize: Resize) -> Judgement:
    """A pod with exclusive CPUs whose CPU requests are to change is not resized in place.

    Pods that the static CPU Manager policy manages are not resized in place.
    """
    applies(resize.settings.static, "the CPU Manager's policy is none")
    applies(union(resize.was.held), "the pod has no exclusive CPUs")
    applies(resize.changes("cpu"), "the CPU requests stay as they are")
    return violated(
        not resize.granted,
        f"pod {resize.pod.uid} is resized, which has exclusive CPUs {format_bits(union(resize.was.held))}",
        got="resized",
        allowed="pending: Infeasible",
    )


@chapter.requires(
    "resize/static-memory-is-not-resized",
    "memory-manager/static",
    on=Resize,
    rests_on=("resize/limits/static-policies",),
)
def static_memory_is_not_resized(resize: Resize) -> Judgement:
    """Under Memory Manager policy Static a Guaranteed pod whose memory requests are to change is not resized in
    place.
    """
    applies(resize.settings.memory_static, "the Memory Manager's policy is not Static")
    applies(resize.was.spec.qos == "Guaranteed", "the pod is not Guaranteed")
    applies(resize.changes("memory"), "the memory requests stay as they are")
    return violated(
        not resize.granted,
        f"the memory of pod {resize.pod.uid} is resized, which is Guaranteed, under policy Static",
        got="resized",
        allowed="pending: Infeasible",
    )


@chapter.requires("resize/more-than-the-node-has-is-not-granted", on=Resize, rests_on=("resize/status/pending",))
def more_than_the_node_has_is_not_granted(resize: Resize) -> Judgement:
    """A resize to more CPUs or memory than the node has is not granted.

    What the node does not have cannot be granted.
    """
    asks_for_more_than_there_is(resize)
    return violated(
        not resize.granted,
        f"pod {resize.pod.uid} is resized to more than the node has",
        got="resized",
        allowed="pending",
    )


@chapter.requires(
    "resize/what-can-never-be-is-infeasible",
    on=Resize,
    rests_on=("resize/status/infeasible", "resize/status/deferred"),
    strength="SHOULD",
)
def what_can_never_be_is_infeasible(resize: Resize) -> Judgement:
    """A resize to more CPUs or memory than the node has is Infeasible, not Deferred.

    Infeasible is what the node can never grant; Deferred is what may become possible.
    """
    asks_for_more_than_there_is(resize)
    applies(not resize.granted, "the resize is granted")
    return violated(
        resize.reason == "Infeasible",
        f"a resize of pod {resize.pod.uid} to more than the node has is {resize.reason}",
        got=resize.reason,
        allowed="Infeasible",
    )


@chapter.requires(
    "resize/pending-changes-nothing",
    on=Resize,
    rests_on=("resize/status/pending",),
    beyond="The page says that the request is pending; that what is held stays is taken from there.",
)
def pending_changes_nothing(resize: Resize) -> Judgement:
    """A resize that is not granted changes neither the shared pool nor what a container holds.

    What is not granted leaves everything as it was.
    """
    applies(not resize.granted, "the resize is granted")
    before, after = resize.before.pool, resize.after.pool
    return violated(
        before == after,
        f"a resize of pod {resize.pod.uid} that is not granted changes the shared pool",
        got=format_bits(after),
        allowed=format_bits(before),
    )


@chapter.requires(
    "resize/shared-containers-get-no-cpus-of-their-own",
    "cpu-manager/static",
    on=Resize,
    rests_on=("resize/limits/static-policies", "nrm/static/burstable-is-shared"),
)
def shared_containers_get_no_cpus_of_their_own(resize: Resize) -> Judgement:
    """A container of the shared pool that is resized gets no exclusive CPUs by it, and takes none out of the
    pool.
    """
    applies(resize.settings.static, "the CPU Manager's policy is none")
    applies(resize.granted, "the resize is pending")
    applies(not resize.pod.exclusive, "the pod has exclusive CPUs, or is to have some")
    taken = union(resize.held) | (resize.before.pool & ~resize.after.pool)
    return violated(
        not taken,
        f"pod {resize.pod.uid} runs in the shared pool, and its resize takes CPUs {format_bits(taken)} out of it",
        got=format_bits(taken),
        allowed="none",
        taken=taken,
    )
