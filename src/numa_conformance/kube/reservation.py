"""What a configuration keeps back from pods: CPUs (CPU-RSV-01..06) and memory (MEM-RSV-06, MEM-RSV-07)."""

from collections.abc import Mapping

from ..cpuset import CpuSet
from ..errors import CpuSetSyntaxError, StartError, faults_within
from .eviction import NO_THRESHOLD, share
from .kubelet_config import KubeletConfiguration
from .quantity import NOTHING, Quantity

_SIGNALS = {"memory.available": "memory", "nodefs.available": "ephemeral-storage"}


def explicit_reserved_cpus(config: KubeletConfiguration) -> int:
    """Return ``reservedSystemCPUs`` as bits, 0 when it is not set.

    Raises ``StartError`` with the kubelet's text for a list that does not parse (CPU-RSV-03).
    """
    text = config.reserved_system_cpus
    try:
        return CpuSet.parse(text).bits
    except CpuSetSyntaxError as error:
        wrong = f"unable to parse reservedSystemCPUs (--reserved-cpus) {text}, error: {error.kubelet_wording}"
        raise StartError("kubelet", f"invalid configuration: {wrong}") from error


def reserved_cpu_milli(config: KubeletConfiguration) -> int:
    """Return the reserved CPU amount in thousandths; an explicit set replaces both quantities (CPU-RSV-02, -04)."""
    if explicit := explicit_reserved_cpus(config):
        return explicit.bit_count() * 1000
    return (config.kube_reserved.get("cpu", NOTHING) + config.system_reserved.get("cpu", NOTHING)).milli


def node_reservation(config: KubeletConfiguration, capacity: Mapping[str, int]) -> dict[str, Quantity]:
    """Return systemReserved + kubeReserved + hard eviction per resource of ``capacity`` (MEM-RSV-06).

    ``capacity`` is the node's, in whole units (bytes); percentages are taken of it. Zero totals and resources that the
    node does not have are left out. Raises ``UsageError`` for an eviction threshold that is no amount.
    """
    explicit = explicit_reserved_cpus(config)
    totals: dict[str, Quantity] = {}
    for name in capacity:
        if name == "cpu" and explicit:
            total = Quantity(explicit.bit_count())
        else:
            total = config.system_reserved.get(name, NOTHING) + config.kube_reserved.get(name, NOTHING)
            total = total + _eviction(config, name, capacity[name])
        if total:
            totals[name] = total
    return totals


def _eviction(config: KubeletConfiguration, name: str, capacity: int) -> Quantity:
    """Return the hard eviction threshold that counts as reserved, nothing where there is none."""
    signal = next((signal for signal, resource in _SIGNALS.items() if resource == name), "")
    written = config.eviction_hard.get(signal, "0")
    if written in NO_THRESHOLD:
        return NOTHING
    with faults_within(f"evictionHard.{signal}"):
        if written.endswith("%"):
            return Quantity(int(float(capacity) * share(written)), "binary")
        return Quantity.parse(written)
