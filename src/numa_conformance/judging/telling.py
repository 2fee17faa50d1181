"""Whether a question is telling: some other answer of the right form would break a requirement.

A question in which nothing can be wrong proves nothing, however often it is asked: packing onto few NUMA nodes shows
nowhere where one node alone has free CPUs. So the other answers to a few questions are judged too.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from itertools import islice, zip_longest
from typing import Any, TypeVar

from msgspec.structs import replace

from ..cpuset import bit_of, bits_of, iter_bits
from ..wire.history.values import Affinity, AlignmentBits, CpuBits, HoldingBits, NodeBits
from .allocated import Classification
from .chapter import REQUIREMENTS, Checker, NotAsked
from .choice import CpuChoice, numa_cpus
from .hinted import CpuHints
from .merged import MergedHints
from .node_subjects import Admission
from .pods import BEST_EFFORT, BURSTABLE, GUARANTEED
from .world import World

MOST_TRIES = 4
"""Questions of a history whose other answers are judged, for each requirement that none of them has broken."""
ENOUGH = 5
"""Histories on a machine that asked a requirement tellingly, after which no more are looked for."""
Place = TypeVar("Place")
CLASSES = (GUARANTEED, BURSTABLE, BEST_EFFORT)


class Telling:
    """Which MUSTs some other answer in a history would break; those that were asked and none would.

    ``known``: how many histories before, by requirement and machine, asked tellingly.
    """

    def __init__(self, machine: str, known: Mapping[tuple[str, str], int]) -> None:
        self._machine, self._known = machine, known
        self._left: dict[str, int] = {}
        self._shown: set[str] = set()

    @property
    def counts(self) -> Counter[tuple[str, str]]:
        """Return by requirement and machine whether it was asked tellingly."""
        tried = [name for name, left in self._left.items() if 0 <= left < MOST_TRIES]
        return Counter({(name, self._machine): int(name in self._shown) for name in tried})

    def looks_at(self, check: Checker) -> bool:
        """Tell whether other answers are to be tried by a checker: of a MUST that none has broken, a few times."""
        left = self._left.get(check.requirement)
        if left is None:
            name = check.requirement
            is_open = REQUIREMENTS[name].strength == "MUST" and self._known.get((name, self._machine), 0) < ENOUGH
            left = self._left[name] = MOST_TRIES if is_open else -1
        return left > 0

    def look(self, check: Checker, others: list[object]) -> None:
        """Try the other answers to a question by one checker."""
        name = check.requirement
        self._left[name] -= 1
        if any(_is_wrong(check, other) for other in others):
            self._shown.add(name)
            self._left[name] = 0


def add_up(counts: Counter[Place], more: Mapping[Place, int]) -> None:
    """Add how many further histories asked tellingly, up to ``ENOUGH``; what none asked so stays at 0."""
    for place, number in more.items():
        counts[place] = min(ENOUGH, counts[place] + number)


def _is_wrong(check: Checker, subject: object) -> bool:
    try:
        return bool(list(check.function(subject) or ()))
    except NotAsked:
        return False


def _choices(choice: CpuChoice) -> Iterator[CpuChoice]:
    """Refuse; or take as many CPUs in another order: by id, by turns of groups, group after group."""
    if choice.answer is not None:
        yield replace(choice, answer=None, refusal="refused")
    groups = (choice.numa, choice.sockets, choice.caches, choice.machine.core_bits)
    for order in _orders(choice.machine.online_bits, groups):
        cpus = list(islice((bit for bit in order if choice.available & bit), choice.count))
        answer = sum(cpus)
        if len(cpus) == choice.count and answer != choice.answer:
            yield replace(choice, answer=answer)
    if choice.answer is not None:
        fewer = choice.answer & (choice.answer - 1)
        held = choice.machine.online_bits & ~choice.available
        yield replace(choice, answer=fewer)
        yield replace(choice, answer=fewer | held & -held)


@lru_cache(maxsize=8)
def _orders(online: int, kinds: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
    """Return the CPUs of a machine, a bit each, in every order that is tried."""
    orders = [list(iter_bits(online)), list(iter_bits(online))[::-1]]
    for groups in kinds:
        turns = zip_longest(*map(iter_bits, groups))
        orders.append([cpu for turn in turns for cpu in turn if cpu is not None])
        orders.append([cpu for group in sorted(groups, key=int.bit_count) for cpu in iter_bits(group)])
    return tuple(tuple(map(bit_of, dict.fromkeys(order))) for order in orders)


def _hints(hints: CpuHints) -> Iterator[CpuHints]:
    """Tell no opinion, nothing possible, each hint alone, and all with the other preference."""
    offers = hints.offered or ()
    turned = tuple(replace(hint, preferred=not hint.preferred) for hint in offers)
    for other in (None, (), offers[:1], offers[1:], turned):
        if other != hints.offered:
            yield replace(hints, offered=other)


def _classifications(pod: Classification) -> Iterator[Classification]:
    """Name another class; give each container a CPU more, and the pod as a whole."""
    yield from (replace(pod, qos=other) for other in CLASSES if other != pod.qos)
    yield replace(pod, cpus={name: (count or 0) + 1 for name, count in pod.cpus.items()})
    yield replace(pod, reported_pod_count=(pod.reported_pod_count or 0) + 1)


def _merges(merged: MergedHints) -> Iterator[MergedHints]:
    """Admit what was refused and the other way round; name another set of NUMA nodes, or none."""
    yield replace(merged, admit=not merged.admit)
    yield replace(merged, preferred=not merged.preferred)
    every, last = bits_of(merged.nodes), bit_of(max(merged.nodes))
    farther = sorted(merged.narrowest() - merged.nearest())[:1]
    for chosen in dict.fromkeys((None, every, every & -every, last, every & (every - 1), last << 1, *farther)):
        if chosen != merged.chosen:
            yield replace(merged, chosen=chosen)


def _admissions(admission: Admission) -> Iterator[Admission]:
    """Refuse what was admitted, admit what was refused; change the pool, the hints, and what each container has."""
    pool = admission.after.pool
    yield replace(admission, after=replace(admission.after, pool=pool & (pool - 1)))
    if not admission.admitted:
        yield replace(admission, admitted=True, reason="", message="")
        yield replace(admission, reason="Refusal", message="refused")
        yield replace(admission, phase="Pending")
        return
    before = admission.before
    for reason in ("TopologyAffinityError", "UnexpectedAdmissionError"):
        yield replace(admission, admitted=False, held={}, after=before, reason=reason, message="refused")
    for other in (name for name in CLASSES if name != admission.qos):
        yield replace(admission, qos=other)
    if admission.alignments:
        for turned in (_without_admission, _merged_elsewhere):
            yield replace(admission, alignments=tuple(map(turned, admission.alignments)))
    lost = _apart(before.pool, (before.pool & ~pool).bit_count(), before)
    yield replace(admission, after=replace(admission.after, pool=before.pool & ~lost))
    for changed in _CHANGES:
        yield replace(admission, held={name: changed(held, before) for name, held in admission.held.items()})
    for name, held in list(admission.held.items())[:1]:
        yield replace(admission, held={**admission.held, name: _elsewhere(held, before)})


def _without_admission(alignment: AlignmentBits) -> AlignmentBits:
    return replace(alignment, admit=not alignment.admit)


def _merged_elsewhere(alignment: AlignmentBits) -> AlignmentBits:
    """Align to as many NUMA nodes, the highest of those that are hinted."""
    hints = (hint for offers in alignment.providers for each in (offers or {}).values() for hint in each or ())
    nodes = sorted({node for hint in hints for node in iter_bits(hint.nodes or 0)}, reverse=True)
    number = (alignment.affinity.nodes or 0).bit_count()
    other = NodeBits(bits_of(nodes[:number]))
    return replace(alignment, affinity=Affinity(other, alignment.affinity.preferred))


def _elsewhere(held: HoldingBits, before: World) -> HoldingBits:
    """Give as many CPUs, memory and an affinity of the last NUMA nodes."""
    last = NodeBits(bit_of(max(before.machine.numa_ids)))
    cpus = sorted(iter_bits(before.pool | held.cpus), reverse=True)[: held.cpus.bit_count()]
    memory = held.memory and tuple(replace(block, nodes=last) for block in held.memory)
    affinity = None if held.affinity is None else Affinity(last, not held.affinity.preferred)
    return replace(held, cpus=CpuBits(bits_of(cpus)), memory=memory, affinity=affinity)


def _apart(available: int, count: int, before: World, first: int = 0) -> int:
    """Return CPUs of the last NUMA node that has some and of another, by turns."""
    nodes = [cpus for node in numa_cpus(before.machine) if (cpus := node & available)]
    turns = zip_longest(*map(iter_bits, nodes[-1:] + nodes[first:-1][:1]))
    return bits_of(islice((cpu for turn in turns for cpu in turn if cpu is not None), count))


def _on_nodes_apart(first: int, held: HoldingBits, before: World) -> HoldingBits:
    """Give as many CPUs, memory and devices of the last NUMA node and another."""
    nodes = before.machine.numa_ids
    local = sorted((each for each in before.machine.devices if len(each.numa) == 1), key=lambda each: each.numa)
    both = NodeBits(bit_of(nodes[0]) | bit_of(nodes[-1]))
    devices = {}
    for name, ids in (held.devices or {}).items():
        known = [each.id for each in local if each.resource == name][:: -1 if (first + len(devices)) % 2 else 1]
        devices[name] = frozenset(known[: (len(ids) + 1) // 2] + known[::-1][: len(ids) // 2])
    cpus = CpuBits(_apart(before.pool | held.cpus, held.cpus.bit_count(), before, first))
    memory = held.memory and tuple(replace(block, nodes=both) for block in held.memory)
    return replace(held, cpus=cpus, memory=memory, devices=held.devices and devices)


def _with_other_devices(held: HoldingBits, _before: World) -> HoldingBits:
    devices = held.devices and {name: frozenset({f"other {id}" for id in ids}) for name, ids in held.devices.items()}
    return replace(held, devices=devices)


def _without_a_device(held: HoldingBits, _before: World) -> HoldingBits:
    devices = held.devices and {name: frozenset(sorted(ids)[1:]) for name, ids in held.devices.items()}
    return replace(held, devices=devices)


def _on_every_node(held: HoldingBits, before: World) -> HoldingBits:
    every = NodeBits(bits_of(before.machine.numa_ids))
    memory = held.memory and tuple(replace(block, nodes=every) for block in held.memory)
    return replace(held, memory=memory)


_CHANGES: tuple[Callable[[HoldingBits, World], HoldingBits], ...] = (
    _elsewhere,
    partial(_on_nodes_apart, 0),
    partial(_on_nodes_apart, 1),
    _on_every_node,
    _with_other_devices,
    _without_a_device,
    lambda held, _: replace(held, cpus=CpuBits(0)),
    lambda held, before: replace(held, cpus=held.cpus or CpuBits(before.pool & -before.pool)),
    lambda held, _: replace(held, memory=None if held.memory is None else ()),
)
"""What changes what a container of an admitted pod holds."""
OTHER_ANSWERS: Mapping[type, Callable[[Any], Iterator[object]]] = {
    CpuChoice: _choices,
    Classification: _classifications,
    CpuHints: _hints,
    MergedHints: _merges,
    Admission: _admissions,
}
"""By the class of a subject: what yields its question with other answers."""
