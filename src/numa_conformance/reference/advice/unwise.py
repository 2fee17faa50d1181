"""What a kubelet accepts in its configuration and is unwise, or changes nothing on this machine."""

from collections.abc import Iterator
from dataclasses import replace

from ...cpuset import CpuSet, format_bits
from ...errors import StartError
from ...kube import KubeletConfiguration, Pod, validate
from ...machine import Machine
from ...sources.configuration_fields import FIELDS
from ...sources.gates import all_gates
from ...sources.quirks import Quirks
from ...sources.versions import KubernetesVersion
from ..managers.policy_options import is_on
from ..node import Node
from .other_requests import admitted, free_cpus, gives_whole_cores
from .refused_configuration import Remark, refusals
from .remedies import WEAKER, whole_cores


def remarks_on_fields(config: KubeletConfiguration, version: KubernetesVersion) -> Iterator[Remark]:
    """Say which fields a version passes over, which gates it will, and what has no effect beside other fields."""
    for name in config.to_dict():
        described = FIELDS.get(name)
        if described and version < described.since:
            yield Remark("no effect", name, f"a kubelet of {version} passes over it: {described.since} has it first")
        elif described and described.idle_since and version >= described.idle_since:
            yield Remark("no effect", name, f"deprecated: a kubelet of {described.idle_since} or later does not use it")
    for name, on in config.feature_gates.items():
        state = all_gates()[name].history.at(version) if name in all_gates() else None
        if state and state.stage in ("ga", "deprecated"):
            text = f"the gate is {'GA' if state.stage == 'ga' else state.stage}: a later kubelet will not start with it"
            yield Remark("unwise", f"featureGates.{name}", text, "leave it out" if on == state.on else "")
    if config.topology_manager_policy == "none":
        for field, is_set in (
            ("topologyManagerScope", config.topology_manager_scope != "container"),
            ("topologyManagerPolicyOptions", bool(config.topology_manager_policy_options)),
        ):
            if is_set:
                yield Remark("no effect", field, "topologyManagerPolicy is none")
    if config.memory_manager_policy == "None" and config.reserved_memory:
        yield Remark("no effect", "reservedMemory", "memoryManagerPolicy is None")
    if config.reserved_system_cpus:
        for field, amounts in (("kubeReserved", config.kube_reserved), ("systemReserved", config.system_reserved)):
            if amounts.get("cpu"):
                yield Remark("no effect", f"{field}.cpu", "reservedSystemCPUs is counted in its place")
    if config.cpu_manager_policy == "static" and config.topology_manager_policy == "single-numa-node":
        field = "cpuManagerPolicyOptions.distribute-cpus-across-numa"
        if is_on(config, "distribute-cpus-across-numa"):
            yield Remark("no effect", field, "under topologyManagerPolicy single-numa-node all CPUs come from one node")


def remarks_on_machine(node: Node) -> Iterator[Remark]:
    """Say what is unwise or without effect on a node that came up and has no pods."""
    yield from _idle_options(node)
    yield from _idle_alignment(node)
    yield from _split_cores(node)
    yield from _sizes(node)


def _idle_options(node: Node) -> Iterator[Remark]:
    machine, config = node.machine, node.config
    smt = any(core.bit_count() > 1 for core in machine.core_bits)
    nodes = [cpus for cpus in machine.numa_bits.values() if cpus]
    one_node_each = all(sum(bool(cpus & socket) for cpus in nodes) == 1 for socket in machine.socket_bits.values())
    reasons = {
        "full-pcpus-only": not smt and "cores have one thread each",
        "distribute-cpus-across-cores": not smt and "cores have one thread each",
        "distribute-cpus-across-numa": len(nodes) == 1 and "there is one NUMA node",
        "align-by-socket": one_node_each and "each socket is one NUMA node",
        "prefer-align-cpus-by-uncorecache": len(machine.uncore_bits) <= 1 and "there is one uncore cache at most",
    }
    if config.cpu_manager_policy == "static":
        for name, why in reasons.items():
            if why and is_on(config, name):
                yield Remark("no effect", f"cpuManagerPolicyOptions.{name}", f"{why} on {machine.name}")
    options = config.topology_manager_policy_options or {}
    if config.topology_manager_policy != "none" and "prefer-closest-numa-nodes" in options:
        field = "topologyManagerPolicyOptions.prefer-closest-numa-nodes"
        if config.topology_manager_policy == "single-numa-node":
            yield Remark("no effect", field, "under topologyManagerPolicy single-numa-node there is one node to choose")
        elif len(machine.numa_ids) <= 2:
            yield Remark("no effect", field, f"{machine.name} has no three NUMA nodes to choose from")


