"""Whether a configuration can refuse a pod as some kubelet did: if not, it is not that kubelet's."""

from __future__ import annotations

from ...kube import KubeletConfiguration
from ..managers.policy_options import OptionError, parse_bool

_ALIGNING = ("restricted", "single-numa-node")
_WHOLE_CORES = "full-pcpus-only"


def why_never_refused(config: KubeletConfiguration, reason: str) -> str:
    """Return why a kubelet with this configuration refuses no pod for a reason; empty where it may."""
    policy = config.topology_manager_policy
    if reason == "TopologyAffinityError" and policy not in _ALIGNING:
        return f"{reason} comes of topologyManagerPolicy {' or '.join(_ALIGNING)}, and here it is {policy}"
    if reason == "SMTAlignmentError" and not _takes_whole_cores(config):
        return f"{reason} comes of policy static with the option {_WHOLE_CORES}, which is not set here"
    return ""


def _takes_whole_cores(config: KubeletConfiguration) -> bool:
    options = config.cpu_manager_policy_options or {}
    try:
        return config.cpu_manager_policy == "static" and parse_bool(_WHOLE_CORES, options.get(_WHOLE_CORES, "false"))
    except OptionError:
        return False
