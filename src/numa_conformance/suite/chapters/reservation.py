"""The reservation of CPUs, as an allocation or a start tells it: page Node Resource Managers, section Static policy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...cpuset import format_bits, iter_bits
from ...machine import Machine
from ..judge.allocated import AllocatedCpus
from ..judge.chapter import Chapter, Judgement, applies, violated
from ..judge.node_subjects import Arrival
from ..judge.start_subjects import Start
from .outcomes import must_not_come_up

chapter = Chapter("cpu-manager/static", since="1.8")

Told = AllocatedCpus | Arrival | Start
"""What tells which CPUs are reserved."""
Place = tuple[int, ...]


def counted(subject: Told) -> None:
    applies(subject.settings.static, "the CPU Manager's policy is none")
    applies(subject.settings.reserved is None, "the reserved CPUs are named one by one")
    applies(subject.settings.reserved_count, "no CPU is reserved")
    applies(subject.reserved_told, "the reserved CPUs are not told, or there are none")
    applies(
        subject.up and not (isinstance(subject, Start) and subject.named),
        "policy options are named, or the node does not come up",
    )


@chapter.requires(
    "cpu-manager/reservation/must-be-positive",
    on=(AllocatedCpus, Start),
    rests_on=(
        "nrm/static/needs-a-reservation",
        "cpu-task/static/needs-a-reservation",
        "cpu-1.8/static/needs-a-reservation",
    ),
)
def must_be_positive(subject: AllocatedCpus | Start) -> Judgement:
    """The node does not come up with policy static and no CPU reserved.

    Policy static needs CPUs reserved, by whatever field, or it cannot be.
    """
    applies(subject.settings.static, "the CPU Manager's policy is none")
    applies(not subject.settings.reserved_count, "CPUs are reserved")
    return violated(not subject.up, "policy static comes up with no CPU reserved", allowed="it does not come up")


@chapter.requires(
    "cpu-manager/reservation/explicit-list-is-taken",
    on=(AllocatedCpus, Start),
    rests_on=(
        "reserve/list/explicit-set",
        "reserve/list/takes-precedence",
        "cpu-task/static/explicit-list-comes-first",
        "nrm/strict-cpu-reservation/reserved-set",
        "nrm/static/every-reservation-counts",
        "kubelet-reference/configuration/reserved-system-cpus",
    ),
    since="1.17",
)
def explicit_list_is_taken(subject: AllocatedCpus | Start) -> Judgement:
    """reservedSystemCPUs names the reserved CPUs, in place of what kubeReserved and systemReserved say about cpu.

    The CPUs of reservedSystemCPUs that are online are the reserved ones, whatever else is reserved.
    """
    applies(subject.settings.static, "the CPU Manager's policy is none")
    applies(subject.settings.reserved is not None, "CPUs are reserved by number")
    applies(subject.reserved_told, "the reserved CPUs are not told, or there are none")
    online = subject.machine.online_bits
    reserved, named = (subject.reserved_told or 0) & online, (subject.settings.reserved or 0) & online
    return violated(
        reserved == named,
        "other CPUs are reserved than the configuration names",
        got=format_bits(reserved),
        allowed=format_bits(named),
    )


@chapter.requires(
    "cpu-manager/reservation/adds-kube-and-system",
    on=(AllocatedCpus, Start, Arrival),
    rests_on=(
        "nrm/static/every-reservation-counts",
        "reserve/kube/kube-reserved",
        "reserve/system/system-reserved",
        "cpu-1.8/static/reservation-is-the-sum",
    ),
)
def adds_kube_and_system(subject: Told) -> Judgement:
    """The number of reserved CPUs is that of kubeReserved and systemReserved together.

    So many CPUs are reserved as kubeReserved and systemReserved make together, however rounded; one may be alone.
    """
    counted(subject)
    number = subject.settings.reserved_count
    return _so_many(subject, {number, number - subject.settings.reserved_by_fraction})


@chapter.requires(
    "cpu-manager/reservation/rounds-up",
    on=(AllocatedCpus, Start, Arrival),
    rests_on=("nrm/static/reserved-in-whole-cpus",),
    beyond="The page takes whole CPUs and does not say which way a fraction goes.",
)
def rounds_up(subject: Told) -> Judgement:
    """A reservation that is no whole number of CPUs is rounded up to the next."""
    applies(subject.settings.reserved_by_fraction, "the amounts make a whole number together")
    counted(subject)
    number = subject.settings.reserved_count
    return None if _reserved(subject) not in (number, number - 1) else _so_many(subject, {number})


@chapter.requires(
    "cpu-manager/reservation/explicit-list-must-exist",
    on=Start,
    rests_on=("reserve/list/explicit-set",),
    since="1.17",
    strength="SHOULD",
    beyond="No page says what becomes of a list with CPUs that are not online.",
)
def explicit_list_must_exist(start: Start) -> Judgement:
    """The node does not come up with CPUs in reservedSystemCPUs that are not online."""
    applies(start.settings.static, "the CPU Manager's policy is none")
    applies(
        (start.settings.reserved or 0) & ~start.machine.online_bits, "all CPUs that are reserved by name are online"
    )
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


@chapter.requires(
    "cpu-manager/reservation/takes-cores-in-ascending-order",
    on=(AllocatedCpus, Arrival),
    rests_on=("nrm/static/reserved-by-core-id",),
)
def takes_cores_in_ascending_order(subject: AllocatedCpus | Arrival) -> Judgement:
    """CPUs reserved by number are those of the cores with the lowest ids.

    A reservation by number takes CPUs in ascending order of physical core ids; threads of one at once or not.
    """
    counted(subject)
    return _first_cores(subject, whole=False)


@chapter.requires(
    "cpu-manager/reservation/ascending-core-ids",
    on=Start,
    rests_on=("nrm/static/reserved-by-core-id", "cpu-1.8/static/reserved-by-core-id"),
)
def reserves_by_ascending_core_id(start: Start) -> Judgement:
    """Where only a number is reserved, CPUs are reserved core after core, ascending by physical core id."""
    counted(start)
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
