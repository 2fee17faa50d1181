"""The shared pool and the reservation: page Node Resource Managers, section Static policy."""

from __future__ import annotations

from collections.abc import Iterator

from ...cpuset import format_bits
from ..judge.chapter import Chapter, Judgement, Violation, applies, violated
from ..judge.given import Division, Leftover
from ..judge.may_run import MayRun
from ..judge.node_subjects import Arrival, Moment, Removal

chapter = Chapter(since="1.8")


@chapter.requires(
    "protocol/comes-up",
    "cpu-manager/static",
    on=Arrival,
    rests_on=("cpu-task/options/incompatible-options-fail-the-start",),
    beyond="that options which are not named as incompatible do not keep the node from coming up",
)
def comes_up(arrival: Arrival) -> Judgement:
    """A node comes up with a configuration that the pages allow on its machine."""
    return violated(arrival.up, "the node does not come up", got=arrival.refusal, allowed="it comes up")


@chapter.requires(
    "cpu-manager/none/needs-no-reservation",
    "cpu-manager/none",
    on=Arrival,
    rests_on=("cpu-task/none/needs-nothing", "nrm/static/needs-a-reservation"),
)
def none_needs_no_reservation(arrival: Arrival) -> Judgement:
    """Under policy none the node comes up without any CPU reservation."""
    applies(not arrival.settings.static, "the CPU Manager's policy is static")
    applies(not arrival.settings.reserved_count, "CPUs are reserved")
    return comes_up(arrival)


@chapter.requires(
    "cpu-manager/shared-pool/holds-all-cpus-at-first",
    "cpu-manager/static",
    on=Arrival,
    rests_on=("nrm/static/pool-holds-all-cpus-at-first", "cpu-1.8/static/pool-holds-all-cpus-at-first"),
)
def pool_holds_all_cpus_at_first(arrival: Arrival) -> Judgement:
    """At the start the shared pool holds every CPU, the reserved ones included."""
    applies(arrival.up, "the node does not come up")
    applies(arrival.settings.static, "the CPU Manager's policy is none")
    pool, whole = (arrival.world.pool, arrival.world.may_be_shared_or_given) if arrival.world else (0, 0)
    return violated(
        pool == whole,
        "the shared pool of an empty node is not whole",
        got=format_bits(pool),
        allowed=format_bits(whole),
    )


@chapter.requires(
    "cpu-manager/shared-pool/loses-nothing",
    "cpu-manager/static",
    on=Division,
    rests_on=("nrm/static/pool-holds-all-cpus-at-first", "nrm/static/cpus-leave-the-pool"),
)
def pool_loses_nothing(division: Division) -> Iterator[Violation]:
    """Shared pool and exclusive CPUs together are all CPUs at every moment."""
    applies(division.pool is not None, "the shared pool is not told")
    pool, exclusive, whole = division.pool or 0, division.exclusive, division.whole
    lost, extra = whole & ~(pool | exclusive | division.left), (pool | exclusive) & ~whole
    yield from violated(
        not lost,
        f"CPUs {format_bits(lost)} are neither shared nor exclusive",
        got=format_bits(pool),
        allowed=format_bits(whole & ~exclusive),
        lost=lost,
    )
    yield from violated(
        not extra,
        f"CPUs {format_bits(extra)} are given out and should not be",
        got=format_bits(extra),
        allowed=f"some of {format_bits(whole)}",
    )


@chapter.requires(
    "cpu-manager/static/exclusive-cpus-leave-the-shared-pool",
    "cpu-manager/static",
    on=Division,
    rests_on=("nrm/static/cpus-leave-the-pool",),
)
def exclusive_cpus_leave_the_pool(division: Division) -> Judgement:
    """Exclusive CPUs are not in the shared pool while their container has them."""
    applies(division.settings.static, "the CPU Manager's policy is none")
    applies(division.pool is not None, "the shared pool is not told")
    applies(division.exclusive, "nobody has CPUs of its own")
    pool, both = division.pool or 0, (division.pool or 0) & division.exclusive
    return violated(
        not both,
        f"CPUs {format_bits(both)} are exclusive and in the shared pool",
        got=format_bits(pool),
        allowed=format_bits(pool & ~both),
        both=both,
    )


