"""The shared pool: what it holds, loses and regains. Page: Node Resource Managers, section Static policy."""

from collections.abc import Iterator

from ...cpuset import format_bits
from ...judging.chapter import Chapter, Judgement, Violation, applies, exists, rests_on, violated
from ...judging.node_subjects import Admission, Arrival, NodeMoment, Removal
from ...judging.shared_views import Division, Leftover
from ..conditions import new_pod, refused, under_static

chapter = Chapter("cpu-manager/static", since="1.8")


@chapter.requires("cpu-manager/shared-pool/holds-all-cpus-at-first")
@rests_on("nrm/static/pool-holds-all-cpus-at-first", "cpu-1.8/static/pool-holds-all-cpus-at-first")
def pool_holds_all_cpus_at_first(arrival: Arrival) -> Judgement:
    """At the start the shared pool holds every CPU, the reserved ones included."""
    world = applies(arrival.world, "the node does not come up")
    under_static(arrival)
    why = "the shared pool of an empty node is not whole"
    allowed = format_bits(world.may_be_shared_or_given)
    return violated(world.pool == world.may_be_shared_or_given, why, got=format_bits(world.pool), allowed=allowed)


@chapter.requires("cpu-manager/shared-pool/loses-nothing")
@rests_on("nrm/static/pool-holds-all-cpus-at-first", "nrm/static/cpus-leave-the-pool")
def pool_loses_nothing(division: Division) -> Iterator[Violation]:
    """Shared pool and exclusive CPUs together are all CPUs at every moment."""
    pool, whole = exists(division.pool, "the shared pool is not reported"), division.whole
    lost, extra = whole & ~(pool | division.exclusive | division.left), (pool | division.exclusive) & ~whole
    why = f"CPUs {format_bits(lost)} are neither shared nor exclusive"
    yield from violated(
        not lost, why, got=format_bits(pool), allowed=format_bits(whole & ~division.exclusive), lost=lost
    )
    why = f"CPUs {format_bits(extra)} are given out and should not be"
    yield from violated(not extra, why, got=format_bits(extra), allowed=f"some of {format_bits(whole)}")


@chapter.requires("cpu-manager/static/exclusive-cpus-leave-the-shared-pool")
@rests_on("nrm/static/cpus-leave-the-pool")
def exclusive_cpus_leave_the_pool(division: Division) -> Judgement:
    """Exclusive CPUs are not in the shared pool while their container has them."""
    under_static(division)
    pool = exists(division.pool, "the shared pool is not reported")
    both = pool & applies(division.exclusive, "nobody has CPUs of its own")
    why = f"CPUs {format_bits(both)} are exclusive and in the shared pool"
    return violated(not both, why, got=format_bits(pool), allowed=format_bits(pool & ~both), both=both)


@chapter.requires("cpu-manager/shared-pool/never-empties")
@rests_on("nrm/static/pool-never-empty")
def pool_never_empties(moment: NodeMoment) -> Judgement:
    """The shared pool never becomes empty."""
    under_static(moment)
    applies(moment.world.first_pool, "the shared pool was empty from the start")
    return violated(moment.world.pool, "the shared pool is empty: shared containers have no CPU to run on")


@chapter.requires("cpu-manager/shared-pool/regains-cpus-on-removal")
@rests_on("nrm/static/cpus-leave-the-pool", beyond="No page says when the CPUs of a removed pod return.")
def pool_regains_cpus(removal: Removal | Leftover) -> Judgement:
    """The exclusive CPUs of a removed pod are in the shared pool again."""
    under_static(removal)
    applies(removal.was_there, "the pod was not on the node")
    why = f"CPUs {format_bits(removal.missing)} of the removed pod {removal.uid} are not shared again"
    return violated(
        not removal.missing, why, got=format_bits(removal.pool), missing=removal.missing, about=(f"cpu:{removal.uid}",)
    )


@chapter.requires(
    "topology-manager/admission/a-refused-pod-leaves-the-node-as-it-was", "topology-manager/restricted", since="1.18"
)
@rests_on(
    "topology/restricted/refuses",
    "topology-source/admission/others-go-on",
    beyond="No page says what a refused pod holds.",
)
def refused_pod_leaves_no_trace(admission: Admission) -> Judgement:
    """A refused pod holds nothing: the next pod finds the node as it was before."""
    refused(admission)
    new_pod(admission)
    under_static(admission)
    before, after = admission.before, admission.after
    changed = before.pool ^ after.pool
    why = f"refusing pod {admission.pod.uid} changed the shared pool by {format_bits(changed)}"
    return violated(not changed & ~before.left, why, got=format_bits(after.pool), allowed=format_bits(before.pool))
