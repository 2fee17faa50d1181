"""CFS quota of containers: a bound on CPU time, also where CPUs are exclusive (CPU-CFS-01..04)."""

from ...kube.container import Container
from ...kube.features import FeatureGates
from ...kube.kubelet_config import KubeletConfiguration
from ...kube.quantity import microseconds
from ...sources.defaults import CPU_CFS_QUOTA_PERIOD
from ...sources.gates import GATES
from ...sources.quirks.areas import NodeQuirks
from ...sources.versions import KubernetesVersion

_GATE = "DisableCPUQuotaWithExclusiveCPUs"
LEAST = 1_000
"""No quota is smaller, in microseconds."""


def cfs_period(version: KubernetesVersion) -> int:
    """Return the period in microseconds; another one than the default needs a feature gate of its own."""
    return microseconds(CPU_CFS_QUOTA_PERIOD.at(version))


def cfs_quota(
    container: Container, config: KubeletConfiguration, gates: FeatureGates, *, exclusive: bool, quirks: NodeQuirks
) -> int | None:
    """Return the quota in microseconds per ``cfs_period``, None for no bound.

    Containers with exclusive CPUs are not bounded while the gate DisableCPUQuotaWithExclusiveCPUs is on. Before v1.33
    there is no such gate, and the kubelet bounds them: the quirk ``quota-on-exclusive-cpus``.
    """
    limit = container.limits.get("cpu")
    if not config.cpu_cfs_quota or limit is None or not limit:
        return None
    has_gate = GATES[_GATE].history.at(gates.version) is not None
    if exclusive and (gates.enabled(_GATE) if has_gate else not quirks.quota_on_exclusive_cpus):
        return None
    return max(limit.milli * cfs_period(gates.version) // 1000, LEAST)
