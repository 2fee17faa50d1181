"""The features a target may claim, each with the surface through which it is tested."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..documentation.policies import policies_of
from ..errors import Fault, UsageError, closest
from ..managers.cpu import OPTION_NAMES

__all__ = ["FEATURES", "PROTOCOL", "SURFACES", "check_claims"]

PROTOCOL = "1"

SURFACES: Mapping[str, str] = {
    "pick": "one allocation from a set of free CPUs; stateless",
    "allocate": "one allocation of the static policy in a given state",
    "hints": "CPU hints in a given state",
    "merge": "merging provider hints under a Topology Manager policy",
    "classify": "QoS class and exclusive CPUs of a pod",
    "node": "the stateful manager stack of one node",
    "host": "reads a host tree; writes cpusets into a cgroup tree",
    "score": "NodeResourcesFit scoring and filtering",
}


def _features(field: str, room: str, text: str) -> dict[str, str]:
    """Return a feature for every value of a field that a Linux node may have."""
    return {f"{room}/{policy.feature}": f"{text} {policy.name}" for policy in policies_of(field) if policy.on_linux}


FEATURES: Mapping[str, str] = {
    **_features("cpuManagerPolicy", "cpu-manager", "CPU Manager policy"),
    **{f"cpu-manager/{option}": f"static policy option {option}" for option in OPTION_NAMES},
    "cpu-manager/hints": "NUMA hints for exclusive CPUs",
    "cpu-manager/init-containers": "exclusive CPUs of init containers and sidecars, and their reuse",
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
    "topology-manager/prefer-closest-numa-nodes": "policy option prefer-closest-numa-nodes",
    "topology-manager/max-allowable-numa-nodes": "policy option max-allowable-numa-nodes",
    "node/qos": "QoS classes and effective requests of pods",
    "node/restart": "state survives a restart of the node agent",
    "host/discover": "reading a host tree",
    "host/reconcile": "writing the cpusets of policy static into a cgroup tree",
    "scheduler/filter": "which resources are insufficient",
    **_features("scoringStrategy.type", "scheduler", "scoring strategy"),
}


def check_claims(surfaces: Iterable[str], features: Iterable[str], protocol: str) -> None:
    """Refuse claims that are not known; raises ``UsageError`` with all of them."""
    faults = [
        Fault(f"describe: {kind}", f"{name!r} is not known", suggestion=closest(name, known))
        for kind, names, known in (("surfaces", surfaces, SURFACES), ("features", features, FEATURES))
        for name in names
        if name not in known
    ]
    if protocol != PROTOCOL:
        faults.append(Fault("describe: protocol", f"is {protocol!r}", PROTOCOL))
    if faults:
        raise UsageError(faults)
