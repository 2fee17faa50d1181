"""The shared pool and the reservation: page Node Resource Managers, section Static policy."""

from __future__ import annotations

from collections.abc import Iterator

from ...cpuset import format_bits
from ..judge.checker import Guard, Judgement, Violation, checker, violated
from ..judge.given import Division, Leftover
from ..judge.may_run import MayRun
from ..judge.node_subjects import Arrival, Moment, Removal
from .guards import none, static


@checker("protocol/comes-up", Arrival)
def comes_up(arrival: Arrival) -> Judgement:
    """A node comes up with a configuration that the pages allow on its machine."""
    return violated(arrival.up, "the node does not come up", got=arrival.refusal, allowed="it comes up")


without_a_reservation = Guard[Arrival]("CPUs are reserved", lambda arrival: not arrival.settings.reserved_count)


@checker("cpu-manager/none/needs-no-reservation", Arrival, when=(none, without_a_reservation))
def none_needs_no_reservation(arrival: Arrival) -> Judgement:
    """Under policy none a node comes up without any reservation of CPUs."""
    return comes_up(arrival)


up = Guard[Arrival]("the node does not come up", lambda arrival: arrival.up)


@checker("cpu-manager/shared-pool/holds-all-cpus-at-first", Arrival, when=(up, static))
def pool_holds_all_cpus_at_first(arrival: Arrival) -> Judgement:
    """At the start the pool holds all CPUs; without the reserved ones under strict-cpu-reservation."""
    pool, whole = (arrival.world.pool, arrival.world.may_be_shared_or_given) if arrival.world else (0, 0)
    return violated(
        pool == whole,
        "the shared pool of an empty node is not whole",
        got=format_bits(pool),
        allowed=format_bits(whole),
    )


pool_is_told = Guard[Division]("the shared pool is not told", lambda division: division.pool is not None)
with_exclusive_cpus = Guard[Division]("nobody has CPUs of its own", lambda division: division.exclusive)
reserved_cpus_are_known = Guard[Division](
    "it is not known which CPUs are reserved", lambda division: division.reserved is not None
)


@checker("cpu-manager/shared-pool/loses-nothing", Division, when=(pool_is_told,))
def pool_loses_nothing(division: Division) -> Iterator[Violation]:
    """Shared pool and exclusive CPUs together are all CPUs, and nothing else; ended init containers' may be either."""
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


@checker(
    "cpu-manager/static/exclusive-cpus-leave-the-shared-pool",
    Division,
    when=(static, pool_is_told, with_exclusive_cpus),
)
def exclusive_cpus_leave_the_pool(division: Division) -> Judgement:
    """Exclusive CPUs are removed from the shared pool."""
    pool, both = division.pool or 0, (division.pool or 0) & division.exclusive
    return violated(
        not both,
        f"CPUs {format_bits(both)} are exclusive and in the shared pool",
        got=format_bits(pool),
        allowed=format_bits(pool & ~both),
        both=both,
    )


@checker(
    "cpu-manager/reservation/is-never-exclusive", Division, when=(static, with_exclusive_cpus, reserved_cpus_are_known)
)
def reserved_is_never_exclusive(division: Division) -> Judgement:
    """Reserved CPUs are not given exclusively."""
    taken = division.exclusive & (division.reserved or 0)
    return violated(
        not taken,
        f"reserved CPUs {format_bits(taken)} are exclusive",
        got=format_bits(division.exclusive),
        allowed=f"none of {format_bits(division.reserved or 0)}",
        reserved=taken,
    )


not_strict = Guard[Moment]("reserved CPUs are kept out of the shared pool", lambda moment: not moment.world.strict)
knows_reserved = Guard[Moment]("it is not known which CPUs are reserved", lambda moment: moment.world.knows_reserved)


@checker("cpu-manager/reservation/stays-in-the-shared-pool", Moment, when=(static, not_strict, knows_reserved))
def reserved_stays_in_the_pool(moment: Moment) -> Judgement:
    """By default shared containers may use reserved CPUs."""
    missing = moment.world.reserved & ~moment.world.pool
    why = f"reserved CPUs {format_bits(missing)} are not shared"
    return violated(not missing, why, got=format_bits(moment.world.pool))


strict = Guard[Moment | MayRun]("reserved CPUs may be shared", lambda subject: subject.world.strict)
is_known = Guard[Moment | MayRun](
    "it is not told on which CPUs the container may run", lambda subject: isinstance(subject, Moment) or subject.told
)


@checker(
    "cpu-manager/strict-cpu-reservation/keeps-pods-off-reserved-cpus",
    Moment,
    MayRun,
    when=(static, strict, is_known),
)
def strict_keeps_pods_off(subject: Moment | MayRun) -> Judgement:
    """Under strict-cpu-reservation no pod of any class runs on reserved CPUs."""
    world = subject.world
    told = world.pool | world.exclusive if isinstance(subject, Moment) else subject.cpuset
    used = told & world.reserved
    return violated(not used, f"pods may run on the reserved CPUs {format_bits(used)}", got=format_bits(told))


pool_was_not_empty = Guard[Moment](
    "the shared pool was empty from the start", lambda moment: moment.world.first_pool != 0
)


@checker("cpu-manager/shared-pool/never-empties", Moment, when=(static, pool_was_not_empty))
def pool_never_empties(moment: Moment) -> Judgement:
    """A reservation is required because the shared pool must not become empty."""
    return violated(moment.world.pool, "the shared pool is empty: shared containers have no CPU to run on")


was_there = Guard[Removal | Leftover]("the pod was not on the node", lambda removal: removal.was_there)


@checker("cpu-manager/shared-pool/regains-cpus-on-removal", Removal, Leftover, when=(static, was_there))
def pool_regains_cpus(removal: Removal | Leftover) -> Judgement:
    """When a pod is gone its CPUs are shared again."""
    return violated(
        not removal.missing,
        f"CPUs {format_bits(removal.missing)} of the removed pod {removal.uid} are not shared again",
        got=format_bits(removal.pool),
        missing=removal.missing,
        about=(f"cpu:{removal.uid}",),
    )
