"""The CPUs that are reserved, and who may use them. Page: Node Resource Managers, section Static policy."""

from collections.abc import Iterator, Mapping

from ...cpuset import format_bits, iter_bits
from ...judging.allocated import AllocatedCpus
from ...judging.chapter import (
    Chapter,
    Judgement,
    applies,
    configured,
    exists,
    judges,
    recommended_by,
    rests_on,
    violated,
)
from ...judging.may_run import MayRun
from ...judging.node_subjects import Arrival, NodeMoment
from ...judging.shared_views import Division
from ...judging.start_subjects import Start
from ...judging.world import World
from ...machine import Machine
from ..conditions import under_none, under_static
from ..outcomes import number_of
from .cpusets import cpuset_of

chapter = Chapter("cpu-manager/static", since="1.8")


@Chapter("cpu-manager/none", since="1.8").requires("cpu-manager/none/needs-no-reservation")
@rests_on("cpu-task/none/needs-nothing", "nrm/static/needs-a-reservation")
def none_needs_no_reservation(arrival: Arrival) -> Judgement:
    """Under policy none the node comes up without any CPU reservation."""
    under_none(arrival)
    configured(not arrival.settings.reserved_count, "CPUs are reserved")
    return violated(arrival.up, "the node does not come up", got=arrival.refusal, allowed="it comes up")


@chapter.requires("cpu-manager/reservation/must-be-positive")
@rests_on("nrm/static/needs-a-reservation", "cpu-task/static/needs-a-reservation", "cpu-1.8/static/needs-a-reservation")
def must_be_positive(subject: AllocatedCpus | Start) -> Judgement:
    """The node does not come up with policy static and no CPU reserved."""
    under_static(subject)
    configured(not subject.settings.reserved_count, "CPUs are reserved")
    return violated(not subject.up, "policy static comes up with no CPU reserved", allowed="it does not come up")


@chapter.requires("cpu-manager/reservation/explicit-list-is-taken", since="1.17")
@rests_on(
    "reserve/list/explicit-set",
    "reserve/list/takes-precedence",
    "cpu-task/static/explicit-list-comes-first",
    "nrm/strict-cpu-reservation/reserved-set",
    "nrm/static/every-reservation-counts",
    "kubelet-reference/configuration/reserved-system-cpus",
)
def explicit_list_is_taken(subject: AllocatedCpus | Start) -> Judgement:
    """reservedSystemCPUs names the reserved CPUs, in place of what kubeReserved and systemReserved say about cpu."""
    under_static(subject)
    online = subject.machine.online_bits
    named = exists(subject.settings.reserved, "CPUs are reserved by number") & online
    reserved = reported(subject) & online
    why = "other CPUs are reserved than the configuration names"
    return violated(reserved == named, why, got=format_bits(reserved), allowed=format_bits(named))


@chapter.requires("cpu-manager/reservation/explicit-list-must-exist", since="1.17")
@recommended_by(
    "reserve/list/explicit-set", beyond="No page says what becomes of a list with CPUs that are not online."
)
def explicit_list_must_exist(start: Start) -> Judgement:
    """The node does not come up with CPUs in reservedSystemCPUs that are not online."""
    under_static(start)
    named = exists(start.settings.reserved, "CPUs are reserved by number")
    missing = applies(named & ~start.machine.online_bits, "all CPUs that are reserved by name are online")
    why = f"the node comes up, though the reserved CPUs {format_bits(missing)} are not online"
    return violated(not start.up, why, allowed="the node does not come up")


@chapter.requires("cpu-manager/reservation/adds-kube-and-system")
@rests_on(
    "nrm/static/every-reservation-counts",
    "reserve/kube/kube-reserved",
    "reserve/system/system-reserved",
    "cpu-1.8/static/reservation-is-the-sum",
)
def adds_kube_and_system(subject: AllocatedCpus | Start | Arrival) -> Judgement:
    """The number of reserved CPUs is that of kubeReserved and systemReserved together."""
    reserved, number = reserved_by_number(subject), subject.settings.reserved_count
    return _as_many(reserved, number, or_one_less=subject.settings.reserved_by_fraction)


