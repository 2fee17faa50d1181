"""The shared pool and the reservation over a node's life: page Node Resource Managers, section Static policy."""

from __future__ import annotations

from collections.abc import Mapping

from ...cpuset import format_bits
from ...machine import Machine
from ..judge.checker import Judgement, checker, violated
from ..judge.node_subjects import Arrival, Moment, Removal


@checker("cpu-manager/shared-pool/holds-all-cpus-at-first", Arrival)
def pool_holds_all_cpus_at_first(arrival: Arrival) -> Judgement:
    """At the start the pool holds all CPUs; without the reserved ones under strict-cpu-reservation."""
    world = arrival.world
    if world is None or not world.settings.static:
        return None
    return violated(
        world.pool == world.may_be_shared_or_given,
        "the shared pool of an empty node is not whole",
        got=format_bits(world.pool),
        allowed=format_bits(world.may_be_shared_or_given),
    )


@checker("protocol/comes-up", Arrival)
def comes_up(arrival: Arrival) -> Judgement:
    """A node comes up with a configuration that the pages allow on its machine."""
    return violated(arrival.world is not None, "the node does not come up", got=arrival.refusal, allowed="it comes up")


@checker("cpu-manager/reservation/rounds-up", Arrival)
def reserves_the_number(arrival: Arrival) -> Judgement:
    """As many CPUs are reserved as the configuration says, rounded up."""
    world = arrival.world
    if world is None or not world.settings.static or world.settings.reserved is not None:
        return None
    if not (world.reserved or world.settings.strict):
        return None
    number = world.reserved.bit_count()
    return violated(
        number == arrival.settings.reserved_count,
        f"{number} CPUs are reserved",
        got=format_bits(world.reserved),
        allowed=f"{arrival.settings.reserved_count} CPUs",
    )


@checker("cpu-manager/reservation/takes-cores-in-ascending-order", Arrival)
def reservation_ascends_by_core(arrival: Arrival) -> Judgement:
    """A reservation by number takes CPUs in ascending order of physical core ids.

    Core ids may be the kernel's, which begin anew in each socket, with or without the socket, or follow the CPU ids;
    whether sibling threads come at once is not decided.
    """
    world = arrival.world
    if world is None or not world.settings.static or world.settings.reserved is not None or not world.reserved:
        return None
    readings = _core_orders(world.machine)
    return violated(
        any(_is_first(order, world.reserved) for order in readings),
        f"the reserved CPUs {format_bits(world.reserved)} are not those of the first cores",
        got=format_bits(world.reserved),
        allowed="CPUs of the lowest cores",
        reserved=world.reserved,
    )


def _core_orders(machine: Machine) -> list[dict[int, tuple[int, ...]]]:
    """Return the CPUs of each core with its place, in every way in which cores may be numbered."""
    first = {core: next(cpu for cpu in machine.cpus if core >> cpu.id & 1) for core in machine.core_bits}
    return [
        {core: (cpu.id,) for core, cpu in first.items()},
        {core: (-1 if cpu.core is None else cpu.core,) for core, cpu in first.items()},
        {core: (cpu.socket, -1 if cpu.core is None else cpu.core) for core, cpu in first.items()},
        {core: (cpu.socket, cpu.numa, -1 if cpu.core is None else cpu.core) for core, cpu in first.items()},
        {core: (cpu.numa, -1 if cpu.core is None else cpu.core) for core, cpu in first.items()},
    ]


def _is_first(order: Mapping[int, tuple[int, ...]], reserved: int) -> bool:
    last = max((place for core, place in order.items() if core & reserved), default=None)
    if last is None:
        return False
    return all(core & reserved for core, place in order.items() if place < last)


@checker("cpu-manager/shared-pool/loses-nothing", Moment)
def pool_loses_nothing(moment: Moment) -> Judgement:
    """Shared pool and exclusive CPUs together are all CPUs, and nothing is in both.

    What an ended init container leaves may be either.
    """
    world = moment.world
    if not world.settings.static:
        return None
    whole, exclusive = world.may_be_shared_or_given, world.exclusive
    lost, extra = whole & ~(world.pool | exclusive | world.left), (world.pool | exclusive) & ~whole
    lost_text = f"CPUs {format_bits(lost)} are neither shared nor exclusive"
    extra_text = f"CPUs {format_bits(extra)} are given out and should not be"
    return (
        *violated(not lost, lost_text, got=format_bits(world.pool), allowed=format_bits(whole & ~exclusive), lost=lost),
        *violated(not extra, extra_text, got=format_bits(extra), allowed=f"some of {format_bits(whole)}"),
    )


@checker("cpu-manager/static/exclusive-cpus-leave-the-shared-pool", Moment)
def exclusive_cpus_leave_the_pool(moment: Moment) -> Judgement:
    """Exclusive CPUs are removed from the shared pool."""
    world = moment.world
    if not world.settings.static or not world.exclusive:
        return None
    both = world.pool & world.exclusive
    return violated(
        not both,
        f"CPUs {format_bits(both)} are exclusive and in the shared pool",
        got=format_bits(world.pool),
        allowed=format_bits(world.pool & ~both),
        both=both,
    )


@checker("cpu-manager/reservation/is-never-exclusive", Moment)
def reserved_is_never_exclusive(moment: Moment) -> Judgement:
    """Reserved CPUs are not given exclusively."""
    world = moment.world
    if not world.settings.static or not world.exclusive:
        return None
    taken = world.exclusive & world.reserved
    return violated(
        not taken,
        f"reserved CPUs {format_bits(taken)} are exclusive",
        got=format_bits(world.exclusive),
        allowed=f"none of {format_bits(world.reserved)}",
        reserved=taken,
    )


@checker("cpu-manager/reservation/stays-in-the-shared-pool", Moment)
def reserved_stays_in_the_pool(moment: Moment) -> Judgement:
    """By default shared containers may use reserved CPUs."""
    world = moment.world
    if not world.settings.static or world.settings.strict:
        return None
    missing = world.reserved & ~world.pool
    return violated(not missing, f"reserved CPUs {format_bits(missing)} are not shared", got=format_bits(world.pool))


@checker("cpu-manager/strict-cpu-reservation/keeps-pods-off-reserved-cpus", Moment)
def strict_keeps_pods_off(moment: Moment) -> Judgement:
    """Under strict-cpu-reservation no pod of any class runs on reserved CPUs."""
    world = moment.world
    if not world.settings.static or not world.settings.strict:
        return None
    used = (world.pool | world.exclusive) & world.reserved
    return violated(not used, f"pods may run on the reserved CPUs {format_bits(used)}", got=format_bits(world.pool))


@checker("cpu-manager/shared-pool/never-empties", Moment)
def pool_never_empties(moment: Moment) -> Judgement:
    """A reservation is required because the shared pool must not become empty."""
    world = moment.world
    if not world.settings.static or world.first_pool == 0:
        return None
    return violated(world.pool, "the shared pool is empty: shared containers have no CPU to run on")


@checker("cpu-manager/shared-pool/regains-cpus-on-removal", Removal)
def pool_regains_cpus(removal: Removal) -> Judgement:
    """When a pod is gone its CPUs are shared again."""
    if not removal.before.settings.static or not removal.known or removal.uid not in removal.before.pods:
        return None
    pod = removal.before.pods[removal.uid]
    missing = pod.kept & ~removal.after.exclusive & ~removal.after.pool
    return violated(
        not missing,
        f"CPUs {format_bits(missing)} of the removed pod {removal.uid} are not shared again",
        got=format_bits(removal.after.pool),
        missing=missing,
    )
