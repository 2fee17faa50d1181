"""One allocation: what goes to the container, what stays in the shared pool, what is reserved.

Which CPUs are chosen is judged as every choice is (``cpu_choices``). The sentences are on the page Node Resource
Managers, section Static policy.
"""

from __future__ import annotations

from ...cpuset import format_bits
from ...machine import Machine
from ..judge.allocated import AllocatedCpus
from ..judge.checker import Judgement, checker, violated
from ..judge.choice import WHOLE_CORES


@checker("cpu-manager/static/exclusive-cpus-leave-the-shared-pool", AllocatedCpus)
def leave_the_shared_pool(allocation: AllocatedCpus) -> Judgement:
    """Exclusive CPUs are taken out of the shared pool."""
    if not allocation.asked or allocation.given is None or allocation.pool_after is None:
        return None
    both = allocation.given & allocation.pool_after
    return violated(
        not both,
        f"CPUs {format_bits(both)} are exclusive and in the shared pool",
        got=format_bits(allocation.pool_after),
        allowed="a pool without them",
        shared=both,
    )


@checker("cpu-manager/shared-pool/loses-nothing", AllocatedCpus)
def the_pool_keeps_the_rest(allocation: AllocatedCpus) -> Judgement:
    """The shared pool keeps what is not given, and gains nothing but what the pod's init containers have left."""
    if allocation.given is None or allocation.pool_after is None:
        return None
    rest = allocation.pool & ~allocation.given
    lost, gained = rest & ~allocation.pool_after, allocation.pool_after & ~rest & ~allocation.reusable
    return violated(
        not lost and not gained & ~allocation.given,
        f"the shared pool loses {format_bits(lost) or 'nothing'}, gains {format_bits(gained) or 'nothing'}",
        got=format_bits(allocation.pool_after),
        allowed=format_bits(rest),
        lost=lost,
        gained=gained,
    )


@checker("cpu-manager/reservation/is-never-exclusive", AllocatedCpus)
def reserved_is_never_exclusive(allocation: AllocatedCpus) -> Judgement:
    """Reserved CPUs are given to nobody."""
    if not allocation.asked or allocation.given is None or allocation.reserved is None:
        return None
    stolen = allocation.given & allocation.reserved
    return violated(
        not stolen,
        f"reserved CPUs {format_bits(stolen)} are given",
        got=format_bits(allocation.given),
        allowed=f"none of {format_bits(allocation.reserved)}",
        reserved=stolen,
    )


@checker("cpu-manager/none/gives-no-exclusive-cpus", AllocatedCpus)
def none_gives_none(allocation: AllocatedCpus) -> Judgement:
    """Policy none gives nobody CPUs of their own."""
    return None if allocation.settings.static else _uses_the_pool(allocation)


@checker("cpu-manager/static/fractional-guaranteed-is-shared", AllocatedCpus)
def fractional_is_shared(allocation: AllocatedCpus) -> Judgement:
    """A container of a Guaranteed pod with a fractional request runs in the shared pool."""
    return _is_shared(allocation, "Guaranteed")


@checker("cpu-manager/static/burstable-is-shared", AllocatedCpus)
def burstable_is_shared(allocation: AllocatedCpus) -> Judgement:
    """A container of a Burstable pod runs in the shared pool."""
    return _is_shared(allocation, "Burstable")


@checker("cpu-manager/static/best-effort-is-shared", AllocatedCpus)
def best_effort_is_shared(allocation: AllocatedCpus) -> Judgement:
    """A container of a BestEffort pod runs in the shared pool."""
    return _is_shared(allocation, "BestEffort")


def _is_shared(allocation: AllocatedCpus, qos: str) -> Judgement:
    if not allocation.settings.static or allocation.asked or allocation.pod.qos != qos:
        return None
    return _uses_the_pool(allocation)


def _uses_the_pool(allocation: AllocatedCpus) -> Judgement:
    if allocation.policy_refused is not None:
        return None
    return violated(
        allocation.given == 0,
        f"container {allocation.container.name} has CPUs of its own, or is refused",
        got=allocation.refusal if allocation.given is None else format_bits(allocation.given),
        allowed="the shared pool",
        exclusive=allocation.given or 0,
    )


@checker("cpu-manager/full-pcpus-only/refuses-a-partial-core", AllocatedCpus)
def refuses_a_partial_core(allocation: AllocatedCpus) -> Judgement:
    """A number that is no whole number of cores is refused as SMTAlignmentError."""
    if WHOLE_CORES not in allocation.settings.options or not allocation.asked or allocation.held is not None:
        return None
    threads = {core.bit_count() for core in allocation.machine.core_bits}
    if allocation.policy_refused is not None or len(threads) > 1 or allocation.asked % max(threads) == 0:
        return None
    named = "SMTAlignmentError" in (allocation.reason, *allocation.refusal.split())
    return violated(
        allocation.given is None and (named or not allocation.reason),
        f"{allocation.asked} CPUs are no whole cores of {max(threads)} threads",
        got=f"{allocation.reason}: {allocation.refusal}" if allocation.given is None else format_bits(allocation.given),
        allowed="SMTAlignmentError",
    )


