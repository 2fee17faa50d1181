"""The reservation of CPUs, as an allocation or a start tells it: page Node Resource Managers, section Static policy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...cpuset import format_bits, iter_bits
from ...machine import Machine
from ..judge.allocated import AllocatedCpus
from ..judge.checker import Guard, Judgement, checker, violated
from ..judge.node_subjects import Arrival
from ..judge.start_subjects import Start
from .guards import static
from .start_guards import must_not_come_up

Told = AllocatedCpus | Arrival | Start
"""What tells which CPUs are reserved."""
Place = tuple[int, ...]


reserved_cpus_are_told = Guard[Told](
    "the reserved CPUs are not told, or there are none", lambda subject: subject.reserved_told
)
named_one_by_one = Guard[Told]("CPUs are reserved by number", lambda subject: subject.settings.reserved is not None)
counted = Guard[Told]("the reserved CPUs are named one by one", lambda subject: subject.settings.reserved is None)
by_default = Guard[Told](
    "policy options are named, or the node does not come up",
    lambda subject: subject.up and not (isinstance(subject, Start) and subject.named),
)
reserves_some = Guard[Told]("no CPU is reserved", lambda subject: subject.settings.reserved_count)
without_any = Guard[Told]("CPUs are reserved", lambda subject: not subject.settings.reserved_count)


makes_a_fraction = Guard[Told](
    "the amounts make a whole number together", lambda subject: subject.settings.reserved_by_fraction
)


COUNTED = (static, counted, reserves_some, reserved_cpus_are_told, by_default)


@checker("cpu-manager/reservation/must-be-positive", AllocatedCpus, Start, when=(static, without_any))
def must_be_positive(subject: AllocatedCpus | Start) -> Judgement:
    """Policy static needs CPUs reserved, by whatever field, or it cannot be."""
    return violated(not subject.up, "policy static comes up with no CPU reserved", allowed="it does not come up")


@checker(
    "cpu-manager/reservation/explicit-list-is-taken",
    AllocatedCpus,
    Start,
    when=(static, named_one_by_one, reserved_cpus_are_told),
)
def explicit_list_is_taken(subject: AllocatedCpus | Start) -> Judgement:
    """The CPUs of reservedSystemCPUs that are online are the reserved ones, whatever else is reserved."""
    online = subject.machine.online_bits
    reserved, named = (subject.reserved_told or 0) & online, (subject.settings.reserved or 0) & online
    return violated(
        reserved == named,
        "other CPUs are reserved than the configuration names",
        got=format_bits(reserved),
        allowed=format_bits(named),
    )


@checker("cpu-manager/reservation/adds-kube-and-system", AllocatedCpus, Start, Arrival, when=COUNTED)
def adds_kube_and_system(subject: Told) -> Judgement:
    """So many CPUs are reserved as kubeReserved and systemReserved make together, however rounded; one may be alone."""
    number = subject.settings.reserved_count
    return _so_many(subject, {number, number - subject.settings.reserved_by_fraction})


@checker("cpu-manager/reservation/rounds-up", AllocatedCpus, Start, Arrival, when=(makes_a_fraction, *COUNTED))
def rounds_up(subject: Told) -> Judgement:
    """A sum that is no whole number is rounded up, not down."""
    number = subject.settings.reserved_count
    return None if _reserved(subject) not in (number, number - 1) else _so_many(subject, {number})


names_cpus_that_are_not_online = Guard[Start](
    "all CPUs that are reserved by name are online",
    lambda start: (start.settings.reserved or 0) & ~start.machine.online_bits,
)


@checker("cpu-manager/reservation/explicit-list-must-exist", Start, when=(static, names_cpus_that_are_not_online))
def explicit_list_must_exist(start: Start) -> Judgement:
    """A node does not come up with CPUs in reservedSystemCPUs that are not online."""
    missing = (start.settings.reserved or 0) & ~start.machine.online_bits
    return must_not_come_up(start, f"though the reserved CPUs {format_bits(missing)} are not online")


def _reserved(subject: Told) -> int:
    return (subject.reserved_told or 0).bit_count()


def _so_many(subject: Told, numbers: set[int]) -> Judgement:
    return violated(
        _reserved(subject) in numbers,
        f"{_reserved(subject)} CPUs are reserved",
        got=format_bits(subject.reserved_told or 0),
        allowed=f"{subject.settings.reserved_count} CPUs",
    )


@checker("cpu-manager/reservation/takes-cores-in-ascending-order", AllocatedCpus, Arrival, when=COUNTED)
def takes_cores_in_ascending_order(subject: AllocatedCpus | Arrival) -> Judgement:
    """A reservation by number takes CPUs in ascending order of physical core ids; threads of one at once or not."""
    return _first_cores(subject, whole=False)


@checker("cpu-manager/reservation/ascending-core-ids", Start, when=COUNTED)
def reserves_by_ascending_core_id(start: Start) -> Judgement:
    """CPUs are reserved core after core, ascending by core id."""
    return _first_cores(start, whole=True)


def _first_cores(subject: Told, *, whole: bool) -> Judgement:
    """Core ids may be the kernel's, which begin anew in each socket, with or without the socket, or follow the CPU ids.

    ``whole``: all threads of a core are taken before the next is begun.
    """
    reserved, machine = subject.reserved_told or 0, _machine(subject)
    return violated(
        not reserved & ~machine.online_bits
        and any(_is_a_beginning(places, reserved, whole) for places in _orders(machine)),
        "the reserved CPUs are not those of the cores with the lowest ids",
        got=format_bits(reserved),
        allowed="core after core, ascending by core id",
        reserved=reserved,
    )


def _machine(subject: Told) -> Machine:
    if not isinstance(subject, Arrival):
        return subject.machine
    assert subject.world is not None, "guarded by reserved_cpus_are_told"
    return subject.world.machine


def _orders(machine: Machine) -> Iterator[Mapping[int, Place]]:
    """Yield where each CPU stands by its core, in every way in which cores may be numbered; threads of one alike."""
    core = {cpu.id: -1 if cpu.core is None else cpu.core for cpu in machine.cpus}
    yield {id: (number,) for number, bits in enumerate(machine.core_bits) for id in iter_bits(bits)}
    yield {cpu.id: (core[cpu.id],) for cpu in machine.cpus}
    yield {cpu.id: (cpu.socket, core[cpu.id]) for cpu in machine.cpus}
    yield {cpu.id: (cpu.numa, core[cpu.id]) for cpu in machine.cpus}
    yield {cpu.id: (cpu.socket, cpu.numa, core[cpu.id]) for cpu in machine.cpus}


def _is_a_beginning(places: Mapping[int, Place], chosen: int, whole: bool) -> bool:
    """Tell whether CPUs are the first ones in an order, those of one place in any order."""
    met = {place for id, place in places.items() if chosen >> id & 1}
    last = max(met)
    return all(chosen >> id & 1 if whole else place in met for id, place in places.items() if place < last)
