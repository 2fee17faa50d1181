"""For each option of policy static: how it is provoked, and how its effect is seen.

It is provoked by a machine, a reservation and a first pod. Without the option the pages, or the manager's own packing,
lead elsewhere, and chance hardly ever leads there.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ...cpuset import bit_of, union
from ...judging.choice import touched
from ...judging.start_subjects import FirstPod, Start
from ...machine import Machine
from ...sources.options import for_each_option
from .workloads import guaranteed, static

FEW_CORES = 8
Made = tuple[int, int, Mapping[str, Any]] | None
"""Reserved CPUs as bits, how many CPUs the pod asks for, and further fields of the configuration."""


@dataclass(frozen=True, slots=True)
class OptionProbe:
    """How an option is provoked, and how its effect is seen.

    ``make``: a start on a machine where the effect shows; None where it does not. ``shows`` looks for it at a node that
    came up; None where nothing tells. ``best_effort``: a target may fail to do what the option says.
    """

    make: Callable[[Machine], Made]
    shows: Callable[[Start], bool | None]
    best_effort: bool = False

    def takes_effect(self, start: Start) -> bool | None:
        """Tell whether the option takes effect, at a node that may not have come up."""
        return self.shows(start) if start.up else False


@dataclass(frozen=True, slots=True)
class ProbeStart:
    """A configuration that names no option, and the first pod, whose uid is the option's name."""

    kubelet: Mapping[str, Any]
    pod: Mapping[str, Any]
    needs: frozenset[str] = frozenset()


def probe_of(option: str, machine: Machine) -> ProbeStart | None:
    """Return how the effect of an option is shown on a machine; None where it is not."""
    made = PROBES[option].make(machine) if _regular(machine) else None
    if made is None:
        return None
    bits, cpus, more = made
    needs = {f"topology-manager/{more['topologyManagerPolicy']}"} if more else set()
    kubelet = {**static(reserved=bits), **more}
    return ProbeStart(kubelet, guaranteed(option, cpus), frozenset(needs))


def _regular(machine: Machine) -> bool:
    nodes = [bits.bit_count() for bits in machine.numa_bits.values()]
    cores = {bits.bit_count() for bits in machine.core_bits}
    return len(cores) == 1 and len(set(nodes)) == 1 and len(nodes) <= FEW_CORES


def _half_a_core(machine: Machine) -> Made:
    first = machine.core_bits[0]
    return (first, first.bit_count() - 1, {}) if first.bit_count() > 1 and len(machine.core_bits) > 1 else None


def _one_node_and_a_half(machine: Machine) -> Made:
    nodes, threads = list(machine.numa_bits.values()), machine.core_bits[0].bit_count()
    size = nodes[0].bit_count()
    return (nodes[0], size * 3 // 2, {}) if len(nodes) > 2 and size % (4 * threads) == 0 else None


def _what_a_node_would_hold(machine: Machine) -> Made:
    """Take a core from every NUMA node: what an empty one holds is then held by two of a socket."""
    nodes, threads = list(machine.numa_bits.values()), machine.core_bits[0].bit_count()
    size = nodes[0].bit_count()
    sockets = machine.socket_bits.values()
    if any(sum(1 for node in nodes if node & socket == node) < 2 for socket in sockets) or size < 2 * threads:
        return None
    return a_core_of_each(machine), size, {"topologyManagerPolicy": "restricted"}


def a_core_of_each(machine: Machine) -> int:
    """Return the first core of every NUMA node, as bits."""
    return union(next((core for core in machine.core_bits if core & node), 0) for node in machine.numa_bits.values())


def _as_many_as_cores(machine: Machine) -> Made:
    cores = machine.core_bits
    return (cores[0], len(cores) - 1, {}) if cores[0].bit_count() > 1 and len(cores) > FEW_CORES else None


def _a_thread(machine: Machine) -> Made:
    return (bit_of(machine.cpus[-1].id), 1, {}) if len(machine.cpus) > 1 else None


def _one_cache(machine: Machine) -> Made:
    """Take half of the first cache, so that packing core after core begins in it and ends in another."""
    caches = list(machine.uncore_bits.values())
    cores = [core for core in machine.core_bits if caches and core & caches[0]]
    inside = all(any(cache & node == cache for node in machine.numa_bits.values()) for cache in caches)
    if not inside or len(caches) <= len(machine.numa_bits) or len(cores) < 4:
        return None
    return sum(cores[: len(cores) // 2]), caches[-1].bit_count(), {}


def _at_the_pod(shows: Callable[[Machine, FirstPod], bool]) -> Callable[[Start], bool | None]:
    return lambda start: None if start.first is None else shows(start.machine, start.first)


def _divided_evenly(machine: Machine, first: FirstPod) -> bool:
    shares = [(bits & first.cpus).bit_count() for bits in touched(machine.numa_bits.values(), first.cpus)]
    return len(shares) > 1 and max(shares) - min(shares) <= 1


def _on_separate_cores(machine: Machine, first: FirstPod) -> bool:
    return bool(first.cpus) and len(touched(machine.core_bits, first.cpus)) == first.cpus.bit_count()


def _in_one_cache(machine: Machine, first: FirstPod) -> bool:
    return bool(first.cpus) and len(touched(machine.uncore_bits.values(), first.cpus)) == 1


def _pool_without_reserved(start: Start) -> bool | None:
    reserved = start.settings.reserved
    return None if start.pool is None or reserved is None else not start.pool & reserved


PROBES: Mapping[str, OptionProbe] = for_each_option(
    {
        "full-pcpus-only": OptionProbe(_half_a_core, _at_the_pod(lambda _, first: not first.admitted)),
        "distribute-cpus-across-numa": OptionProbe(_one_node_and_a_half, _at_the_pod(_divided_evenly)),
        "align-by-socket": OptionProbe(_what_a_node_would_hold, _at_the_pod(lambda _, first: first.admitted)),
        "distribute-cpus-across-cores": OptionProbe(_as_many_as_cores, _at_the_pod(_on_separate_cores)),
        "strict-cpu-reservation": OptionProbe(_a_thread, _pool_without_reserved),
        "prefer-align-cpus-by-uncorecache": OptionProbe(_one_cache, _at_the_pod(_in_one_cache), best_effort=True),
    },
    "OptionProbe in PROBES: how it is provoked, and how its effect is seen",
    "src/numa_conformance/asking/generators/option_probes.py",
)
"""Option to its probe."""
