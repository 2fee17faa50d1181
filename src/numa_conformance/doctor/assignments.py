"""CPUs that schedulers and agents assign themselves, judged node by node as they promise."""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from ..chapters import Requirement
from ..chapters.doors import assignments as chapter
from ..cpuset import bits_of, format_bits, union
from ..judging.chapter import NotAsked, applies
from ..machine import Machine
from .exporters import ObjectFault


@dataclass(frozen=True, slots=True)
class Assignment:
    """CPUs that an object assigns to a pod, or to one of its containers.

    ``cpus``: by number, as bits. ``amounts``: by NUMA node, in thousandths of a CPU, as is ``request``. ``promises``:
    what the scheduler promises of it.
    """

    place: str
    promises: Collection[Requirement]
    cpus: int = 0
    amounts: Mapping[int, int] = field(default_factory=dict)
    request: int = 0


@dataclass(slots=True)
class AssignedNode:
    """A node, and what is assigned on it.

    ``machine``: None where no object publishes its CPUs. ``room``: NUMA node to what pods may have there, in
    thousandths of a CPU; all CPUs of the machine where no object says it.
    """

    machine: Machine | None = None
    room: dict[int, int] = field(default_factory=dict)
    assignments: list[Assignment] = field(default_factory=list)


_Wrong = tuple[str, str] | None
"""What an object says, and what it should say."""


def judge_assigned(node: AssignedNode) -> Iterator[tuple[Requirement, ObjectFault | None]]:
    """Yield each promise of each assignment of which enough is known, with its fault where it is not kept."""
    for item in node.assignments:
        for requirement, judge in _JUDGES.items():
            if requirement in item.promises:
                with suppress(NotAsked):
                    wrong = judge(node, item)
                    yield requirement, ObjectFault(requirement, item.place, *wrong) if wrong else None


def _machine(node: AssignedNode) -> Machine:
    return applies(node.machine, "no object has the CPUs of the node")


def _by_number(item: Assignment) -> int:
    return applies(item.cpus, "no CPU is assigned by its number")


def _there(node: AssignedNode, item: Assignment) -> _Wrong:
    machine = _machine(node)
    strange = item.cpus & ~machine.online_bits, bits_of(item.amounts) & ~bits_of(machine.numa_ids)
    named = [f"{kind} {format_bits(ids)}" for kind, ids in zip(("CPUs", "NUMA nodes"), strange, strict=True) if ids]
    allowed = f"CPUs of {format_bits(machine.online_bits)}, NUMA nodes of {format_bits(bits_of(machine.numa_ids))}"
    return (" and ".join(named), allowed) if named else None


def _apart(node: AssignedNode, item: Assignment) -> _Wrong:
    cpus = _by_number(item)
    others = {other.place: other.cpus & cpus for other in node.assignments if other is not item}
    shared = [f"CPUs {format_bits(both)} are of {place} too" for place, both in others.items() if both]
    return ("; ".join(shared), "CPUs of no other") if shared else None


def _count(node: AssignedNode, item: Assignment) -> _Wrong:
    request = applies(item.request, "nothing says how many are requested")
    count = item.cpus.bit_count() * 1000 or sum(item.amounts.values())
    is_right = count == request if item.cpus else count >= request
    return None if is_right else (_cpus(count), _cpus(request))


def _places(node: AssignedNode, item: Assignment) -> _Wrong:
    cpus, amounts = _by_number(item), {numa: amount for numa, amount in item.amounts.items() if amount}
    applies(amounts, "no CPU is assigned by its NUMA node")
    counts = {numa: (there & cpus).bit_count() * 1000 for numa, there in _machine(node).numa_bits.items()}
    there = {numa: count for numa, count in counts.items() if count}
    return (_by_numa(there), _by_numa(amounts)) if there != amounts else None


def _room(node: AssignedNode, item: Assignment) -> _Wrong:
    known = applies(node.room.keys() & item.amounts.keys(), "nothing says what pods may have there")
    total = {numa: sum(other.amounts.get(numa, 0) for other in node.assignments) for numa in known}
    full = {numa: amount for numa, amount in total.items() if amount > node.room[numa]}
    return (f"{_by_numa(full)}, of all pods", _by_numa({numa: node.room[numa] for numa in full})) if full else None


def _full_cores(node: AssignedNode, item: Assignment) -> _Wrong:
    cpus = _by_number(item)
    lacking = union(core & ~cpus for core in _machine(node).core_bits if core & cpus)
    return (f"CPUs {format_bits(cpus)}", f"CPUs {format_bits(lacking)} of the same cores too") if lacking else None


def _spread(node: AssignedNode, item: Assignment) -> _Wrong:
    cpus = _by_number(item)
    doubled = union(core & cpus for core in _machine(node).core_bits if (core & cpus).bit_count() > 1)
    return (f"CPUs {format_bits(doubled)} of the same cores", "each CPU of another core") if doubled else None


def _one_node(node: AssignedNode, item: Assignment) -> _Wrong:
    machine = node.machine if item.amounts else _machine(node)
    of_cpus = {numa for numa, cpus in machine.numa_bits.items() if cpus & item.cpus} if machine else set()
    numa = applies(item.amounts.keys() | of_cpus, "no CPU is assigned")
    return (f"NUMA nodes {format_bits(bits_of(numa))}", "one NUMA node") if len(numa) > 1 else None


def _cpus(milli: int) -> str:
    return f"{milli / 1000:g} CPUs"


def _by_numa(amounts: Mapping[int, int]) -> str:
    return ", ".join(f"{_cpus(amount)} on NUMA node {numa}" for numa, amount in sorted(amounts.items())) or "none"


_JUDGES: Mapping[Requirement, Callable[[AssignedNode, Assignment], _Wrong]] = {
    chapter.THERE: _there, chapter.APART: _apart, chapter.COUNT: _count, chapter.PLACES: _places, chapter.ROOM: _room,
    chapter.FULL_CORES: _full_cores, chapter.SPREAD: _spread, chapter.ONE_NODE: _one_node,
}  # fmt: skip