@chapter.requires(
    "cpu-manager/reservation/is-never-exclusive",
    "cpu-manager/static",
    on=Division,
    rests_on=("nrm/static/exclusive-are-all-but-reserved", "nrm/strict-cpu-reservation/default-keeps-exclusive-off"),
)
def reserved_is_never_exclusive(division: Division) -> Judgement:
    """Reserved CPUs are never given to a container exclusively."""
    applies(division.settings.static, "the CPU Manager's policy is none")
    applies(division.exclusive, "nobody has CPUs of its own")
    applies(division.reserved is not None, "it is not known which CPUs are reserved")
    taken = division.exclusive & (division.reserved or 0)
    return violated(
        not taken,
        f"reserved CPUs {format_bits(taken)} are exclusive",
        got=format_bits(division.exclusive),
        allowed=f"none of {format_bits(division.reserved or 0)}",
        reserved=taken,
    )


@chapter.requires(
    "cpu-manager/reservation/stays-in-the-shared-pool",
    "cpu-manager/static",
    on=Moment,
    rests_on=("nrm/static/pool-holds-all-cpus-at-first", "nrm/strict-cpu-reservation/default-lets-shared-on"),
)
def reserved_stays_in_the_pool(moment: Moment) -> Judgement:
    """Reserved CPUs stay in the shared pool unless strict-cpu-reservation is on.

    By default shared containers may use reserved CPUs.
    """
    applies(moment.settings.static, "the CPU Manager's policy is none")
    applies(not moment.world.strict, "reserved CPUs are kept out of the shared pool")
    applies(moment.world.knows_reserved, "it is not known which CPUs are reserved")
    missing = moment.world.reserved & ~moment.world.pool
    why = f"reserved CPUs {format_bits(missing)} are not shared"
    return violated(not missing, why, got=format_bits(moment.world.pool))


@chapter.requires(
    "cpu-manager/strict-cpu-reservation/keeps-pods-off-reserved-cpus",
    "cpu-manager/static",
    "cpu-manager/strict-cpu-reservation",
    on=(Moment, MayRun),
    rests_on=(
        "nrm/strict-cpu-reservation/keeps-every-pod-off",
        "nrm/strict-cpu-reservation/means-the-explicit-set",
        "nrm/options/strict-cpu-reservation",
    ),
    since="1.32",
    area="cpu-manager options",
)
def strict_keeps_pods_off(subject: Moment | MayRun) -> Judgement:
    """No pod of any class runs on the reserved CPUs: they are never in the shared pool and never exclusive."""
    applies(subject.settings.static, "the CPU Manager's policy is none")
    applies(subject.world.strict, "reserved CPUs may be shared")
    applies(isinstance(subject, Moment) or subject.told, "it is not told on which CPUs the container may run")
    world = subject.world
    told = world.pool | world.exclusive if isinstance(subject, Moment) else subject.cpuset
    used = told & world.reserved
    return violated(not used, f"pods may run on the reserved CPUs {format_bits(used)}", got=format_bits(told))


@chapter.requires(
    "cpu-manager/shared-pool/never-empties", "cpu-manager/static", on=Moment, rests_on=("nrm/static/pool-never-empty",)
)
def pool_never_empties(moment: Moment) -> Judgement:
    """The shared pool never becomes empty.

    A reservation is required because the shared pool must not become empty.
    """
    applies(moment.settings.static, "the CPU Manager's policy is none")
    applies(moment.world.first_pool != 0, "the shared pool was empty from the start")
    return violated(moment.world.pool, "the shared pool is empty: shared containers have no CPU to run on")


@chapter.requires(
    "cpu-manager/shared-pool/regains-cpus-on-removal",
    "cpu-manager/static",
    on=(Removal, Leftover),
    rests_on=("nrm/static/cpus-leave-the-pool",),
    beyond="No page says when the CPUs of a removed pod return.",
)
def pool_regains_cpus(removal: Removal | Leftover) -> Judgement:
    """When a pod is gone its exclusive CPUs are in the shared pool again."""
    applies(removal.settings.static, "the CPU Manager's policy is none")
    applies(removal.was_there, "the pod was not on the node")
    return violated(
        not removal.missing,
        f"CPUs {format_bits(removal.missing)} of the removed pod {removal.uid} are not shared again",
        got=format_bits(removal.pool),
        missing=removal.missing,
        about=(f"cpu:{removal.uid}",),
    )
