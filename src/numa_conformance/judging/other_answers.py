"""Other answers of the right form to a question that was answered: what telling questions are told by."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import chain, islice, zip_longest
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec.structs import replace

from ..cpuset import MAX_ID, bit_of, bits_of, iter_bits
from ..files import text_of
from ..machine import Machine
from ..wire.history.values import Affinity, AlignmentBits, CpuBits, HoldingBits, MemoryBits, NodeBits
from .allocated import AllocatedCpus
from .choice import CpuChoice, numa_cpus
from .claims import Preparation
from .may_run import MayRun
from .merged import MergedHints
from .node_subjects import Admission
from .offered import MemoryHints
from .plugins import DevicesServed
from .pods import BEST_EFFORT, BURSTABLE, GUARANTEED, PodSpec
from .shared_views import ContainerView
from .start_subjects import FirstPod, Start
from .world import World

MOST_PARTS = 6
"""Parts of a list or a mapping that are changed, one at a time."""
LONGEST = 1_000
"""Parts of a list that is changed: each change copies it."""
_ANSWERED = frozenset(text_of(__package__, "answer_fields.txt").split())
"""Fields of subjects, and of what they are made of, that come of an answer."""
_QUESTIONS = (
    (AllocatedCpus, {"held", "pool", "reserved"}),
    (ContainerView, {"exclusive", "qos"}),
    (CpuChoice, {"preferred"}),
    (DevicesServed, {"offered"}),
    (MayRun, {"world"}),
    (MemoryHints, {"qos"}),
    (Preparation, {"left", "reserved"}),
)
"""Fields with such a name that come of no answer, by the class of a subject."""
_FIRST = FirstPod(PodSpec("first", GUARANTEED, (), {}), True, {}, "")
_SAMPLES: Mapping[object, object] = {
    HoldingBits: HoldingBits(CpuBits(1)),
    MemoryBits: MemoryBits("hugepages-2Mi", 1 << 40, NodeBits(1)),
    Affinity: Affinity(NodeBits(1), True),
    FirstPod: _FIRST,
    str: "other",
    int: 0,
}
"""A value of each type that a field may have in place of none."""
_TEXTS = ("", "other", GUARANTEED, BURSTABLE, BEST_EFFORT, "hugepages-2Mi", "hugepages-1Gi")
_EXBIBYTE = 1 << 60
_FAR = 1 << 1023
"""A CPU or NUMA node that no machine has, as a bit."""


class _Field(NamedTuple):
    name: str
    sample: object
    """A value in place of none or another, where one is known."""
    may_be_none: bool


def other_answers(subject: Any) -> Iterator[Any]:
    """Yield a question that was answered with other answers: those that tell most, then each field changed alone."""
    more = _MORE.get(type(subject), lambda _: ())
    yield from chain(more(subject), _changes(subject))


@lru_cache
def _fields(kind: type[msgspec.Struct]) -> tuple[_Field, ...]:
    questions = {name for base, names in _QUESTIONS if issubclass(kind, base) for name in names}
    hints = get_type_hints(kind)
    names = [name for name in kind.__struct_fields__ if name in _ANSWERED - questions]
    names.sort(key=lambda name: World in (hints[name], *get_args(hints[name])))  # worlds, which take long, come last
    return tuple(_Field(name, _sample(hints[name]), NoneType in get_args(hints[name])) for name in names)


def _sample(hint: Any) -> Any:
    """Return a value of a type, or None where none is known; of a choice of types one of the first."""
    kind, parts = get_origin(hint), [part for part in get_args(hint) if part not in (NoneType, ...)]
    if not parts:
        return _SAMPLES.get(getattr(hint, "__supertype__", hint))
    if kind in (Union, UnionType):
        return _sample(parts[0])
    part = _sample(parts[-1])
    if part is None or kind is Annotated:
        return part
    if issubclass(kind, Mapping):
        return {"memory": part}
    return kind([part]) if kind in (tuple, list, frozenset) else [part]


def _changes(subject: msgspec.Struct) -> Iterator[Any]:
    """Change one field of an answer after the other."""
    for name, sample, may_be_none in _fields(type(subject)):
        value = getattr(subject, name)
        has_parts = isinstance(value, list | tuple) and bool(value) and isinstance(value[0], msgspec.Struct)
        if sample not in (None, value) and (has_parts or not value):
            yield replace(subject, **{name: sample})
        if value is not None and may_be_none:
            yield replace(subject, **{name: None})
        for other in _others(value):
            fits = not isinstance(other, int) or other < _EXBIBYTE
            if fits or name not in ("bytes", "free"):
                yield replace(subject, **{name: other})


def _others(value: Any) -> Iterator[Any]:
    """Yield other values of the kind: of a number or bits, of a text, of a list or a mapping and its parts."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from _other_numbers(value)
    elif isinstance(value, str):
        yield from _TEXTS
    elif isinstance(value, msgspec.Struct):
        yield from _changes(value)
    elif isinstance(value, frozenset):
        yield from (frozenset(), value | {"other"})
    elif isinstance(value, Mapping):
        for parts in _other_parts(list(value.values())):
            yield dict(zip(value, parts, strict=True))
        yield from ({key: part for key, part in value.items() if key != left_out} for left_out in list(value)[:1])
    elif isinstance(value, Sequence):
        kind: Callable[[Sequence[Any]], Any] = type(value)
        yield from map(kind, _other_parts(value))
        if value and isinstance(value[0], msgspec.Struct):
            yield from (kind(()), kind(value[1:]), kind([*value, value[0]]))


