"""``CpuHints``: the hints that a target offers for exclusive CPUs, in a state that the question brings along."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import combinations

import msgspec

from ..cpuset import bit_of, bits_of
from ..machine import Machine
from ..wire.history.values import Affinity, Offers, bits, offers_of, optional_bits
from ..wire.messages.hints import Hints, OfferedHints
from ..wire.values import PriorState
from .choice import WHOLE_CORES, cpus_of
from .pods import PodSpec
from .settings import Settings

_MOST_NODES, _MOST_WITH_MEMORY = 8, 12
"""NUMA nodes up to which every set of them is looked at: with CPUs, and with memory and devices."""


class CpuHints(msgspec.Struct, frozen=True, dict=True):
    """What was asked of which CPUs, and the hints offered. Sets of CPUs and of NUMA nodes are bits.

    ``count``: exclusive CPUs of the container, or of the pod as a whole. ``free``: what may be given. ``reusable``: of
    the pod's ended init containers. ``held``: what the container has already; None where it has nothing. ``offered``:
    None is no opinion. ``parts``: exclusive CPUs of each container of a pod as a whole.
    """

    machine: Machine
    settings: Settings
    count: int
    free: int
    reusable: int
    held: int | None
    offered: tuple[Affinity, ...] | None
    parts: tuple[int, ...] = ()

    @property
    def wanted(self) -> bool:
        """Whether exclusive CPUs are asked for, by what may have some."""
        return self.settings.static and self.count > 0

    @cached_property
    def room(self) -> int:
        """CPUs from which the request can be served."""
        return self.free | self.reusable if self.held is None else self.held

    @cached_property
    def usable(self) -> int:
        """What of them can be given for sure: under full-pcpus-only the whole cores."""
        if WHOLE_CORES not in self.settings.options or self.held is not None:
            return self.room
        cores = self.machine.core_bits
        if any(number % core.bit_count() for core in cores for number in (self.count, *self.parts)):
            return 0
        return sum(core for core in cores if core & self.room == core)

    @property
    def of_another_number(self) -> bool:
        """Whether other CPUs than so many are held."""
        return self.held is not None and self.held.bit_count() != self.count

    @property
    def nodes(self) -> tuple[int, ...]:
        """The NUMA nodes with CPUs."""
        return tuple(node for node, cpus in self.machine.numa_bits.items() if cpus)

    def nodes_of(self, cpus: int) -> int:
        """Return the NUMA nodes of CPUs."""
        return bits_of(node for node, of_node in self.machine.numa_bits.items() if of_node & cpus)

    def cpus_of(self, nodes: int) -> int:
        """Return the CPUs of NUMA nodes."""
        return self._cpus[nodes] if nodes in self._cpus else cpus_of(self.machine, nodes)

    def holds(self, nodes: int) -> bool:
        """Tell whether these NUMA nodes can hold the request."""
        return (self.cpus_of(nodes) & self.room).bit_count() >= self.count

    def surely_holds(self, nodes: int) -> bool:
        """Tell whether any allocator would say so: cores are whole where they must, reusable CPUs are all within."""
        cpus = self.cpus_of(nodes)
        return (cpus & self.usable).bit_count() >= self.count and not self.reusable & ~cpus

    @property
    def sets(self) -> tuple[int, ...]:
        """Every set of NUMA nodes with CPUs, narrow ones first; none of a machine with too many."""
        return tuple(self._cpus)

    @cached_property
    def _cpus(self) -> Mapping[int, int]:
        return _cpus_of_sets(tuple(self.machine.numa_bits.items())) if len(self.nodes) <= _MOST_NODES else {}

    @cached_property
    def widths(self) -> frozenset[int]:
        """How many NUMA nodes the request needs: by all their CPUs, or by those that are not reserved."""
        reserved = self.settings.reserved or 0
        needs = set()
        for left_out in (0, reserved):
            fit = (nodes for nodes in self.sets if (self.cpus_of(nodes) & ~left_out).bit_count() >= self.count)
            needs.add(next(fit, self.machine.online_bits).bit_count())
        return frozenset(needs)

    @cached_property
    def named(self) -> frozenset[int]:
        """The sets of NUMA nodes that are offered."""
        return frozenset(hint.nodes for hint in self.offered or () if hint.nodes is not None)


@lru_cache(maxsize=64)
def _cpus_of_sets(numa: tuple[tuple[int, int], ...]) -> Mapping[int, int]:
    """Return every set of NUMA nodes that have CPUs, narrow ones first, with their CPUs."""
    able = [(bit_of(node), cpus) for node, cpus in numa if cpus]
    sets = (chosen for size in range(1, len(able) + 1) for chosen in combinations(able, size))
    return {sum(node for node, _ in chosen): sum(cpus for _, cpus in chosen) for chosen in sets}


@lru_cache(maxsize=64)
def sets_of_nodes(nodes: Sequence[int]) -> Sequence[int]:
    """Return every set of NUMA nodes as bits, narrow ones first; none of too many nodes."""
    if len(nodes) > _MOST_WITH_MEMORY:
        return ()
    each = [bit_of(node) for node in nodes]
    return tuple(sum(chosen) for size in range(1, len(each) + 1) for chosen in combinations(each, size))


def hinted(machine: Machine, question: Hints, reply: OfferedHints) -> Iterator[CpuHints]:
    """Read one answer of the surface hints."""
    settings, pod = Settings.of(question.kubelet), PodSpec.of(question.pod)
    yield from offered_for(machine, settings, pod, question.state, question.container, offers_of(reply.hints))


def offered_for(
    machine: Machine, settings: Settings, pod: PodSpec, state: PriorState, container: str | None, hints: Offers | None
) -> Iterator[CpuHints]:
    """Read hints for a container, or for the pod as a whole.

    Nothing is said of a node whose reserved CPUs are not named, nor of a pod as a whole that holds some of its CPUs or
    asks for a fraction of one: the pages do not say what it needs.
    """
    if (settings.reserved is None and settings.static) or (container is not None and container not in pod.by_name):
        return
    assigned = state.assignments.get(pod.uid, {})
    if container is None:
        integral = all(spec.cpu == spec.exclusive for spec in pod.containers)
        if pod.exclusive and (assigned or not integral):
            return
        count, held = pod.exclusive, None
    else:
        count, held = pod.by_name[container].exclusive, optional_bits(assigned.get(container))
    parts = tuple(spec.exclusive for spec in pod.containers) if container is None else ()
    free, reusable = bits(state.default) & ~(settings.reserved or 0), bits(state.reusable.get(pod.uid, ""))
    yield CpuHints(machine, settings, count, free, reusable, held, (hints or {}).get("cpu"), parts)