@checker("cpu-manager/static/init-cpus-serve-later-containers", AllocatedCpus)
def init_cpus_serve_later_containers(allocation: AllocatedCpus) -> Judgement:
    """CPUs of an ended init container serve the containers after it; asked where they are needed."""
    room = allocation.free | allocation.reusable
    needed = allocation.asked > allocation.free.bit_count() and allocation.asked <= room.bit_count()
    if not needed or allocation.held is not None or allocation.might_empty_the_pool:
        return None
    if WHOLE_CORES in allocation.settings.options:
        return None
    return violated(
        allocation.given is not None,
        f"{allocation.asked} CPUs are refused though {format_bits(allocation.reusable)} can be used again",
        got=allocation.refusal,
        allowed=f"{allocation.asked} of {format_bits(room)}",
        reusable=allocation.reusable,
    )


@checker("cpu-manager/static/keeps-cpus-when-admitted-again", AllocatedCpus)
def keeps_what_it_has(allocation: AllocatedCpus) -> Judgement:
    """A container that has its CPUs already keeps them."""
    if not allocation.asked or allocation.held is None or allocation.held.bit_count() != allocation.asked:
        return None
    return violated(
        allocation.given == allocation.held,
        "a container that has its CPUs is given others",
        got=allocation.refusal if allocation.given is None else format_bits(allocation.given),
        allowed=format_bits(allocation.held),
        held=allocation.held,
    )


@checker("cpu-manager/reservation/must-be-positive", AllocatedCpus)
def reservation_must_be_positive(allocation: AllocatedCpus) -> Judgement:
    """Policy static needs CPUs reserved, by whatever field, or it cannot be."""
    if not allocation.settings.static or allocation.settings.reserved_count:
        return None
    return violated(allocation.policy_refused is not None, "policy static comes up with no CPU reserved")


@checker("cpu-manager/reservation/explicit-list-is-taken", AllocatedCpus)
def explicit_list_is_taken(allocation: AllocatedCpus) -> Judgement:
    """The CPUs of reservedSystemCPUs are the reserved ones, whatever kubeReserved and systemReserved say."""
    if allocation.settings.reserved is None or allocation.reserved_told is None or not allocation.settings.static:
        return None
    return violated(
        allocation.reserved_told == allocation.settings.reserved,
        "other CPUs are reserved than the configuration names",
        got=format_bits(allocation.reserved_told),
        allowed=format_bits(allocation.settings.reserved),
    )


@checker("cpu-manager/reservation/adds-kube-and-system", AllocatedCpus)
def adds_kube_and_system(allocation: AllocatedCpus) -> Judgement:
    """So many CPUs are reserved as kubeReserved and systemReserved make together, rounded up."""
    told = allocation.reserved_told
    if allocation.settings.reserved is not None or told is None or not allocation.settings.static:
        return None
    count = allocation.settings.reserved_count
    return violated(
        told.bit_count() == count,
        f"{told.bit_count()} CPUs are reserved",
        got=format_bits(told),
        allowed=f"{count} CPUs",
    )


@checker("cpu-manager/reservation/takes-cores-in-ascending-order", AllocatedCpus)
def takes_cores_in_ascending_order(allocation: AllocatedCpus) -> Judgement:
    """The CPUs that are reserved by number are taken in ascending order of their core's id.

    Asked where an id names one core on the machine; whether sibling threads come at once is not decided.
    """
    told, machine = allocation.reserved_told, allocation.machine
    if allocation.settings.reserved is not None or not told or not _ids_name_cores(machine):
        return None
    cores = _cores_by_id(machine)
    touched = [place for place, core in enumerate(cores) if core & told]
    fewest = sum(1 for place in range(len(cores)) if _size(cores[:place]) < told.bit_count())
    most = min(told.bit_count(), len(cores))
    return violated(
        touched == list(range(len(touched))) and fewest <= len(touched) <= most,
        "the reserved CPUs are not those of the cores with the lowest ids",
        got=format_bits(told),
        allowed=f"{told.bit_count()} of {format_bits(sum(cores[:most]))}, lower cores first",
    )


def _ids_name_cores(machine: Machine) -> bool:
    """Whether every CPU has a core, and no id is that of two cores."""
    places = {(cpu.socket, cpu.numa, cpu.core) for cpu in machine.cpus}
    ids = {cpu.core for cpu in machine.cpus}
    return None not in ids and len(places) == len(ids)


def _cores_by_id(machine: Machine) -> list[int]:
    cores: dict[int, int] = {}
    for cpu in machine.cpus:
        cores[cpu.core or 0] = cores.get(cpu.core or 0, 0) | 1 << cpu.id
    return [cores[core] for core in sorted(cores)]


def _size(cores: list[int]) -> int:
    return sum(core.bit_count() for core in cores)


@checker("qos/only-integral-cpus-are-exclusive", AllocatedCpus)
def tells_exclusive_cpus(allocation: AllocatedCpus) -> Judgement:
    """The exclusive CPUs that a container asks for, where they are told."""
    if allocation.asked_told is None:
        return None
    return violated(
        allocation.asked_told == allocation.container.exclusive,
        f"container {allocation.container.name} asks for another number of exclusive CPUs",
        got=allocation.asked_told,
        allowed=allocation.container.exclusive,
    )


@checker("qos/pod-total-is-the-larger-of-init-and-apps", AllocatedCpus)
def tells_the_pods_total(allocation: AllocatedCpus) -> Judgement:
    """The same of the pod as a whole."""
    integral = all(container.cpu == container.exclusive for container in allocation.pod.containers)
    if allocation.together_told is None or not (integral or not allocation.pod.exclusive):
        return None
    return violated(
        allocation.together_told == allocation.pod.exclusive,
        "the pod as a whole asks for another number of exclusive CPUs",
        got=allocation.together_told,
        allowed=allocation.pod.exclusive,
    )