def _other_numbers(number: int) -> list[int]:
    """Return none, one more, much more; of bits one less or more, the next ids, as many in a row, others."""
    if number < 0:
        return [1]
    low, high, more = number & -number, bit_of(max(number.bit_length() - 1, 0)), number << 1
    row = bits_of(range(number.bit_count())) * low
    return [number & ~low, number & ~high, 0, number + 1, number | more, more, number << 10, row, _FAR, 2 * _FAR - 1]


def _other_parts(parts: Sequence[Any]) -> Iterator[list[Any]]:
    """Yield a list of parts with one of them changed, and with all of them answered as one is."""
    for place, part in islice(enumerate(parts), MOST_PARTS if len(parts) <= LONGEST else 0):
        others = (0, max(part - 1, 0), part + 1, MAX_ID) if isinstance(part, int) else _others(part)
        yield from ([*parts[:place], other, *parts[place + 1 :]] for other in others)
        if len(parts) > 1 and isinstance(part, msgspec.Struct):
            yield [_answered_like(part, each) for each in parts]


def _answered_like(part: msgspec.Struct, other: msgspec.Struct) -> Any:
    """Return another part with the answer to the first; its containers hold what the last of the first holds."""
    answers = {field.name: getattr(part, field.name) for field in _fields(type(part))}
    for name, value in answers.items():
        last = list(value.values())[-1:] if isinstance(value, Mapping) else ()
        if last and isinstance(last[0], HoldingBits):
            answers[name] = dict.fromkeys(getattr(other, name), last[0])
    return replace(other, **answers)


def _choices(choice: CpuChoice) -> Iterator[CpuChoice]:
    """Take as many CPUs in another order: by id, by turns of groups, group after group; take one that is not free."""
    for answer in _in_other_orders(choice.machine, choice.available, choice.count):
        if answer.bit_count() == choice.count:
            yield replace(choice, answer=answer)
    if choice.answer is not None:
        held = choice.machine.online_bits & ~choice.available
        yield replace(choice, answer=choice.answer & (choice.answer - 1) | held & -held)


def _in_other_orders(machine: Machine, available: int, count: int) -> Iterator[int]:
    """Yield as many available CPUs, the first of each order, as bits."""
    groups = (numa_cpus(machine), tuple(machine.socket_bits.values()), tuple(machine.uncore_bits.values()))
    for order in _orders(machine.online_bits, (*groups, machine.core_bits)):
        yield sum(islice((bit for bit in order if available & bit), count))


