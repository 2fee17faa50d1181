"""What the kubelet refuses in its configuration before any manager is built."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import Fault, StartError, closest
from ..sources.policies import TOPOLOGY_POLICIES, TOPOLOGY_SCOPES
from ..sources.versions import DEFAULT, KubernetesVersion
from .features import gate_faults
from .kubelet_config import KubeletConfiguration
from .reservation import explicit_reserved_cpus
from .resource_names import is_huge_page

_RESERVABLE = ("cpu", "memory", "ephemeral-storage", "pid")


def validate(config: KubeletConfiguration, kubernetes_version: str | KubernetesVersion = DEFAULT) -> None:
    """Check a configuration as the kubelet's own validator does, all messages at once.

    Raises ``StartError`` at stage ``kubelet``. Building the managers checks again what they use, with other words: a
    caller that builds them without this sees those. Whether reserved CPUs exist needs the machine and is not checked.
    """
    messages = list(dict.fromkeys(fault.message for fault in validation_faults(config, kubernetes_version)))
    if messages:
        raise StartError("kubelet", messages[0] if len(messages) == 1 else f"[{', '.join(messages)}]")


def validation_faults(
    config: KubeletConfiguration, kubernetes_version: str | KubernetesVersion = DEFAULT
) -> list[Fault]:
    """Return what the kubelet's validator refuses, in its order and words, each with its field."""
    version = KubernetesVersion.supported(kubernetes_version)
    return list(_faults(config.at(version), version))


def _faults(config: KubeletConfiguration, version: KubernetesVersion) -> Iterator[Fault]:
    for text in gate_faults(version, config.feature_gates):
        yield Fault("featureGates", text)
    yield from _topology(config)
    yield from _reserved_memory(config)
    yield from _reserved_cpus(config)
    for field, amounts in (("kubeReserved", config.kube_reserved), ("systemReserved", config.system_reserved)):
        for name, amount in amounts.items():
            if name not in _RESERVABLE:
                near = closest(name, _RESERVABLE)
                yield Fault(f"{field}.{name}", f'cannot reserve "{name}" resource', ", ".join(_RESERVABLE), near)
            elif amount.as_number < 0:
                yield Fault(f"{field}.{name}", f'resource quantity for "{name}" cannot be negative: {amount}')


def _topology(config: KubeletConfiguration) -> Iterator[Fault]:
    """TOPO-OPT-08."""
    for field, flag, value, known in (
        ("topologyManagerPolicy", "topology-manager-policy", config.topology_manager_policy, TOPOLOGY_POLICIES),
        ("topologyManagerScope", "topology-manager-scope", config.topology_manager_scope, TOPOLOGY_SCOPES),
    ):
        if value not in known:
            listed = " ".join(f'"{name}"' for name in known)
            text = f'invalid configuration: {field} (--{flag}) "{value}" must be one of: [{listed}]'
            yield Fault(field, text, suggestion=closest(value, known))


def _reserved_memory(config: KubeletConfiguration) -> Iterator[Fault]:
    """MEM-RSV-01, MEM-RSV-02, MEM-RSV-03."""
    known: set[tuple[int, str]] = set()
    for index, entry in enumerate(config.reserved_memory):
        node = entry.numa_node
        for name, amount in entry.limits.items():
            field = f"reservedMemory[{index}].limits.{name}"
            if name != "memory" and not is_huge_page(name):
                yield Fault(
                    field,
                    f'invalid configuration: the limit type "{name}" for NUMA node {node} is not supported, '
                    "only [memory hugepages-<HugePageSize>] is accepted",
                )
            if not amount:
                text = f'reserved memory may not be zero for NUMA node {node} and resource "{name}"'
                yield Fault(field, f"invalid configuration: {text}")
            if (node, name) in known:
                yield Fault(
                    field,
                    "invalid configuration: the reserved memory has a duplicate value for "
                    f'NUMA node {node} and resource "{name}"',
                )
            known.add((node, name))


def _reserved_cpus(config: KubeletConfiguration) -> Iterator[Fault]:
    """CPU-RSV-03, as far as it needs no machine."""
    if not config.reserved_system_cpus:
        return
    if config.system_reserved_cgroup or config.kube_reserved_cgroup:
        yield Fault(
            "reservedSystemCPUs",
            "invalid configuration: can't use reservedSystemCPUs (--reserved-cpus) with systemReservedCgroup "
            "(--system-reserved-cgroup) or kubeReservedCgroup (--kube-reserved-cgroup)",
        )
    try:
        explicit_reserved_cpus(config)
    except StartError as error:
        yield Fault("reservedSystemCPUs", error.message, "a list such as 0-3,8")
