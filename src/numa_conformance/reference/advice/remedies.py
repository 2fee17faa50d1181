"""What would make a refused pod fit. Nothing is said that was not tried on a node like this one."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ...cpuset import format_bits, union
from ...errors import KubeletFails, StartError, UsageError
from ...kube import KubeletConfiguration, validate
from ...kube.pod import Pod
from ...kube.quantity import Quantity
from ...kube.requests import pod_requests
from ...kube.reservation import explicit_reserved_cpus
from ...kube.resource_names import is_huge_page, page_bytes
from ...machine import Machine, MemoryNode
from ...sources.options import STATIC_OPTIONS
from ..node import AdmissionResult, Node, node_allocatable
from .other_requests import OtherRequests, admitted, gives_whole_cores, whole_of

_MOST = 4
"""Remedies that are offered."""
WEAKER = {"single-numa-node": ("restricted", "best-effort"), "restricted": ("best-effort",)}
"""Policies of the Topology Manager that admit more, the strictest first."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """One change after which the node admits the pod. ``change`` says the same to a program.

    ``distance`` orders them: of requests the part that changes; another configuration counts as one whole request.
    """

    text: str
    change: Mapping[str, str] = field(default_factory=dict)
    distance: float = 1


def remedies(node: Node, pod: Pod, container: str | None) -> tuple[Remedy, ...]:
    """Return what would have the node admit a pod that it refuses at this container, or (None) as a whole.

    The nearest come first, and the farthest of too many are left out. Requests are tried on the node as it is; the node
    is changed on the way and is the same in the end. Configurations and machines are tried on a new node, to which the
    same pods go first: all of them must be admitted.
    """
    every = [
        *_more_huge_pages(node, pod, container),
        *_other_requests(node, pod, container),
        *_other_configurations(node, pod),
        *without_others(node, pod),
    ]
    return tuple(sorted(every, key=lambda remedy: remedy.distance)[:_MOST])


def without_others(node: Node, pod: Pod) -> Iterator[Remedy]:
    """Yield that the node would admit a pod if it had no other."""
    if node.pods and admitted(node.anew(), pod):
        yield Remedy("on the node without other pods", {"pods": "none"})


def _more_huge_pages(node: Node, pod: Pod, container: str | None) -> Iterator[Remedy]:
    """Yield the pages that the machine lacks, on the first NUMA node where they help; else with the nearest change."""
    offered = node_allocatable(node.machine, node.config)
    missing = {
        name.removeprefix("hugepages-"): amount.value - offered.get(name, 0)
        for name, amount in pod_requests(pod).items()
        if is_huge_page(name) and amount.value > offered.get(name, 0)
    }
    more = {size: -(-lack // page_bytes(size)) for size, lack in missing.items()}
    pages = " and ".join(f"{count} more huge page{'s'[: count > 1]} of {size}" for size, count in more.items())
    change = {f"hugepages.{size}": str(count) for size, count in more.items()}
    others: list[Remedy] = []
    for number in node.machine.numa_ids if more else ():
        memory = tuple(_with_pages(each, more) if each.node == number else each for each in node.machine.memory)
        there = _with_pods(node, node.config, replace(node.machine, memory=memory))
        text = f"on a machine with {pages} on NUMA node {number}"
        if there and admitted(there, pod):
            yield Remedy(text, change, 0)
            return
        for other in remedies(there, pod, container) if there and not others else ():
            others.append(Remedy(f"{text}, {other.text}", {**change, **other.change}, other.distance))
    if others:
        yield replace(min(others, key=lambda remedy: remedy.distance), distance=0)


def _with_pages(memory: MemoryNode, more: Mapping[str, int]) -> MemoryNode:
    pages = {size: memory.hugepages.get(size, 0) + count for size, count in more.items()}
    return replace(memory, hugepages={**memory.hugepages, **pages})


def _other_requests(node: Node, pod: Pod, container: str | None) -> Iterator[Remedy]:
    """Yield other amounts of one container, or where none help, of all that ask for as much."""
    trials = OtherRequests.of(node, pod, container, alike=False)
    every, whole = list(trials.all()), whole_of(pod)
    several = len(pod.all_containers) > 1 or whole in trials.askers.values()
    if several and not every:
        trials = replace(trials, alike=True)
        every = list(trials.all())
    for amounts in every:
        changes: dict[str, list[str]] = {"with": [], "without": []}
        for name, amount in amounts.items():
            named = [each.name for each in pod.all_containers if several and trials.changes(each, name)]
            where = f" in container{'s'[: len(named) > 1]} {', '.join(named)}" if named else ""
            if whole in trials.askers.values() and trials.changes(whole, name):
                where = f" in spec.resources{f' and{where}' if named else ''}"
            wanted = f" in place of {trials.askers[name].requests[name]}"
            text = f"{name}{where}" if amount is None else f"{in_words(name, amount)}{wanted}{where}"
            changes["without" if amount is None else "with"].append(text)
        text = " and ".join(f"{word} {' and '.join(texts)}" for word, texts in changes.items() if texts)
        change = {name: str(amount or "none") for name, amount in amounts.items()}
        yield Remedy(text, change, trials.distance(amounts))


def in_words(name: str, amount: Quantity) -> str:
    """Return an amount of a resource: ``1 CPU``, ``16Gi memory``."""
    return f"{amount} CPU{'s' if amount != Quantity(1) else ''}" if name == "cpu" else f"{amount} {name}"


def _other_configurations(node: Node, pod: Pod) -> Iterator[Remedy]:
    """Yield of each field the least change that helps."""
    fields: set[str] = set()
    for field_name, value, text, changes in _candidates(node):
        other = None if field_name in fields else _with_pods(node, replace(node.config, **changes))
        placed = None if other is None else admitted(other, pod)
        if placed is not None:
            fields.add(field_name)
            yield Remedy(f"{text}{_where(node.machine, placed)}", {field_name: value})


def _candidates(node: Node) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """Yield what to try, of each field the least change first: field, value, words, changes of the configuration."""
    config = node.config
    for name in WEAKER.get(config.topology_manager_policy, ()):
        yield "topologyManagerPolicy", name, f"with topologyManagerPolicy {name}", {"topology_manager_policy": name}
    if config.topology_manager_policy != "none" and config.topology_manager_scope == "pod":
        wider = {"topology_manager_scope": "container"}
        yield "topologyManagerScope", "container", "with topologyManagerScope container", wider
    options = config.cpu_manager_policy_options or {}
    for name in STATIC_OPTIONS:
        if options.get(name, "false") != "false":
            without = {"cpu_manager_policy_options": {**options, name: "false"}}
            yield f"cpuManagerPolicyOptions.{name}", "false", f"without the option {name}", without
    whole = whole_cores(node.machine, explicit_reserved_cpus(config))
    if gives_whole_cores(node) and whole != explicit_reserved_cpus(config):
        text, cpus = f"with reservedSystemCPUs {format_bits(whole)}, which are whole cores", format_bits(whole)
        yield "reservedSystemCPUs", cpus, text, {"reserved_system_cpus": cpus}
    if config.memory_manager_policy != "None":
        yield "memoryManagerPolicy", "None", "with memoryManagerPolicy None", {"memory_manager_policy": "None"}


def whole_cores(machine: Machine, reserved: int) -> int:
    """Return at least as many CPUs as are reserved, in whole cores: the lowest of those that are touched now."""
    whole = 0
    for core in machine.core_bits:
        if core & reserved and whole.bit_count() < reserved.bit_count():
            whole |= core
    return whole


def _with_pods(node: Node, config: KubeletConfiguration, machine: Machine | None = None) -> Node | None:
    """Return a node with another configuration, or machine, and the same pods; None where that fails."""
    try:
        validate(config, node.version)
        other = node.anew(config, machine)
    except (StartError, UsageError, KubeletFails):
        return None
    return other if all(admitted(other, there) for there in node.pods.values()) else None


def _where(machine: Machine, admission: AdmissionResult) -> str:
    """Say on which NUMA nodes the exclusive CPUs and the memory of a pod lie."""
    cpus = union(placed.cpus for placed in admission.placements.values())
    blocks = (block for placed in admission.placements.values() for block in placed.memory or ())
    nodes = {node for node, of_node in machine.numa_bits.items() if of_node & cpus}.union(*(b.nodes for b in blocks))
    return f" (on NUMA node{'s'[: len(nodes) > 1]} {', '.join(map(str, sorted(nodes)))})" if nodes else ""
