"""What would make a refused pod fit. Nothing is said that was not tried on a node like this one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from ...cpuset import format_bits
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
from .other_requests import Amounts, OtherRequests, admitted
from .room import gives_whole_cores

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
        *_more_huge_pages(node, pod),
        *_other_requests(node, pod, container),
        *_other_configurations(node, pod),
        *without_others(node, pod),
    ]
    return tuple(sorted(every, key=lambda remedy: remedy.distance)[:_MOST])


def without_others(node: Node, pod: Pod) -> Iterator[Remedy]:
    """Yield that the node would admit a pod if it had no other."""
    if node.pods and admitted(node.anew(), pod):
        yield Remedy("on the node without other pods", {"pods": "none"})


def _more_huge_pages(node: Node, pod: Pod) -> Iterator[Remedy]:
    """Yield the pages that the machine lacks, on the first NUMA node where they help."""
    offered = node_allocatable(node.machine, node.config)
    missing = {
        name.removeprefix("hugepages-"): amount.value - offered.get(name, 0)
        for name, amount in pod_requests(pod).items()
        if is_huge_page(name) and amount.value > offered.get(name, 0)
    }
    for number in node.machine.numa_ids if missing else ():
        more = {size: -(-lack // page_bytes(size)) for size, lack in missing.items()}
        memory = tuple(_with_pages(each, more) if each.node == number else each for each in node.machine.memory)
        placed = _under(node, pod, node.config, replace(node.machine, memory=memory))
        if placed is not None:
            pages = " and ".join(f"{count} more huge pages of {size}" for size, count in more.items())
            text = f"on a machine with {pages} on NUMA node {number}"
            yield Remedy(text, {f"hugepages.{size}": str(count) for size, count in more.items()}, 0)
            return


def _with_pages(memory: MemoryNode, more: Mapping[str, int]) -> MemoryNode:
    pages = {size: memory.hugepages.get(size, 0) + count for size, count in more.items()}
    return replace(memory, hugepages={**memory.hugepages, **pages})


def _other_requests(node: Node, pod: Pod, container: str | None) -> Iterator[Remedy]:
    """Yield other amounts of one container, or where none help, of all that ask for as much."""
    for alike in (False, True):
        trials = OtherRequests.of(node, pod, container, alike=alike)
        every = [_request(trials, amounts) for amounts in trials.all() if amounts]
        yield from every
        if every:
            return


def _request(trials: OtherRequests, amounts: Amounts) -> Remedy:
    changes: dict[str, list[str]] = {"with": [], "without": []}
    for name, amount in amounts.items():
        every = trials.pod.all_containers
        named = [each.name for each in every if trials.changes(each, name)] if len(every) > 1 else []
        where = f" in container{'s'[: len(named) > 1]} {', '.join(named)}" if named else ""
        if amount is None:
            changes["without"].append(f"{name}{where}")
        else:
            wanted = trials.askers[name].requests[name]
            changes["with"].append(f"{in_words(name, amount)} in place of {wanted}{where}")
    text = " and ".join(f"{word} {' and '.join(each)}" for word, each in changes.items() if each)
    return Remedy(text, {name: str(amount or "none") for name, amount in amounts.items()}, trials.distance(amounts))


def in_words(name: str, amount: Quantity) -> str:
    """Return an amount of a resource: ``1 CPU``, ``16Gi memory``."""
    return f"{amount} CPU{'s' if amount != Quantity(1) else ''}" if name == "cpu" else f"{amount} {name}"


def _other_configurations(node: Node, pod: Pod) -> Iterator[Remedy]:
    for field_name, candidates in _candidates(node).items():
        for value, text, config in candidates:
            placed = _under(node, pod, config)
            if placed is not None:
                yield Remedy(f"{text}{_where(node.machine, placed)}", {field_name: value})
                break


def _candidates(node: Node) -> dict[str, list[tuple[str, str, KubeletConfiguration]]]:
    """Return by field the configurations to try, the least change first: value, words, configuration."""
    config = node.config
    candidates: dict[str, list[tuple[str, str, KubeletConfiguration]]] = {
        "topologyManagerPolicy": [
            (name, f"with topologyManagerPolicy {name}", replace(config, topology_manager_policy=name))
            for name in WEAKER.get(config.topology_manager_policy, ())
        ]
    }
    if config.topology_manager_policy != "none" and config.topology_manager_scope == "pod":
        text = "with topologyManagerScope container"
        candidates["topologyManagerScope"] = [("container", text, replace(config, topology_manager_scope="container"))]
    options = config.cpu_manager_policy_options or {}
    for name in STATIC_OPTIONS:
        if options.get(name, "false") != "false":
            off = replace(config, cpu_manager_policy_options={**options, name: "false"})
            candidates[f"cpuManagerPolicyOptions.{name}"] = [("false", f"without the option {name}", off)]
    whole = whole_cores(node.machine, explicit_reserved_cpus(config))
    if gives_whole_cores(node) and whole != explicit_reserved_cpus(config):
        text = f"with reservedSystemCPUs {format_bits(whole)}, which are whole cores"
        candidates["reservedSystemCPUs"] = [
            (format_bits(whole), text, replace(config, reserved_system_cpus=format_bits(whole)))
        ]
    if config.memory_manager_policy != "None":
        text = "with memoryManagerPolicy None"
        candidates["memoryManagerPolicy"] = [("None", text, replace(config, memory_manager_policy="None"))]
    return candidates


def whole_cores(machine: Machine, reserved: int) -> int:
    """Return at least as many CPUs as are reserved, in whole cores: the lowest of those that are touched now."""
    whole = 0
    for core in machine.core_bits:
        if core & reserved and whole.bit_count() < reserved.bit_count():
            whole |= core
    return whole


def _under(
    node: Node, pod: Pod, config: KubeletConfiguration, machine: Machine | None = None
) -> AdmissionResult | None:
    """Return how a node with another configuration, or machine, admits the pod after the pods that are there."""
    try:
        validate(config, node.version)
        other = node.anew(config, machine)
    except (StartError, UsageError, KubeletFails):
        return None
    return admitted(other, pod) if all(admitted(other, there) for there in node.pods.values()) else None


def _where(machine: Machine, admission: AdmissionResult) -> str:
    """Say which NUMA nodes the exclusive CPUs of a pod lie on."""
    cpus = 0
    for placed in admission.placements.values():
        cpus |= placed.cpus
    if not cpus:
        return ""
    nodes = [str(node) for node, of_node in machine.numa_bits.items() if of_node & cpus]
    return f" (on NUMA node{'s' if len(nodes) > 1 else ''} {', '.join(nodes)})"