def _idle_alignment(node: Node) -> Iterator[Remark]:
    config = node.config
    gives = config.cpu_manager_policy != "none" or config.memory_manager_policy != "None" or node.machine.devices
    if config.topology_manager_policy != "none" and not gives:
        text = f"cpuManagerPolicy and memoryManagerPolicy are none, and {node.machine.name} has no devices"
        yield Remark("no effect", "topologyManagerPolicy", f"there is nothing to align: {text}")


def _split_cores(node: Node) -> Iterator[Remark]:
    reserved = node.pools.reserved
    if reserved is None or not gives_whole_cores(node):
        return
    lost = sum(core for core in node.machine.core_bits if core & reserved) & ~reserved
    if lost:
        text = f"{format_bits(reserved)} splits cores: under full-pcpus-only no pod gets {format_bits(lost)} either"
        whole = format_bits(whole_cores(node.machine, reserved))
        yield Remark("unwise", "reservedSystemCPUs", text, f'set reservedSystemCPUs: "{whole}"')


def _sizes(node: Node) -> Iterator[Remark]:
    """Say which sizes are never admitted, though the empty node has as many CPUs: each is tried, memory set aside."""
    policy, most = node.config.topology_manager_policy, free_cpus(node).bit_count()
    if not most:
        return
    step = max(core.bit_count() for core in node.machine.core_bits) if gives_whole_cores(node) else 1
    sizes = range(step, most + 1, step)
    trial = _without_memory(node, policy)
    refused = [size for size in sizes if not _takes(trial, size)]
    if not refused:
        return
    who = "pods" if node.config.topology_manager_scope == "pod" else "containers"
    if refused == list(sizes[-len(refused) :]):
        which = f"of more than {refused[0] - step} CPUs"
    else:
        which = f"of {CpuSet(_filled(refused, step))} CPUs"
    text = f"the empty node refuses {who} {which}, of the {most} it has to give"
    others = ((name, _without_memory(node, name)) for name in WEAKER.get(policy, ()))
    weaker = next((name for name, other in others if all(_takes(other, size) for size in refused)), "")
    yield Remark("note", "topologyManagerPolicy", text, f"{weaker} admits them all" if weaker else "")


def _filled(sizes: list[int], step: int) -> list[int]:
    """Return the sizes with those between them that are never asked for, so that they print as ranges."""
    return [size for start in sizes for size in range(start, start + step) if size == start or start + step in sizes]


def _takes(node: Node, cpus: int) -> bool:
    limits = {"cpu": cpus, "memory": "1Mi"}
    pod = Pod.from_dict(
        {"metadata": {"name": "probe"}, "spec": {"containers": [{"name": "c", "resources": {"limits": limits}}]}}
    )
    return admitted(node, pod) is not None and node.remove(pod.uid)


def _without_memory(node: Node, policy: str) -> Node:
    """Return an empty node that aligns CPUs by a policy, and no memory: how much that would be is not known here."""
    return node.anew(replace(node.config, topology_manager_policy=policy, memory_manager_policy="None"))


def lint(
    config: KubeletConfiguration, version: KubernetesVersion, quirks: Quirks, machine: Machine | None = None
) -> list[Remark]:
    """Return what a kubelet refuses in a configuration or, where it comes up, what is unwise or without effect.

    Without a machine only what holds on every machine is said. Raises ``UsageError`` as ``Node`` does.
    """
    passed_over = [Remark("no effect", name, text) for name, text in config.passed_over_notices.items()]
    findings = [*passed_over, *refusals(config, version, quirks, machine)]
    if machine is None:
        return [*findings, *remarks_on_fields(config, version)]
    try:
        validate(config, version)
        node = Node(machine, config, kubernetes_version=version, quirks=quirks, resource_fit=True)
    except StartError as error:
        unnamed = Remark("refused", error.stage, error.message)
        return findings if findings[len(passed_over) :] else [*passed_over, unnamed]
    return [*passed_over, *remarks_on_fields(config, version), *remarks_on_machine(node)]
