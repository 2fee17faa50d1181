"""What a node makes of its configuration: defaults, the reservation of CPUs and memory, policies, many NUMA nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial

from ...cpuset import format_bits, iter_bits
from ...documentation.policies import CPU_POLICIES, TOPOLOGY_POLICIES, TOPOLOGY_SCOPES
from ...machine import Machine
from ..judge.checker import Judgement, checker, violated
from ..judge.pods import GUARANTEED
from ..judge.quantities import amount
from ..judge.room import HUGE, allocatable
from ..judge.start_subjects import MANY_NODES, MOST_NODES, Start

STARTS, FAILS = "the node comes up", "the node does not come up"


def _must_come_up(start: Start, why: str) -> Judgement:
    return violated(start.up, f"the node does not come up, {why}", got=start.refusal, allowed=STARTS)


def _must_not_come_up(start: Start, why: str) -> Judgement:
    return violated(not start.up, f"the node comes up, {why}", allowed=FAILS)


def _must_be_admitted(start: Start, why: str) -> Judgement:
    first = start.first
    if first is None:
        return _must_come_up(start, why)
    return violated(first.admitted, f"a pod is refused, {why}", got=first.reason, allowed="admitted")


def _says(start: Start, field: str) -> bool:
    return field in start.kubelet


@checker("cpu-manager/policy/defaults-to-none", Start)
def cpu_policy_defaults_to_none(start: Start) -> Judgement:
    """Without cpuManagerPolicy no container has CPUs of its own."""
    first = start.first
    if _says(start, "cpuManagerPolicy") or first is None or not first.admitted or first.spec.qos != GUARANTEED:
        return None
    return violated(not first.cpus, "a container has CPUs of its own", got=format_bits(first.cpus), allowed="none")


@checker("memory-manager/policy/defaults-to-none", Start)
def memory_policy_defaults_to_none(start: Start) -> Judgement:
    """Without memoryManagerPolicy no container has memory of its own."""
    first = start.first
    if _says(start, "memoryManagerPolicy") or first is None or not first.admitted or first.spec.qos != GUARANTEED:
        return None
    given = [block for held in first.held.values() for block in held.memory or ()]
    return violated(not given, "a container has memory of its own", got=given, allowed="none")


@checker("topology-manager/policy/defaults-to-none", Start)
def topology_policy_defaults_to_none(start: Start) -> Judgement:
    """Without topologyManagerPolicy a pod is admitted though no NUMA node holds it."""
    if _says(start, "topologyManagerPolicy") or not start.settings.static or start.first is None or start.named:
        return None
    asked = start.first.spec.exclusive
    if not asked or start.settings.reserved is None or asked > _free(start).bit_count():
        return None
    return _must_be_admitted(start, f"which asks for {asked} of {_free(start).bit_count()} free CPUs")


def _free(start: Start) -> int:
    return start.machine.online_bits & ~(start.settings.reserved or 0)


@checker("topology-manager/scope/defaults-to-container", Start)
def scope_defaults_to_container(start: Start) -> Judgement:
    """Without topologyManagerScope containers of one size, each of which has a NUMA node to itself, are admitted."""
    if _says(start, "topologyManagerScope") or start.settings.topology != "single-numa-node" or start.named:
        return None
    if not start.settings.static or start.first is None or start.settings.reserved is None:
        return None
    sizes = [container.exclusive for container in start.first.spec.containers]
    rooms = [(bits & _free(start)).bit_count() for bits in start.machine.numa_bits.values()]
    if len(sizes) < 2 or len(set(sizes)) > 1 or not sizes[0] or sum(room >= sizes[0] for room in rooms) < len(sizes):
        return None
    return _must_be_admitted(start, "though each of its containers has room on a NUMA node of its own")


@checker("topology-manager/admission/aligns-no-cpus-without-the-cpu-manager", Start)
def no_cpus_without_the_cpu_manager(start: Start) -> Judgement:
    """Under CPU policy none CPUs are not aligned: no pod is refused for them."""
    if start.settings.static or start.settings.topology == "none" or start.settings.memory_static:
        return None
    return None if start.first is None else _must_be_admitted(start, "though nothing of it is aligned")


@checker("topology-manager/admission/aligns-no-memory-without-the-memory-manager", Start)
def no_memory_without_the_memory_manager(start: Start) -> Judgement:
    """Under memory policy None memory is not aligned: no pod is refused for it."""
    first, largest = start.first, max((node.memory or 0 for node in start.machine.memory), default=0)
    if start.settings.memory_static or start.settings.static or start.settings.topology == "none" or first is None:
        return None
    if sum(container.requests.get("memory", 0) for container in first.spec.containers) <= largest:
        return None
    return _must_be_admitted(start, "though its memory is not aligned")


def _counted(start: Start) -> bool:
    return start.settings.static and start.settings.reserved is None and not start.named and start.up


@checker("cpu-manager/reservation/ascending-core-ids", Start)
def reserves_by_ascending_core_id(start: Start) -> Judgement:
    """CPUs are reserved core by core, ascending by core id; where ids repeat, sockets may come in either order."""
    reserved = start.reserved
    if not _counted(start) or not reserved:
        return None
    return violated(
        not reserved & ~start.machine.online_bits
        and any(_is_a_beginning(places, reserved) for places in _orders(start.machine)),
        "the reserved CPUs are not those of the cores with the lowest ids",
        got=format_bits(reserved),
        allowed="core after core, ascending by core id",
        reserved=reserved,
    )


Place = tuple[int, ...]


def _orders(machine: Machine) -> Iterator[dict[int, Place]]:
    """Yield where each CPU stands by the id of its core: as the kernel counts it, within what, and by its lowest CPU.

    Threads of one core stand in one place.
    """
    core = {cpu.id: cpu.id if cpu.core is None else cpu.core for cpu in machine.cpus}
    yield {cpu.id: (core[cpu.id],) for cpu in machine.cpus}
    yield {cpu.id: (cpu.socket, core[cpu.id]) for cpu in machine.cpus}
    yield {cpu.id: (cpu.numa, core[cpu.id]) for cpu in machine.cpus}
    yield {cpu.id: (cpu.socket, cpu.numa, core[cpu.id]) for cpu in machine.cpus}
    yield {id: (number,) for number, bits in enumerate(machine.core_bits) for id in iter_bits(bits)}


def _is_a_beginning(places: Mapping[int, Place], chosen: int) -> bool:
    """Tell whether CPUs are the first ones in an order, those of one place in any order."""
    last = max((place for id, place in places.items() if chosen >> id & 1), default=None)
    return last is not None and all(chosen >> id & 1 for id, place in places.items() if place < last)


@checker("cpu-manager/reservation/adds-kube-and-system", Start)
def reserves_the_sum(start: Start) -> Judgement:
    """As many CPUs are reserved as kubeReserved and systemReserved say together, either of which may be alone."""
    if not _counted(start) or start.reserved is None:
        return None
    kept = sum(amount((start.kubelet.get(field) or {}).get("cpu", "0")) for field in ("kubeReserved", "systemReserved"))
    if not kept or kept.denominator != 1:
        return None
    number = start.reserved.bit_count()
    return violated(
        number == kept, f"{number} CPUs are reserved", got=format_bits(start.reserved), allowed=f"{kept} CPUs"
    )


@checker("cpu-manager/reservation/explicit-list-is-taken", Start)
def takes_the_explicit_list(start: Start) -> Judgement:
    """ReservedSystemCPUs are the reserved CPUs, whatever the amounts say."""
    explicit, named = start.settings.reserved, start.reserved
    if not start.settings.static or not start.up or explicit is None or named is None:
        return None
    return violated(named == explicit, "other CPUs are reserved", got=format_bits(named), allowed=format_bits(explicit))


@checker("cpu-manager/reservation/must-be-positive", Start)
def needs_a_reservation(start: Start) -> Judgement:
    """Policy static needs a CPU to be reserved."""
    if not start.settings.static or start.settings.reserved_count or start.settings.reserved:
        return None
    return _must_not_come_up(start, "though no CPU is reserved")


@checker("topology-manager/max-allowable-numa-nodes/eight-are-accepted", Start)
def eight_numa_nodes_are_accepted(start: Start) -> Judgement:
    """A machine with exactly eight NUMA nodes is accepted."""
    if start.settings.topology == "none" or start.named or len(start.machine.numa_ids) != MOST_NODES:
        return None
    return _must_come_up(start, "on eight NUMA nodes") if start.settings.topology in TOPOLOGY_POLICIES else None


@checker("topology-manager/max-allowable-numa-nodes/default-is-eight", Start)
def more_numa_nodes_are_refused(start: Start) -> Judgement:
    """More than eight NUMA nodes are refused under every policy but none."""
    if start.settings.topology in ("none", "") or start.named or start.nodes_with_cpus <= MOST_NODES:
        return None
    if start.settings.topology not in TOPOLOGY_POLICIES:
        return None
    return _must_not_come_up(start, f"under {start.settings.topology} on {len(start.machine.numa_ids)} NUMA nodes")


@checker("topology-manager/max-allowable-numa-nodes/none-has-no-limit", Start)
def none_has_no_limit(start: Start) -> Judgement:
    """Under policy none the number of NUMA nodes does not matter."""
    if start.kubelet.get("topologyManagerPolicy") != "none" or _says(start, "cpuManagerPolicy") or start.named:
        return None
    if len(start.machine.numa_ids) <= MOST_NODES:
        return None
    return _must_come_up(start, f"under policy none on {len(start.machine.numa_ids)} NUMA nodes")


def _allows_more(written: Callable[[str], bool], start: Start) -> Judgement:
    text = start.settings.topology_options.get(MANY_NODES)
    if start.named != {MANY_NODES} or not start.shows(MANY_NODES) or text is None or not written(text):
        return None
    return _must_come_up(start, f"with {MANY_NODES}={text} on {len(start.machine.numa_ids)} NUMA nodes")


checker("topology-manager/max-allowable-numa-nodes/is-set-to-true", Start)(
    partial(_allows_more, lambda text: text == "true")
)
checker("topology-manager/max-allowable-numa-nodes/raises-the-limit", Start)(partial(_allows_more, str.isdecimal))


def _unknown(field: str, known: tuple[str, ...], start: Start) -> Judgement:
    written = start.kubelet.get(field)
    return _must_not_come_up(start, f"with {field} {written!r}") if written and written not in known else None


for _id, _field, _known in (
    ("cpu-manager/policy/unknown-is-refused", "cpuManagerPolicy", CPU_POLICIES),
    ("topology-manager/policy/unknown-is-refused", "topologyManagerPolicy", TOPOLOGY_POLICIES),
    ("topology-manager/scope/unknown-is-refused", "topologyManagerScope", TOPOLOGY_SCOPES),
):
    checker(_id, Start)(partial(_unknown, _field, _known))


def _memory(start: Start) -> tuple[list[tuple[int, str, str]], int]:
    """Return what reservedMemory says, entry by entry, and how many bytes of memory it must say."""
    entries = [
        (entry["numaNode"], kind, text)
        for entry in start.kubelet.get("reservedMemory") or ()
        for kind, text in entry["limits"].items()
    ]
    wanted = sum(
        _bytes((start.kubelet.get(field) or {}).get(name, default), start.machine.total_memory)
        for field, name, default in (
            ("kubeReserved", "memory", "0"),
            ("systemReserved", "memory", "0"),
            ("evictionHard", "memory.available", "0" if "evictionHard" in start.kubelet else "100Mi"),
        )
    )
    return entries, int(wanted)


def _bytes(written: object, all_memory: int) -> Fraction:
    """Return an amount of memory; an eviction threshold may be a part of all."""
    text = str(written)
    return amount(text[:-1]) * all_memory / 100 if text.endswith("%") else amount(text)


def _differs(start: Start) -> bool:
    entries, wanted = _memory(start)
    return sum(amount(text) for _, kind, text in entries if kind == "memory") != wanted


def _avoided(start: Start) -> Mapping[str, bool]:
    """Return which of the configurations to avoid this is."""
    entries, _ = _memory(start)
    named = [(node, kind) for node, kind, _ in entries]
    sizes = {size for node in start.machine.memory for size in node.hugepages}
    return {
        "duplicates": len(set(named)) < len(named),
        "zero-limits": any(not amount(text) for _, _, text in entries),
        "unknown-numa-nodes": any(node not in start.machine.numa_ids for node, _ in named),
        "unknown-types": any(kind != "memory" and kind.removeprefix(HUGE) not in sizes for _, kind in named),
    }


@checker("memory-manager/reserved-memory/is-mandatory", Start)
def reserved_memory_is_mandatory(start: Start) -> Judgement:
    """Policy Static needs reservedMemory."""
    if not start.settings.memory_static or start.kubelet.get("reservedMemory"):
        return None
    return _must_not_come_up(start, "without reservedMemory")


@checker("memory-manager/reserved-memory/must-match-the-node-reservation", Start)
def reserved_memory_must_match(start: Start) -> Judgement:
    """The amounts of all NUMA nodes equal kubeReserved, systemReserved and the hard eviction threshold together."""
    if not start.settings.memory_static or not start.kubelet.get("reservedMemory") or not _differs(start):
        return None
    return _must_not_come_up(start, "though reservedMemory is not what is reserved")


@checker("memory-manager/reserved-memory/comes-up-when-it-matches", Start)
def reserved_memory_that_matches(start: Start) -> Judgement:
    """Amounts that match are accepted, however they are divided among NUMA nodes that have them."""
    if not start.settings.memory_static or not start.kubelet.get("reservedMemory") or _differs(start):
        return None
    reserved: dict[int, dict[str, int]] = {}
    for node, kind, text in _memory(start)[0]:
        reserved.setdefault(node, {})[kind] = int(amount(text))
    left = allocatable(start.machine, reserved).values() if not any(_avoided(start).values()) else ()
    if not left or any(number < 0 for amounts in left for number in amounts.values()):
        return None
    return _must_come_up(start, "though reservedMemory is what is reserved")


def _to_be_avoided(what: str, start: Start) -> Judgement:
    if not start.settings.memory_static or _differs(start) or not _avoided(start)[what]:
        return None
    return _must_not_come_up(start, f"with {what.replace('-', ' ')} in reservedMemory")


for _id, _what in (
    ("memory-manager/reserved-memory/refuses-duplicates", "duplicates"),
    ("memory-manager/reserved-memory/refuses-zero-limits", "zero-limits"),
    ("memory-manager/reserved-memory/refuses-unknown-numa-nodes", "unknown-numa-nodes"),
    ("memory-manager/reserved-memory/refuses-unknown-types", "unknown-types"),
):
    checker(_id, Start)(partial(_to_be_avoided, _what))