@chapter.requires("cpu-manager/reservation/rounds-up")
@rests_on(
    "nrm/static/reserved-in-whole-cpus", beyond="The page takes whole CPUs and does not say which way a fraction goes."
)
def rounds_up(subject: AllocatedCpus | Start | Arrival) -> Judgement:
    """A reservation that is no whole number of CPUs is rounded up to the next."""
    configured(subject.settings.reserved_by_fraction, "the amounts make a whole number together")
    reserved, number = reserved_by_number(subject), subject.settings.reserved_count
    applies(reserved.bit_count() in (number, number - 1), "the number is neither rounded up nor down")
    return _as_many(reserved, number)


def reserved_by_number(subject: AllocatedCpus | Start | Arrival) -> int:
    """Return the reserved CPUs where the configuration says how many, and not which."""
    under_static(subject)
    configured(subject.settings.reserved is None, "the reserved CPUs are named one by one")
    configured(subject.settings.reserved_count, "no CPU is reserved")
    applies(not subject.tries_options, "policy options are tried")
    return reported(subject)


def reported(subject: AllocatedCpus | Start | Arrival) -> int:
    """Return the reserved CPUs as the target tells them; an empty set tells that there are none."""
    reserved = subject.reported_reserved
    applies(reserved is not None, "the reserved CPUs are not reported, or the node does not come up")
    return reserved or 0


def _as_many(reserved: int, number: int, or_one_less: bool = False) -> Judgement:
    count = reserved.bit_count()
    why = f"the node reserves {number_of(count, 'CPU')}"
    allowed = number_of(number, "CPU")
    return violated(count in (number, number - or_one_less), why, got=format_bits(reserved), allowed=allowed)


@chapter.requires("cpu-manager/reservation/takes-cores-in-ascending-order")
@rests_on("nrm/static/reserved-by-core-id")
def takes_cores_in_ascending_order(subject: AllocatedCpus | Arrival) -> Judgement:
    """CPUs reserved by number are those of the cores with the lowest ids."""
    reserved = applies(reserved_by_number(subject), "no CPU is reserved")
    return _first_cores(reserved, subject.machine, whole=False)


@chapter.requires("cpu-manager/reservation/ascending-core-ids")
@rests_on("nrm/static/reserved-by-core-id", "cpu-1.8/static/reserved-by-core-id")
def reserves_by_ascending_core_id(start: Start) -> Judgement:
    """Where only a number is reserved, CPUs are reserved core after core, ascending by physical core id."""
    return _first_cores(applies(reserved_by_number(start), "no CPU is reserved"), start.machine, whole=True)


def _first_cores(reserved: int, machine: Machine | None, *, whole: bool) -> Judgement:
    """Core ids may be the kernel's, which begin anew in each socket, with or without the socket, or follow the CPU ids.

    ``whole``: all threads of a core are taken before the next is begun.
    """
    machine = applies(machine, "the node does not come up")
    return violated(
        not reserved & ~machine.online_bits
        and any(_is_a_beginning(places, reserved, whole) for places in _orders(machine)),
        "the reserved CPUs are not those of the cores with the lowest ids",
        got=format_bits(reserved),
        allowed="core after core, ascending by core id",
        reserved=reserved,
    )


def _orders(machine: Machine) -> Iterator[Mapping[int, tuple[int, ...]]]:
    """Yield where each CPU stands by its core, in every way in which cores may be numbered; threads of one alike."""
    core = {cpu.id: -1 if cpu.core is None else cpu.core for cpu in machine.cpus}
    yield {id: (number,) for number, bits in enumerate(machine.core_bits) for id in iter_bits(bits)}
    yield {cpu.id: (core[cpu.id],) for cpu in machine.cpus}
    yield {cpu.id: (cpu.socket, core[cpu.id]) for cpu in machine.cpus}
    yield {cpu.id: (cpu.numa, core[cpu.id]) for cpu in machine.cpus}
    yield {cpu.id: (cpu.socket, cpu.numa, core[cpu.id]) for cpu in machine.cpus}


