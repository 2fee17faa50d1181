"""CPUs that schedulers and agents assign themselves, judged node by node as they promise."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from ..chapters import Requirement
from ..chapters.doors import assignments as chapter
from ..cpuset import format_bits, union
from ..machine import Machine
from .exporters import ObjectFault


@dataclass(frozen=True, slots=True)
class Assignment:
    """CPUs that an object assigns to a pod, or to one of its containers.

    ``cpus``: by number, as bits. ``amounts``: by NUMA node, in thousandths of a CPU, as is ``request``. ``promises``:
    what the scheduler promises of it.
    """

    place: str
    promises: frozenset[Requirement]
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
    """Yield each promise of each assignment that can be judged, with its fault where it is not kept."""
    for item in node.assignments:
        for requirement, (judge, known) in _JUDGES.items():
            if requirement in item.promises and known(node, item):
                wrong = judge(node, item)
                yield requirement, ObjectFault(requirement, item.place, *wrong) if wrong else None


def _machine(node: AssignedNode) -> Machine:
    assert node.machine is not None, "what needs a machine is judged where there is one"
    return node.machine


def _on_numa_nodes(node: AssignedNode, item: Assignment) -> dict[int, int]:
    """Return NUMA node to the CPUs of an assignment there, as bits, without those that have none."""
    there = {numa: cpus & item.cpus for numa, cpus in _machine(node).numa_bits.items()}
    return {numa: cpus for numa, cpus in there.items() if cpus}


def _there(node: AssignedNode, item: Assignment) -> _Wrong:
    machine = _machine(node)
    strange, numa = item.cpus & ~machine.online_bits, sorted(item.amounts.keys() - machine.numa_ids)
    parts = [f"CPUs {format_bits(strange)}"] * bool(strange) + [f"NUMA nodes {numa}"] * bool(numa)
    allowed = f"CPUs of {format_bits(machine.online_bits)}, NUMA nodes of {list(machine.numa_ids)}"
    return (" and ".join(parts), allowed) if parts else None


def _apart(node: AssignedNode, item: Assignment) -> _Wrong:
    others = {other.place: other.cpus & item.cpus for other in node.assignments if other is not item}
    shared = [f"CPUs {format_bits(cpus)} are of {place} too" for place, cpus in others.items() if cpus]
    return ("; ".join(shared), "CPUs of no other") if shared else None


def _count(node: AssignedNode, item: Assignment) -> _Wrong:
    by_number, amount = item.cpus.bit_count() * 1000, sum(item.amounts.values())
    if by_number == item.request or (item.amounts and not item.cpus and amount >= item.request):
        return None
    return _cpus(by_number or amount), _cpus(item.request)


def _places(node: AssignedNode, item: Assignment) -> _Wrong:
    there = {numa: cpus.bit_count() * 1000 for numa, cpus in _on_numa_nodes(node, item).items()}
    amounts = {numa: amount for numa, amount in item.amounts.items() if amount}
    return (_by_numa(there), _by_numa(amounts)) if there != amounts else None


def _room(node: AssignedNode, item: Assignment) -> _Wrong:
    total = {numa: sum(other.amounts.get(numa, 0) for other in node.assignments) for numa in item.amounts}
    full = {numa: amount for numa, amount in total.items() if amount > node.room.get(numa, amount)}
    allowed = {numa: node.room[numa] for numa in full}
    return (f"{_by_numa(full)}, of all pods", f"at most {_by_numa(allowed)}") if full else None


def _full_cores(node: AssignedNode, item: Assignment) -> _Wrong:
    lacking = union(core & ~item.cpus for core in _machine(node).core_bits if core & item.cpus)
    return (f"CPUs {format_bits(item.cpus)}", f"CPUs {format_bits(lacking)} of the same cores too") if lacking else None


def _spread(node: AssignedNode, item: Assignment) -> _Wrong:
    doubled = union(both for core in _machine(node).core_bits if (both := core & item.cpus).bit_count() > 1)
    return (f"CPUs {format_bits(doubled)} of the same cores", "each CPU of another core") if doubled else None


def _one_node(node: AssignedNode, item: Assignment) -> _Wrong:
    numa = sorted(item.amounts.keys() | (_on_numa_nodes(node, item) if node.machine else {}).keys())
    return (f"NUMA nodes {numa}", "one NUMA node") if len(numa) > 1 else None


def _cpus(milli: int) -> str:
    return f"{milli / 1000:g} CPUs"


def _by_numa(amounts: Mapping[int, int]) -> str:
    return ", ".join(f"{_cpus(amount)} on NUMA node {numa}" for numa, amount in sorted(amounts.items())) or "none"


_Judge = Callable[[AssignedNode, Assignment], _Wrong]
_Known = Callable[[AssignedNode, Assignment], object]
_JUDGES: Mapping[Requirement, tuple[_Judge, _Known]] = {
    chapter.THERE: (_there, lambda node, item: node.machine),
    chapter.APART: (_apart, lambda node, item: item.cpus),
    chapter.COUNT: (_count, lambda node, item: item.request),
    chapter.PLACES: (_places, lambda node, item: node.machine and item.cpus and any(item.amounts.values())),
    chapter.ROOM: (_room, lambda node, item: node.room.keys() & item.amounts.keys()),
    chapter.FULL_CORES: (_full_cores, lambda node, item: node.machine and item.cpus),
    chapter.SPREAD: (_spread, lambda node, item: node.machine and item.cpus),
    chapter.ONE_NODE: (_one_node, lambda node, item: item.amounts or (node.machine and item.cpus)),
}
"""How each promise is judged, and when enough is known for it."""
