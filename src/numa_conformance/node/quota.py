"""CFS quota of containers: a bound on CPU time, also where CPUs are exclusive (CPU-CFS-01..04)."""

from __future__ import annotations

from ..documentation.quirks.node import NodeQuirks
from ..kube.container import Container
from ..kube.features import FeatureGates
from ..kube.kubelet_config import KubeletConfiguration

__all__ = ["PERIOD", "cfs_quota"]

PERIOD = 100_000
"""The period in microseconds; another one needs a feature gate of its own."""
LEAST = 1_000


def cfs_quota(
    container: Container, config: KubeletConfiguration, gates: FeatureGates, *, exclusive: bool, quirks: NodeQuirks
) -> int | None:
    """Return the quota in microseconds per ``PERIOD``, None for no bound.

    The documentation says that containers with exclusive CPUs are not bounded. The kubelet bounds them before v1.33,
    and later when the gate DisableCPUQuotaWithExclusiveCPUs is off: the quirk ``quota-on-exclusive-cpus``.
    """
    limit = container.limits.get("cpu")
    if not config.cpu_cfs_quota or limit is None or not limit:
        return None
    if exclusive and (not quirks.quota_on_exclusive_cpus or gates.enabled("DisableCPUQuotaWithExclusiveCPUs")):
        return None
    return max(limit.milli * PERIOD // 1000, LEAST)