@lru_cache(maxsize=8)
def _orders(online: int, kinds: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
    """Return the CPUs of a machine, a bit each, in every order that is tried."""
    orders = [list(iter_bits(online)), list(iter_bits(online))[::-1]]
    for groups in kinds:
        turns = zip_longest(*map(iter_bits, groups))
        orders.append([cpu for turn in turns for cpu in turn if cpu is not None])
        by_size = sorted(groups, key=int.bit_count)
        orders += [[cpu for group in order for cpu in iter_bits(group)] for order in (by_size, by_size[::-1])]
    return tuple(tuple(map(bit_of, dict.fromkeys(order))) for order in orders)


def _merges(merged: MergedHints) -> Iterator[MergedHints]:
    """Name another set of NUMA nodes."""
    every, last = bits_of(merged.nodes), bit_of(max(merged.nodes))
    farther = sorted(merged.narrowest() - merged.nearest())[:1]
    for chosen in (every, every & -every, last, every & (every - 1), last << 1, *farther):
        yield replace(merged, chosen=chosen)


def _preparations(claim: Preparation) -> Iterator[Preparation]:
    """Give as many other CPUs; have published other attributes."""
    devices = [
        (replace(device, numbers={name: id + 1 for name, id in device.numbers.items()}), count)
        for device, count in claim.wanted
    ]
    yield replace(claim, wanted=tuple(devices))
    others = iter_bits(claim.machine.online_bits & ~(claim.cpus or 0))
    yield replace(claim, cpus=bits_of(islice(others, max(claim.count, 1))))


def _starts(start: Start) -> Iterator[Start]:
    """Come up, and refuse the first pod, or admit it: that of the plain start, with CPUs in any order."""
    if start.up:
        return
    first = (start.plain and start.plain.first) or _FIRST
    pool = start.machine.online_bits & ~(start.settings.reserved or 0)
    yield replace(start, refusal=None, pool=pool, first=replace(first, admitted=False, held={}))
    for cpus in _in_other_orders(start.machine, start.machine.online_bits, first.spec.exclusive):
        held = {"c": HoldingBits(CpuBits(cpus))}
        yield replace(start, refusal=None, first=replace(first, admitted=True, held=held))


def _admissions(admission: Admission) -> Iterator[Admission]:
    """Refuse; give what is far apart, or of the last NUMA node; merge another hint."""
    before, lost = admission.before, (admission.before.pool & ~admission.after.pool).bit_count()
    pool = before.pool & ~_apart(before.pool, lost, before)
    yield replace(admission, after=replace(admission.after, pool=pool))
    if not admission.admitted:
        return
    for reason in ("TopologyAffinityError", "UnexpectedAdmissionError"):
        yield replace(admission, admitted=False, held={}, after=before, reason=reason, message="refused")
    if admission.alignments:
        yield replace(admission, alignments=tuple(map(_merged_elsewhere, admission.alignments)))
    for changed in (_elsewhere, partial(_on_nodes_apart, 0), partial(_on_nodes_apart, 1)):
        yield replace(admission, held={name: changed(held, before) for name, held in admission.held.items()})


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
    devices: dict[str, frozenset[str]] = {}
    for name, ids in (held.devices or {}).items():
        known = [each.id for each in local if each.resource == name][:: -1 if (first + len(devices)) % 2 else 1]
        devices[name] = frozenset(known[: (len(ids) + 1) // 2] + known[::-1][: len(ids) // 2])
    cpus = CpuBits(_apart(before.pool | held.cpus, held.cpus.bit_count(), before, first))
    memory = held.memory and tuple(replace(block, nodes=both) for block in held.memory)
    return replace(held, cpus=cpus, memory=memory, devices=held.devices and devices)


_MORE: Mapping[type, Callable[[Any], Iterable[object]]] = {
    CpuChoice: _choices,
    MergedHints: _merges,
    Start: _starts,
    Preparation: _preparations,
    Admission: _admissions,
}
"""By the class of a subject: what yields the other answers that change several fields, or that tell most."""
