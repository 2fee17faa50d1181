"""What would make a refused pod fit. Nothing is said that was not tried on a node like this one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from ...cpuset import format_bits
from ...errors import KubeletFails, StartError, UsageError
from ...kube import KubeletConfiguration, validate
from ...kube.container import Container
from ...kube.pod import Pod
from ...kube.quantity import Quantity
from ...kube.reservation import explicit_reserved_cpus
from ...kube.resource_names import is_huge_page, page_bytes
from ...machine import Machine
from ...sources.options import STATIC_OPTIONS
from ..node import AdmissionResult, Node
from .room import gives_whole_cores

_MEBIBYTE = 2**20
WEAKER = {"single-numa-node": ("restricted", "best-effort"), "restricted": ("best-effort",)}
"""Policies of the Topology Manager that admit more, the strictest first."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """One change after which the node admits the pod. ``change`` says the same to a program."""

    text: str
    change: Mapping[str, str] = field(default_factory=dict)


def remedies(node: Node, pod: Pod, container: str | None) -> Iterator[Remedy]:
    """Yield what would have the node admit a pod that it refuses at this container, or (None) as a whole.

    Requests are tried on the node as it is; the node is changed on the way and is the same in the end. Configurations
    are tried on a new node, to which the same pods go first: all of them must be admitted.
    """
    yield from _smaller_requests(node, pod, container)
    yield from _other_configurations(node, pod)
    yield from without_others(node, pod)


def without_others(node: Node, pod: Pod) -> Iterator[Remedy]:
    """Yield that the node would admit a pod if it had no other."""
    if node.pods and admitted(node.anew(), pod):
        yield Remedy("on the node without other pods", {"pods": "none"})


def admitted(node: Node, pod: Pod) -> AdmissionResult | None:
    """Admit a pod; None where it is refused or the kubelet has no answer."""
    try:
        outcome = node.admit(pod)
    except (KubeletFails, UsageError):
        return None
    return outcome if outcome.admitted else None


def _fits(node: Node, pod: Pod) -> bool:
    """Try a pod on a node, which is then as it was; a critical one, which may end others, on a copy."""
    if pod.is_critical:
        return admitted(node.copy(), pod) is not None
    if not admitted(node, pod):
        return False
    node.remove(pod.uid)
    return True


def _smaller_requests(node: Node, pod: Pod, container: str | None) -> Iterator[Remedy]:
    """Yield the largest requests that fit: of one resource alone or, where that does not help, of all at once."""
    askers = _askers(pod, container)
    largest = {name: most for name in askers if (most := _most(node, pod, askers, name, {}))}
    for name, most in largest.items():
        yield _request(pod, askers, {name: most})
    if not largest and len(askers) > 1:
        least = {name: _unit(node, name, container.requests[name]) for name, container in askers.items()}
        for name in askers:
            others = {other: amount for other, amount in least.items() if other != name}
            largest[name] = _most(node, pod, askers, name, others) or askers[name].requests[name]
        changed = {name: most for name, most in largest.items() if most != askers[name].requests[name]}
        if changed and _fits(node, _with(pod, askers, changed)):
            yield _request(pod, askers, changed)
    if gives_whole_cores(node) and "cpu" in askers:
        unit, cpus = (_unit(node, "cpu", askers["cpu"].requests["cpu"]).value, askers["cpu"].requests["cpu"].value)
        rounded = Quantity(-(-cpus // unit) * unit)
        if cpus % unit and _fits(node, _with(pod, askers, {"cpu": rounded})):
            yield _request(pod, askers, {"cpu": rounded})


def _askers(pod: Pod, container: str | None) -> dict[str, Container]:
    """Return what a smaller request is tried of: each resource with the container that asks for (the most of) it."""
    chosen = [pod.container(container)] if container is not None else list(pod.all_containers)
    names = dict.fromkeys(name for choice in chosen for name, amount in choice.requests.items() if amount)
    return {
        name: max(chosen, key=lambda choice: choice.requests.get(name, Quantity(0)))
        for name in names
        if name != "ephemeral-storage"
    }


def _most(
    node: Node, pod: Pod, askers: Mapping[str, Container], name: str, others: Mapping[str, Quantity]
) -> Quantity | None:
    """Return the largest smaller amount of a resource that fits, ``others`` being changed too; None where none does."""
    wanted = askers[name].requests[name]
    unit = _unit(node, name, wanted)
    # With amounts of which none was tried in between the search may miss a larger one; what it finds did fit.
    fits, fails = 0, -(-wanted.as_number // unit.as_number)
    while fails - fits > 1:
        middle = (fits + fails) // 2
        if _fits(node, _with(pod, askers, {**others, name: _times(unit, middle)})):
            fits = middle
        else:
            fails = middle
    return _times(unit, fits) if fits else None


def _unit(node: Node, name: str, wanted: Quantity) -> Quantity:
    """Return the step in which a smaller amount is looked for."""
    if name == "cpu":
        cores = node.machine.core_bits
        threads = max(core.bit_count() for core in cores) if gives_whole_cores(node) and cores else 1
        return Quantity(threads) if wanted.whole else Quantity.parse("100m")
    if is_huge_page(name):
        return Quantity(page_bytes(name.removeprefix("hugepages-")), "binary")
    return Quantity(_MEBIBYTE, "binary") if name == "memory" else Quantity(1)


def _times(unit: Quantity, number: int) -> Quantity:
    return Quantity(unit.as_number * number, "decimal" if unit.as_number < _MEBIBYTE else "binary", fast=True)


def _with(pod: Pod, askers: Mapping[str, Container], amounts: Mapping[str, Quantity]) -> Pod:
    """Return the pod with other amounts, each of the container that asks for it."""

    def changed(container: Container) -> Container:
        changed = {name: amount for name, amount in amounts.items() if askers[name].name == container.name}
        requests = {name: changed.get(name, amount) for name, amount in container.requests.items()}
        limits = {name: changed.get(name, amount) for name, amount in container.limits.items()}
        return replace(container, requests=requests, limits=limits)

    init, apps = tuple(map(changed, pod.init_containers)), tuple(map(changed, pod.containers))
    return replace(pod, init_containers=init, containers=apps)


def _request(pod: Pod, askers: Mapping[str, Container], amounts: Mapping[str, Quantity]) -> Remedy:
    changes = [
        f"{in_words(name, amount)} in place of {askers[name].requests[name]}"
        + (f" in container {askers[name].name}" if len(pod.all_containers) > 1 else "")
        for name, amount in amounts.items()
    ]
    return Remedy(f"with {' and '.join(changes)}", {name: str(amount) for name, amount in amounts.items()})


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


def _under(node: Node, pod: Pod, config: KubeletConfiguration) -> AdmissionResult | None:
    """Return how a node with another configuration admits the pod after the pods that are there."""
    try:
        validate(config, node.version)
        other = node.anew(config)
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
