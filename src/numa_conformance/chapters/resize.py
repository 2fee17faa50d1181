"""Resizing pods in place: page Resize CPU and Memory Resources assigned to Containers."""

from ..cpuset import format_bits
from ..judging.chapter import Chapter, Judgement, applies, configured, judges, recommended_by, rests_on, violated
from ..judging.node_subjects import Resize
from ..judging.pods import GUARANTEED
from ..judging.room import ordinary
from ..judging.world import exclusive_of
from .conditions import pods_and_cpus, under_static

chapter = Chapter("node/resize", since="1.33")


@chapter.requires("resize/exclusive-cpus-are-not-resized", "cpu-manager/static")
@rests_on("resize/limits/static-policies")
def exclusive_cpus_are_not_resized(resize: Resize) -> Judgement:
    """A pod with exclusive CPUs whose CPU requests are to change is not resized in place."""
    under_static(resize)
    cpus = applies(exclusive_of(resize.was.held), "the pod has no exclusive CPUs")
    applies(resize.changes("cpu"), "the CPU requests stay as they are")
    why = f"pod {resize.pod.uid} is resized, which has exclusive CPUs {format_bits(cpus)}"
    return violated(not resize.granted, why, got="resized", allowed="pending: Infeasible")


@chapter.requires("resize/static-memory-is-not-resized", "memory-manager/static")
@rests_on("resize/limits/static-policies")
def static_memory_is_not_resized(resize: Resize) -> Judgement:
    """Under Memory Manager policy Static a Guaranteed pod whose memory requests are to change is not resized in
    place.
    """
    configured(resize.settings.memory_static, "the Memory Manager's policy is not Static")
    applies(resize.was.spec.qos == GUARANTEED, "the pod is not Guaranteed")
    applies(resize.changes("memory"), "the memory requests stay as they are")
    why = f"the memory of pod {resize.pod.uid} is resized, which is Guaranteed, under policy Static"
    return violated(not resize.granted, why, got="resized", allowed="pending: Infeasible")


def asks_for_more_than_there_is(resize: Resize) -> None:
    machine = resize.before.machine
    there = {"cpu": resize.before.online.bit_count(), "memory": machine.total_memory}
    more = (resize.changes(name) and resize.pod.effective(name) > amount for name, amount in there.items())
    applies(any(more), "the node has as much as is asked for")


@chapter.requires("resize/more-than-the-node-has-is-not-granted")
@rests_on("resize/status/pending")
def more_than_the_node_has_is_not_granted(resize: Resize) -> Judgement:
    """A resize to more CPUs or memory than the node has is not granted."""
    asks_for_more_than_there_is(resize)
    why = f"pod {resize.pod.uid} is resized to more than the node has"
    return violated(not resize.granted, why, got="resized", allowed="pending")


@chapter.requires("resize/what-can-never-be-is-infeasible")
@recommended_by("resize/status/infeasible", "resize/status/deferred")
def what_can_never_be_is_infeasible(resize: Resize) -> Judgement:
    """A resize to more CPUs or memory than the node has is Infeasible, not Deferred."""
    asks_for_more_than_there_is(resize)
    applies(not resize.granted, "the resize is granted")
    why = f"a resize of pod {resize.pod.uid} to more than the node has is {resize.reason}"
    return violated(resize.reason == "Infeasible", why, got=resize.reason, allowed="Infeasible")


def no_policy_forbids(resize: Resize) -> None:
    static = resize.settings.static or resize.settings.memory_static
    applies(not static or resize.pod.qos != GUARANTEED, "static policies may forbid the resize")


@chapter.requires("resize/what-there-is-room-for-is-granted")
@rests_on("resize/status/pending", beyond="that what a node can grant at once is granted")
def what_there_is_room_for_is_granted(resize: Resize) -> Judgement:
    """A resize after which all pods request no more than is allocatable of CPUs, and half of the memory, is granted."""
    no_policy_forbids(resize)
    before, pod, was = resize.before, resize.pod, resize.was.spec.by_name
    applies(resize.settings.topology == "none" or pod.qos != GUARANTEED, "the pod may have to be aligned")
    pods, cpus = pods_and_cpus(before, pod)
    applies(pod.resources <= {"cpu", "memory"}, "the pod asks for more than CPUs and memory")
    room = {"cpu": cpus, "memory": sum(map(ordinary, before.machine.memory)) / 2}
    crowded = (sum(each.scheduled(name) for each in pods) > amount for name, amount in room.items())
    applies(not any(crowded), "the pods request more than that")
    bounds = ((each.limits.get("memory", 0), was[each.name].limits.get("memory", 0)) for each in pod.containers)
    applies(all(new >= old for new, old in bounds), "a limit of memory is lowered, of which more may be in use")
    why = f"a resize of pod {resize.pod.uid} is {resize.reason}, and the node has room for it"
    return violated(resize.granted, why, got=resize.reason, allowed="resized")


@judges("resize/what-can-never-be-is-infeasible")
def what_may_be_later_is_deferred(resize: Resize) -> Judgement:
    """A resize that an empty node would grant is Deferred, not Infeasible."""
    settings = resize.settings
    applies(not resize.granted, "the resize is granted")
    no_policy_forbids(resize)
    before, pod = resize.before, resize.pod
    small = 2 * pod.effective("memory") <= before.machine.total_memory
    applies(small, "the pod asks for much memory, of which some is reserved or in huge pages")
    free = before.online.bit_count() - settings.reserved_count
    applies(pod.effective("cpu") <= free, "an empty node has no more CPUs than that")
    why = f"a resize of pod {pod.uid} that an empty node would grant is {resize.reason}"
    return violated(resize.reason == "Deferred", why, got=resize.reason, allowed="Deferred")


@chapter.requires("resize/pending-changes-nothing")
@rests_on(
    "resize/status/pending",
    beyond="The page says that the request is pending; that what is held stays is taken from there.",
)
def pending_changes_nothing(resize: Resize) -> Judgement:
    """A resize that is not granted changes neither the shared pool nor what a container holds."""
    applies(not resize.granted, "the resize is granted")
    before, after = resize.before.pool, resize.after.pool
    why = f"a resize of pod {resize.pod.uid} that is not granted changes the shared pool"
    return violated(before == after, why, got=format_bits(after), allowed=format_bits(before))


@chapter.requires("resize/shared-containers-get-no-cpus-of-their-own", "cpu-manager/static")
@rests_on("resize/limits/static-policies", "nrm/static/burstable-is-shared")
def shared_containers_get_no_cpus_of_their_own(resize: Resize) -> Judgement:
    """A container of the shared pool that is resized gets no exclusive CPUs by it, and takes none out of the
    pool.
    """
    under_static(resize)
    applies(resize.granted, "the resize is pending")
    applies(not resize.pod.exclusive, "the pod has exclusive CPUs, or is to have some")
    taken = exclusive_of(resize.held) | (resize.before.pool & ~resize.after.pool)
    cpus = format_bits(taken)
    why = f"pod {resize.pod.uid} runs in the shared pool, and its resize takes CPUs {cpus} out of it"
    return violated(not taken, why, got=cpus, allowed="none", taken=taken)
