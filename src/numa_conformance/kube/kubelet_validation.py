"""What the kubelet refuses in its configuration before any manager is built."""

from __future__ import annotations

from collections.abc import Iterator

from ..documentation.policies import TOPOLOGY_POLICIES, TOPOLOGY_SCOPES
from ..documentation.versions import DEFAULT, KubernetesVersion
from ..errors import StartError
from .features import gate_faults
from .kubelet_config import KubeletConfiguration
from .reservation import explicit_reserved_cpus
from .resource_names import is_huge_page

__all__ = ["validate"]

_RESERVABLE = ("cpu", "memory", "ephemeral-storage", "pid")


def validate(config: KubeletConfiguration, kubernetes_version: str | KubernetesVersion = DEFAULT) -> None:
    """Check a configuration as the kubelet's own validator does, all messages at once.

    Raises ``StartError`` at stage ``kubelet``. Building the managers checks again what they use, with other words: a
    caller that builds them without this sees those. Whether reserved CPUs exist needs the machine and is not checked.
    """
    version = KubernetesVersion.supported(kubernetes_version)
    messages = list(dict.fromkeys(_messages(config.at(version), version)))
    if messages:
        raise StartError("kubelet", messages[0] if len(messages) == 1 else f"[{', '.join(messages)}]")


def _messages(config: KubeletConfiguration, version: KubernetesVersion) -> Iterator[str]:
    yield from gate_faults(version, config.feature_gates)
    yield from _topology(config)
    yield from _reserved_memory(config)
    yield from _reserved_cpus(config)
    for amounts in (config.kube_reserved, config.system_reserved):
        for name, amount in amounts.items():
            if name not in _RESERVABLE:
                yield f'cannot reserve "{name}" resource'
            elif amount.as_number < 0:
                yield f'resource quantity for "{name}" cannot be negative: {amount}'


def _topology(config: KubeletConfiguration) -> Iterator[str]:
    """TOPO-OPT-08."""
    for field, flag, value, known in (
        ("topologyManagerPolicy", "topology-manager-policy", config.topology_manager_policy, TOPOLOGY_POLICIES),
        ("topologyManagerScope", "topology-manager-scope", config.topology_manager_scope, TOPOLOGY_SCOPES),
    ):
        if value not in known:
            listed = " ".join(f'"{name}"' for name in known)
            yield f'invalid configuration: {field} (--{flag}) "{value}" must be one of: [{listed}]'


def _reserved_memory(config: KubeletConfiguration) -> Iterator[str]:
    """MEM-RSV-01, MEM-RSV-02, MEM-RSV-03."""
    seen: set[tuple[int, str]] = set()
    for entry in config.reserved_memory:
        node = entry.numa_node
        for name, amount in entry.limits.items():
            if name != "memory" and not is_huge_page(name):
                yield (
                    f'invalid configuration: the limit type "{name}" for NUMA node {node} is not supported, '
                    "only [memory hugepages-<HugePageSize>] is accepted"
                )
            if not amount:
                yield (
                    f'invalid configuration: reserved memory may not be zero for NUMA node {node} and resource "{name}"'
                )
            if (node, name) in seen:
                yield (
                    "invalid configuration: the reserved memory has a duplicate value for "
                    f'NUMA node {node} and resource "{name}"'
                )
            seen.add((node, name))


def _reserved_cpus(config: KubeletConfiguration) -> Iterator[str]:
    """CPU-RSV-03, as far as it needs no machine."""
    if not config.reserved_system_cpus:
        return
    if config.system_reserved_cgroup or config.kube_reserved_cgroup:
        yield (
            "invalid configuration: can't use reservedSystemCPUs (--reserved-cpus) with systemReservedCgroup "
            "(--system-reserved-cgroup) or kubeReservedCgroup (--kube-reserved-cgroup)"
        )
    try:
        explicit_reserved_cpus(config)
    except StartError as error:
        yield error.message
