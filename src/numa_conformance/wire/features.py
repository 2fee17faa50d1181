"""The features a target may claim, each with the surface through which it is tested."""

from collections.abc import Iterable, Mapping

from ..errors import Fault, UsageError, closest
from ..sources.options import STATIC_OPTIONS, TOPOLOGY_OPTIONS
from ..sources.policies import policies_of
from .messages import FEATURES as OF_ONE_SURFACE
from .messages import SURFACES
from .messages.describe import PROTOCOL


def _features(field: str, room: str, text: str) -> dict[str, str]:
    """Return a feature for every value of a field that a Linux node may have."""
    known = (policy for policy in policies_of(field) if policy.platform != "windows")
    return {f"{room}/{policy.feature}": f"{text} {policy.name}" for policy in known}


FEATURES: Mapping[str, str] = {
    **_features("cpuManagerPolicy", "cpu-manager", "CPU Manager policy"),
    **{f"cpu-manager/{option}": f"static policy option {option}" for option in STATIC_OPTIONS},
    "cpu-manager/init-containers": "exclusive CPUs of init containers and sidecars, and their reuse",
    "cpu-manager/pod-level-resources": "CPUs of pods as a whole (gate PodLevelResourceManagers)",
    "cpu-manager/state-file": "the state file cpu_manager_state",
    "cpu-manager/reconcile": "the reconcile loop",
    **_features("memoryManagerPolicy", "memory-manager", "Memory Manager policy"),
    "memory-manager/hugepages": "huge pages in the Memory Manager",
    "memory-manager/state-file": "the state file memory_manager_state",
    "device-manager/allocation": "devices of device plugins, with NUMA affinity",
    "device-manager/preferred-allocation": "a device plugin's preferred allocation",
    "device-manager/state-file": "the state file kubelet_internal_checkpoint",
    **_features("topologyManagerPolicy", "topology-manager", "Topology Manager policy"),
    **_features("topologyManagerScope", "topology-manager/scope", "Topology Manager scope"),
    **{f"topology-manager/{option}": f"policy option {option}" for option in TOPOLOGY_OPTIONS},
    "node/restart": "state survives a restart of the node agent",
    **_features("scoringStrategy.type", "scheduler", "scoring strategy"),
    **OF_ONE_SURFACE,
}
"""Every feature of Kubernetes' pages; those of one surface alone stand beside its messages."""

PROMISES: Mapping[str, str] = {
    "node/fit": "a pod is refused whose requests, with those of the pods on the node, are more than pods may use",
    "pinning/mixed": "a container with a part of a CPU has CPUs of its own, and runs on shared ones beside",
    "pinning/pools-apart": "no two containers run on CPUs that only some of are the same: pools are apart",
    "pinning/reserved-pool": "containers of namespace kube-system run on the reserved CPUs",
}
"""What whole kubelets do besides, and daemons promise on pages of their own: asked of who claims it by name alone."""

KNOWN: Mapping[str, str] = {**FEATURES, **PROMISES}
"""Every feature that may be claimed."""


def check_claims(surfaces: Iterable[str], features: Iterable[str], protocol: str) -> None:
    """Refuse claims that are not known; raises ``UsageError`` with all of them."""
    faults = [
        Fault(f"describe: {kind}", f"{name!r} is not known", suggestion=closest(name, known))
        for kind, names, known in (("surfaces", surfaces, SURFACES), ("features", features, KNOWN))
        for name in names
        if name not in known
    ]
    if protocol != PROTOCOL:
        faults.append(other_version(protocol))
    if faults:
        raise UsageError(faults)


def other_version(protocol: str) -> Fault:
    """Return what is wrong with a target of another version of the protocol, and where the way to this one is told."""
    accepted = f"{PROTOCOL}; docs/target-messages.md, 'Targets of version 1', says what to change"
    return Fault("describe: protocol", f"is {protocol!r}, which is not spoken any more or not yet", accepted)
