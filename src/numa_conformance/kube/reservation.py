"""What a configuration keeps back from pods, and the kubelet's own checks of it."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from ..cpuset import CpuSet
from ..errors import CpuSetSyntaxError, StartError
from .kubelet_config import KubeletConfiguration
from .quantity import Quantity
from .resource_names import is_huge_page

__all__ = ["explicit_reserved_cpus", "node_reservation", "reserved_cpu_milli", "validate"]

DEFAULT_EVICTION = "100Mi"
"""Hard eviction of memory when the configuration names none (MEM-RSV-07)."""


def explicit_reserved_cpus(config: KubeletConfiguration) -> int:
    """Return ``reservedSystemCPUs`` as bits, 0 when it is not set.

    Raises ``StartError`` with the kubelet's text for a list that does not parse (CPU-RSV-03).
    """
    text = config.reserved_system_cpus
    try:
        return CpuSet.parse(text).bits
    except CpuSetSyntaxError as error:
        raise StartError(
            "kubelet",
            f"invalid configuration: unable to parse reservedSystemCPUs (--reserved-cpus) {text}, error: "
            f"{error.detail or _go_parse_error(error.item)}",
        ) from error


def _go_parse_error(item: str) -> str:
    """Word a number that does not parse as Go's strconv does."""
    first, dash, rest = item.partition("-")
    wrong = first if not (dash and first.isdecimal()) else rest
    return f'strconv.Atoi: parsing "{wrong}": invalid syntax'


def reserved_cpu_milli(config: KubeletConfiguration) -> int:
    """Return the reserved CPU amount in thousandths; an explicit set replaces both quantities (CPU-RSV-02, -04)."""
    explicit = explicit_reserved_cpus(config)
    if explicit:
        return explicit.bit_count() * 1000
    nothing = Quantity(0)
    return (config.kube_reserved.get("cpu", nothing) + config.system_reserved.get("cpu", nothing)).milli


def node_reservation(config: KubeletConfiguration, capacity: Mapping[str, int]) -> dict[str, Quantity]:
    """Return kubeReserved + systemReserved + hard eviction per resource other than cpu (MEM-RSV-06).

    ``capacity`` is the node's, in bytes; percentages are taken of it. Zero totals and resources that the node does not
    have are left out.
    """
    totals: dict[str, Quantity] = {}
    for name in capacity:
        total = config.kube_reserved.get(name, Quantity(0)) + config.system_reserved.get(name, Quantity(0))
        if name == "memory":
            total = total + _eviction(config, capacity[name])
        if total:
            totals[name] = total
    return totals


def _eviction(config: KubeletConfiguration, capacity: int) -> Quantity:
    written = DEFAULT_EVICTION if config.eviction_hard is None else config.eviction_hard.get("memory.available", "0")
    if written.endswith("%"):
        return Quantity(int(capacity * Fraction(written[:-1]) / 100), "binary")
    return Quantity.parse(written)


def validate(config: KubeletConfiguration) -> None:
    """Check what the kubelet's configuration validator checks before any manager is built.

    Names of policies are left to the managers, which refuse them with texts of their own. Raises ``StartError``.
    """
    explicit = explicit_reserved_cpus(config)
    if explicit and (config.system_reserved_cgroup or config.kube_reserved_cgroup):
        raise StartError(
            "kubelet",
            "invalid configuration: can't use reservedSystemCPUs (--reserved-cpus) with systemReservedCgroup "
            "(--system-reserved-cgroup) or kubeReservedCgroup (--kube-reserved-cgroup)",
        )
    problems = _reserved_memory_problems(config)
    if problems:
        raise StartError("kubelet", "; ".join(f"invalid configuration: {problem}" for problem in problems))


def _reserved_memory_problems(config: KubeletConfiguration) -> list[str]:
    """Return what is wrong with ``reservedMemory`` (MEM-RSV-01..03)."""
    problems = []
    seen: set[tuple[int, str]] = set()
    for entry in config.reserved_memory:
        for name, amount in sorted(entry.limits.items()):
            if name != "memory" and not is_huge_page(name):
                problems.append(
                    f'the limit type "{name}" for NUMA node {entry.numa_node} is not supported, '
                    "only [memory hugepages-<HugePageSize>] is accepted"
                )
            if not amount:
                problems.append(
                    f'reserved memory may not be zero for NUMA node {entry.numa_node} and resource "{name}"'
                )
            if (entry.numa_node, name) in seen:
                problems.append(
                    f'the reserved memory has a duplicate value for NUMA node {entry.numa_node} and resource "{name}"'
                )
            seen.add((entry.numa_node, name))
    return problems
