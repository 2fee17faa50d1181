"""Why a kubelet does not come up with a configuration: each fault with its field, and what would mend it."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from ...cpuset import format_bits
from ...errors import StartError, UsageError, closest
from ...kube import (
    FeatureGates,
    KubeletConfiguration,
    Quantity,
    explicit_reserved_cpus,
    node_reservation,
    reserved_cpu_milli,
    validation_faults,
)
from ...kube.eviction import NO_THRESHOLD
from ...kube.resource_names import is_huge_page
from ...machine import Machine
from ...sources.options import STATIC_OPTIONS, TOPOLOGY_OPTIONS, TopologyOptions
from ...sources.policies import CPU_POLICIES, MEMORY_POLICIES
from ...sources.quirks import Quirks
from ...sources.versions import KubernetesVersion
from ..managers.cpu import manager as cpu_manager
from ..managers.policy_options import OptionError, check_cpu_gate
from ..managers.topology import options as topology_options
from ..node.bring_up import excessive_reservations, unreserved_enforcement

Kind = Literal["refused", "unwise", "no effect", "note"]
"""The kubelet does not come up with it; it is allowed and harms; it changes nothing; it is good to know."""


@dataclass(frozen=True, slots=True)
class Remark:
    """One remark: its kind, the field path that it is about, what is said, and what to do about it."""

    kind: Kind
    place: str
    message: str
    remedy: str = ""

    def hint(self, context: str = "") -> str:
        """Return it in one line, without the message where that was ``context`` already."""
        parts = [self.place, "" if self.message in context else self.message, self.remedy]
        return ": ".join(part for part in parts if part)

    def __str__(self) -> str:
        return f"{self.place}: {self.kind}: {self.message}" + (f"\n    {self.remedy}" if self.remedy else "")


_RESERVE = "set reservedSystemCPUs, or kubeReserved.cpu or systemReserved.cpu: static policy keeps some CPUs back"


def refusals(
    config: KubeletConfiguration, version: KubernetesVersion, quirks: Quirks, machine: Machine | None
) -> list[Remark]:
    """Return what a kubelet refuses, as far as that can be said without the machine where there is none.

    It is complete in what it names, but not in what there is: whether a node comes up is for ``Node`` to say.
    """
    config = config.at(version)
    faults = validation_faults(config, version)
    findings = [
        Remark("refused", fault.place, fault.message, _near(fault.suggestion, fault.accepted)) for fault in faults
    ]
    with suppress(StartError):  # gates, without which nothing more can be said
        gates = FeatureGates.build(version, config.feature_gates)
        for remarks in (
            _policies(config),
            _cpu_options(config, gates, quirks),
            _topology_options(config, gates, quirks, len(machine.numa_ids) if machine else 0),
            _too_many_nodes(config, gates, quirks, len(machine.numa_ids) if machine else 0),
            _reserved_cpus(config, machine),
            _excessive_reservations(config, machine),
            _unreserved_enforcement(config),
            _reserved_memory(config, machine),
            _reserved_huge_pages(config, quirks),
        ):
            with suppress(StartError, UsageError):  # a list or an amount that does not parse, which is found
                findings += remarks
    return list(dict.fromkeys(findings))


def _near(suggestion: str | None, accepted: str | None = None) -> str:
    if suggestion:
        return f"did you mean {suggestion}?"
    return f"accepted: {accepted}" if accepted else ""


def _policies(config: KubeletConfiguration) -> Iterator[Remark]:
    for field, value, known in (
        ("cpuManagerPolicy", config.cpu_manager_policy, CPU_POLICIES),
        ("memoryManagerPolicy", config.memory_manager_policy, MEMORY_POLICIES),
    ):
        if value not in known:
            remedy = _near(closest(value, known), ", ".join(known))
            yield Remark("refused", field, f'unknown policy: "{value}"', remedy)


def _cpu_options(config: KubeletConfiguration, gates: FeatureGates, quirks: Quirks) -> Iterator[Remark]:
    field, options = "cpuManagerPolicyOptions", config.cpu_manager_policy_options
    try:
        check_cpu_gate(options, gates)
    except OptionError as fault:
        yield Remark("refused", field, str(fault), "set featureGates.CPUManagerPolicyOptions: true")
        return
    if config.cpu_manager_policy == "none" and options:
        yield Remark("refused", field, "policy none has no options", "set cpuManagerPolicy: static, or leave them out")
    elif config.cpu_manager_policy == "static":
        yield from _each(
            field, options or {}, lambda some: cpu_manager.parse_options(some, gates, quirks.cpu), STATIC_OPTIONS
        )


def _topology_options(
    config: KubeletConfiguration, gates: FeatureGates, quirks: Quirks, nodes: int
) -> Iterator[Remark]:
    options = config.topology_manager_policy_options
    if options and config.topology_manager_policy != "none":
        yield from _each(
            "topologyManagerPolicyOptions",
            options,
            lambda some: topology_options.parse_options(some, gates, quirks.topology, nodes=nodes),
            TOPOLOGY_OPTIONS,
        )


def _too_many_nodes(config: KubeletConfiguration, gates: FeatureGates, quirks: Quirks, nodes: int) -> Iterator[Remark]:
    """Name the option that lifts the limit, where this kubelet has it."""
    name = "max-allowable-numa-nodes"

    def parse(options: Mapping[str, str]) -> TopologyOptions:
        return topology_options.parse_options(options, gates, quirks.topology, nodes=nodes)

    options = config.topology_manager_policy_options or {}
    if config.topology_manager_policy == "none" or _fault(parse, options):
        return
    limit = parse(options).max_allowable_numa_nodes
    if nodes > limit:
        known = not _fault(parse, {name: str(nodes)})
        text = f"the machine has {nodes} NUMA nodes; with a policy other than none at most {limit} are supported"
        remedy = f'set {name}: "{nodes}"' if known else "set topologyManagerPolicy: none"
        yield Remark("refused", "topologyManagerPolicyOptions", text, remedy)


def _each(
    field: str, options: Mapping[str, str], parse: Callable[[Mapping[str, str]], object], known: Mapping[str, object]
) -> Iterator[Remark]:
    """Try options one by one and, where each is good, together."""
    findings = [
        Remark("refused", f"{field}.{name}", fault, _option_remedy(name, fault, known))
        for name, text in options.items()
        if (fault := _fault(parse, {name: text}))
    ]
    if not findings and (fault := _fault(parse, options)):
        findings = [Remark("refused", field, fault, "leave one of them out")]
    yield from findings


def _fault(parse: Callable[[Mapping[str, str]], object], options: Mapping[str, str]) -> str:
    try:
        parse(options)
    except OptionError as fault:
        return str(fault)
    except StartError as error:
        return error.message
    return ""


def _option_remedy(name: str, fault: str, known: Mapping[str, object]) -> str:
    if name not in known:
        return _near(closest(name, known), ", ".join(known))
    if "-level Options not enabled" in fault:
        manager = "CPUManager" if name in STATIC_OPTIONS else "TopologyManager"
        stage = "Alpha" if "Alpha" in fault else "Beta"
        return f"set featureGates.{manager}Policy{stage}Options: true"
    if "Atoi" in fault:
        return 'accepted: a whole number, such as "9"'
    return 'accepted: "true" or "false"' if "ParseBool" in fault else ""


def _reserved_cpus(config: KubeletConfiguration, machine: Machine | None) -> Iterator[Remark]:
    strange = explicit_reserved_cpus(config) & ~machine.online_bits if machine else 0
    if machine and strange:
        text = f"there are no CPUs {format_bits(strange)} online"
        yield Remark("refused", "reservedSystemCPUs", text, f"accepted: some of {format_bits(machine.online_bits)}")
    if config.cpu_manager_policy == "static" and reserved_cpu_milli(config) <= 0:
        yield Remark("refused", "reservedSystemCPUs", "policy static needs reserved CPUs, and there are none", _RESERVE)


def _excessive_reservations(config: KubeletConfiguration, machine: Machine | None) -> Iterator[Remark]:
    if machine is None:
        return
    for name, reservation, capacity in excessive_reservations(machine, config):
        amounts = _amounts(config, name, reservation)
        text = f"{name} {reservation} is reserved ({_terms(amounts)}), and {machine.name} has {capacity}"
        field = next(field for field, amount in amounts.items() if amount)
        place = f"{field}.{name}" if field in ("kubeReserved", "systemReserved") else field.partition(" ")[0]
        yield Remark("refused", place, text, f"reserve at most {name} {capacity} in all")


def _unreserved_enforcement(config: KubeletConfiguration) -> Iterator[Remark]:
    if text := unreserved_enforcement(config):
        yield Remark("refused", "enforceNodeAllocatable", text, "reserve something for it, or leave it out of the list")


def _reserved_memory(config: KubeletConfiguration, machine: Machine | None) -> Iterator[Remark]:
    if config.memory_manager_policy != "Static":
        return
    if machine:
        for index, entry in enumerate(config.reserved_memory):
            if entry.numa_node not in machine.numa_ids:
                nodes = ", ".join(map(str, machine.numa_ids))
                text = f"there is no NUMA node {entry.numa_node}"
                yield Remark("refused", f"reservedMemory[{index}].numaNode", text, f"accepted: {nodes}")
    amounts = _memory_amounts(config, machine)
    if amounts is None:
        return
    whole = sum(amounts.values(), Quantity(0, "binary"))
    entries = [amount for entry in config.reserved_memory for name, amount in entry.limits.items() if name == "memory"]
    reserved = sum(entries, Quantity(0, "binary"))
    if reserved != whole or not reserved:
        terms = _terms(amounts) or "nothing"
        place = "reservedMemory[0].limits.memory" if len(entries) == 1 else "reservedMemory"
        remedy = f"let the entries for memory add up to {whole}" if len(entries) != 1 else f"set it to {whole}"
        if not whole:
            remedy = "reserve memory by kubeReserved.memory or systemReserved.memory, and say where by reservedMemory"
        yield Remark(
            "refused", place, f"{reserved} of memory is reserved on NUMA nodes, of the node {whole} ({terms})", remedy
        )


def _reserved_huge_pages(config: KubeletConfiguration, quirks: Quirks) -> Iterator[Remark]:
    if config.memory_manager_policy != "Static" or not quirks.memory.huge_pages_cannot_be_reserved:
        return
    for index, entry in enumerate(config.reserved_memory):
        for name in filter(is_huge_page, entry.limits):
            text = "a node keeps no huge pages back, and the kubelet compares (quirk huge-pages-cannot-be-reserved)"
            if entry.limits[name]:
                yield Remark("refused", f"reservedMemory[{index}].limits.{name}", text, "leave it out")


def _memory_amounts(config: KubeletConfiguration, machine: Machine | None) -> dict[str, Quantity] | None:
    """Return what is reserved of the node's memory by field; None where that depends on a machine that is not known."""
    eviction = config.eviction_hard.get("memory.available", "0")
    if machine is None and eviction.endswith("%") and eviction not in NO_THRESHOLD:
        return None
    capacity = {"memory": machine.total_memory if machine else 0}
    try:
        whole = node_reservation(config, capacity).get("memory", Quantity(0))
    except UsageError:
        return None
    return _amounts(config, "memory", whole)


def _amounts(config: KubeletConfiguration, name: str, whole: Quantity) -> dict[str, Quantity]:
    """Return by field what makes up all that is reserved of a resource."""
    if name == "cpu" and explicit_reserved_cpus(config):
        return {"reservedSystemCPUs": whole}
    kube, system = (amounts.get(name, Quantity(0)) for amounts in (config.kube_reserved, config.system_reserved))
    threshold = Quantity(whole.as_number - kube.as_number - system.as_number, "binary")
    return {"kubeReserved": kube, "systemReserved": system, f"evictionHard {name}.available": threshold}


def _terms(amounts: Mapping[str, Quantity]) -> str:
    return " + ".join(f"{field} {amount}" for field, amount in amounts.items() if amount)
