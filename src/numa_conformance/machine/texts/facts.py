"""What texts say of a machine, statement by statement, so that two of them can be compared."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from ...cpuset import bit_of, format_bits, iter_bits
from ...errors import Fault, UsageError
from ..model import Device, Machine

NUMA, SOCKET, CORE, CACHE = "NUMA node of CPU", "socket of CPU", "core of CPU", "last-level cache of CPU"
MEMORY, PAGES, DISTANCE = "bytes of NUMA node", "pages of NUMA node", "distance of NUMA nodes"
SIZE, THREADS = "CPUs of NUMA node", "threads of a core"
COUNTS: Mapping[str, str] = {SOCKET: "sockets", CACHE: "last-level caches"}


@dataclass
class Facts:
    """What a text says. ``says``: a subject, such as ``(NUMA, 3)``, to a number. ``cpus``, ``offline`` are bits."""

    place: str
    says: dict[tuple[str | int, ...], int] = field(default_factory=dict)
    cpus: int = 0
    offline: int = 0
    devices: tuple[Device, ...] = ()
    notes: tuple[str, ...] = ()

    def say(self, value: int | None, *subject: str | int) -> None:
        """Add a statement, unless it is None; raises ``UsageError`` where the text says otherwise."""
        if value is not None and self.says.setdefault(subject, value) != value:
            what = f"says {_words(subject)} twice, {self.says[subject]} and {value}"
            raise UsageError(Fault(self.place, what, "what was printed on one machine, in lines as they were"))

    def put(self, cpu: int, groups: Mapping[str, int | None]) -> None:
        """Add an online CPU and the groups that it is in; raises ``ValueError`` for an id that is none."""
        self.cpus |= bit_of(cpu)
        for relation, group in groups.items():
            self.say(group, relation, cpu)

    def column(self, name: str) -> dict[int, int]:
        """Return the values of a subject by CPU or NUMA node."""
        return {subject[1]: value for subject, value in self.says.items() if subject[0] == name}  # type: ignore[misc]

    def finish(self) -> "Facts":
        """Name groups by their lowest CPUs, so that texts compare, and count them."""
        for relation in (SOCKET, CORE, CACHE):
            groups, lowest = self.column(relation), dict[int, int]()
            for cpu in sorted(groups):
                self.says[relation, cpu] = lowest.setdefault(groups[cpu], cpu)
            if groups and relation in COUNTS:
                self.says.setdefault((COUNTS[relation],), len(lowest))
            elif groups:
                self.says.setdefault((THREADS,), max(Counter(groups.values()).values()))
        return self


def facts_of_machine(machine: Machine, place: str) -> Facts:
    """Return what a tree, or a file of a machine, says."""
    facts = Facts(place, devices=machine.devices, notes=machine.notes)
    core = {cpu: bits for bits in machine.core_bits for cpu in iter_bits(bits)}
    for cpu in machine.cpus:
        known = {} if cpu.core is None else {CORE: core[cpu.id]}
        facts.put(cpu.id, {NUMA: cpu.numa, SOCKET: cpu.socket, CACHE: cpu.uncore, **known})
    for at, node in enumerate(machine.memory):
        facts.say(node.memory, MEMORY, node.node)
        for size, count in node.hugepages.items():
            facts.say(count, PAGES, node.node, size)
        for other, distance in zip(machine.memory, (machine.distances or ((),) * (at + 1))[at], strict=False):
            facts.say(distance, DISTANCE, node.node, other.node)
    return facts.finish()


def facts_together(facts: Sequence[Facts]) -> Facts:
    """Return what several texts say; raises ``UsageError`` where two contradict each other, naming both."""
    faults = [fault for first, second in combinations(facts, 2) for fault in _contradictions(first, second)]
    if faults:
        raise UsageError(faults)
    together = Facts(" and ".join(dict.fromkeys(fact.place for fact in facts)))
    for fact in facts:
        together.cpus, together.offline = fact.cpus or together.cpus, together.offline | fact.offline
        for subject, value in fact.says.items():
            together.says[subject] = max(value, together.says.get(subject, value))  # of memory the finer one
        together.devices, together.notes = together.devices or fact.devices, together.notes + fact.notes
    return together


def _contradictions(first: Facts, second: Facts) -> list[Fault]:
    place = f"{first.place} and {second.place}: contradict each other"
    if first.cpus and second.cpus and first.cpus != second.cpus:
        return [Fault(place, f"the CPUs {format_bits(first.cpus)}, and {format_bits(second.cpus)}")]
    faults: dict[str | int, Fault] = {}  # the first of each kind
    for subject, value in first.says.items():
        other = second.says.get(subject, value)
        if value != other and (subject[0] != MEMORY or value >> 20 != other >> 20):  # numactl prints MB
            faults.setdefault(subject[0], Fault(place, f"{_words(subject)} is {value}, and {other}"))
    return list(faults.values())


def _words(subject: Sequence[str | int]) -> str:
    return " ".join(map(str, subject))
