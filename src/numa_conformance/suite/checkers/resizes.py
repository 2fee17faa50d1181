"""Resizing pods in place: page Resize CPU and Memory Resources assigned to Containers."""

from __future__ import annotations

from ...cpuset import format_bits
from ..judge.checker import Guard, Judgement, checker, violated
from ..judge.node_subjects import Resize
from ..judge.world import union
from .guards import static

__all__ = ["cpus_are_to_change"]

cpus_are_to_change = Guard[Resize]("the CPU requests stay as they are", lambda resize: resize.changes("cpu"))
memory_is_to_change = Guard[Resize]("the memory requests stay as they are", lambda resize: resize.changes("memory"))
has_exclusive_cpus = Guard[Resize]("the pod has no exclusive CPUs", lambda resize: union(resize.was.held))
shares = Guard[Resize]("the pod has exclusive CPUs, or is to have some", lambda resize: not resize.pod.exclusive)
is_guaranteed = Guard[Resize]("the pod is not Guaranteed", lambda resize: resize.was.spec.qos == "Guaranteed")
static_memory = Guard[Resize]("the Memory Manager's policy is not Static", lambda resize: resize.settings.memory_static)
is_pending = Guard[Resize]("the resize is granted", lambda resize: not resize.granted)
is_granted = Guard[Resize]("the resize is pending", lambda resize: resize.granted)
asks_for_more_than_there_is = Guard[Resize](
    "the node has as much as is asked for",
    lambda resize: (
        resize.pod.effective("cpu") > resize.before.online.bit_count()
        or resize.pod.effective("memory") > sum(node.memory or 0 for node in resize.before.machine.memory)
    ),
)


@checker("resize/exclusive-cpus-are-not-resized", Resize, when=(static, has_exclusive_cpus, cpus_are_to_change))
def exclusive_cpus_are_not_resized(resize: Resize) -> Judgement:
    """Pods that the static CPU Manager policy manages are not resized in place."""
    return violated(
        not resize.granted,
        f"pod {resize.pod.uid} is resized, which has exclusive CPUs {format_bits(union(resize.was.held))}",
        got="resized",
        allowed="pending: Infeasible",
    )


@checker("resize/static-memory-is-not-resized", Resize, when=(static_memory, is_guaranteed, memory_is_to_change))
def static_memory_is_not_resized(resize: Resize) -> Judgement:
    """Pods that the static Memory Manager policy manages are not resized in place."""
    return violated(
        not resize.granted,
        f"the memory of pod {resize.pod.uid} is resized, which is Guaranteed, under policy Static",
        got="resized",
        allowed="pending: Infeasible",
    )


@checker("resize/more-than-the-node-has-is-not-granted", Resize, when=(asks_for_more_than_there_is,))
def more_than_the_node_has_is_not_granted(resize: Resize) -> Judgement:
    """What the node does not have cannot be granted."""
    return violated(
        not resize.granted,
        f"pod {resize.pod.uid} is resized to more than the node has",
        got="resized",
        allowed="pending",
    )


@checker("resize/what-can-never-be-is-infeasible", Resize, when=(asks_for_more_than_there_is, is_pending))
def what_can_never_be_is_infeasible(resize: Resize) -> Judgement:
    """Infeasible is what the node can never grant; Deferred is what may become possible."""
    return violated(
        resize.reason == "Infeasible",
        f"a resize of pod {resize.pod.uid} to more than the node has is {resize.reason}",
        got=resize.reason,
        allowed="Infeasible",
    )


@checker("resize/pending-changes-nothing", Resize, when=(is_pending,))
def pending_changes_nothing(resize: Resize) -> Judgement:
    """What is not granted leaves everything as it was."""
    before, after = resize.before.pool, resize.after.pool
    return violated(
        before == after,
        f"a resize of pod {resize.pod.uid} that is not granted changes the shared pool",
        got=format_bits(after),
        allowed=format_bits(before),
    )


@checker("resize/shared-containers-get-no-cpus-of-their-own", Resize, when=(static, is_granted, shares))
def shared_containers_get_no_cpus_of_their_own(resize: Resize) -> Judgement:
    """Burstable pods, and fractions of CPUs, stay in the shared pool."""
    taken = union(resize.held) | (resize.before.pool & ~resize.after.pool)
    return violated(
        not taken,
        f"pod {resize.pod.uid} runs in the shared pool, and its resize takes CPUs {format_bits(taken)} out of it",
        got=format_bits(taken),
        allowed="none",
        taken=taken,
    )