def _is_a_beginning(places: Mapping[int, tuple[int, ...]], chosen: int, whole: bool) -> bool:
    """Tell whether CPUs are the first ones in an order, those of one place in any order."""
    met = {place for id, place in places.items() if chosen >> id & 1}
    last = max(met)
    return all(chosen >> id & 1 if whole else place in met for id, place in places.items() if place < last)


@chapter.requires("cpu-manager/reservation/is-never-exclusive")
@rests_on("nrm/static/exclusive-are-all-but-reserved", "nrm/strict-cpu-reservation/default-keeps-exclusive-off")
def reserved_is_never_exclusive(division: Division) -> Judgement:
    """Reserved CPUs are never given to a container exclusively."""
    under_static(division)
    exclusive = applies(division.exclusive, "nobody has CPUs of its own")
    reserved = exists(division.reserved, "it is not known which CPUs are reserved")
    taken = exclusive & reserved
    why = f"reserved CPUs {format_bits(taken)} are exclusive"
    return violated(
        not taken, why, got=format_bits(exclusive), allowed=f"none of {format_bits(reserved)}", reserved=taken
    )


@judges("cpu-manager/reservation/is-never-exclusive")
def all_but_reserved_are_allocatable(arrival: Arrival) -> Judgement:
    """As many CPUs can be exclusive as the node has beyond its reservation."""
    under_static(arrival)
    allocatable = exists(arrival.allocatable, "the CPUs that can be exclusive are not reported")
    world = applies(arrival.world, "the node does not come up")
    applies(world.knows_reserved, "it is not known which CPUs are reserved")
    due = world.online & ~world.reserved
    why = "the CPUs that can be exclusive are not those that are not reserved"
    return violated(allocatable == due, why, got=format_bits(allocatable) or "none", allowed=format_bits(due))


@chapter.requires("cpu-manager/reservation/stays-in-the-shared-pool")
@rests_on("nrm/static/pool-holds-all-cpus-at-first", "nrm/strict-cpu-reservation/default-lets-shared-on")
def reserved_stays_in_the_pool(moment: NodeMoment) -> Judgement:
    """Reserved CPUs stay in the shared pool unless strict-cpu-reservation is on."""
    under_static(moment)
    world = moment.world
    applies(not world.strict, "reserved CPUs are kept out of the shared pool")
    applies(world.knows_reserved, "it is not known which CPUs are reserved")
    missing = world.reserved & ~world.pool
    return violated(not missing, f"reserved CPUs {format_bits(missing)} are not shared", got=format_bits(world.pool))


@chapter.requires(
    "cpu-manager/strict-cpu-reservation/keeps-pods-off-reserved-cpus",
    "cpu-manager/strict-cpu-reservation",
    since="1.32",
    area="cpu-manager options",
)
@rests_on(
    "nrm/strict-cpu-reservation/keeps-every-pod-off",
    "nrm/strict-cpu-reservation/means-the-explicit-set",
    "nrm/options/strict-cpu-reservation",
)
def strict_keeps_pods_off(moment: NodeMoment) -> Judgement:
    """No pod of any class runs on the reserved CPUs: they are never in the shared pool and never exclusive."""
    strict(moment.world)
    return _off_the_reserved(moment.world, moment.world.pool | moment.world.exclusive)


@judges("cpu-manager/strict-cpu-reservation/keeps-pods-off-reserved-cpus")
def strict_keeps_a_container_off(container: MayRun) -> Judgement:
    """No container may run on the reserved CPUs."""
    strict(container.world)
    return _off_the_reserved(container.world, cpuset_of(container))


def strict(world: World) -> None:
    under_static(world)
    applies(world.strict, "reserved CPUs may be shared")


def _off_the_reserved(world: World, cpus: int) -> Judgement:
    used = cpus & world.reserved
    return violated(not used, f"pods may run on the reserved CPUs {format_bits(used)}", got=format_bits(cpus))
