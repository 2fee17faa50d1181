"""What can be seen of a kubelet from outside, and so is claimed for it."""

from __future__ import annotations

from ...sources.versions import KubernetesVersion
from ...wire.features import FEATURES

_ROOMS = ("cpu-manager/", "memory-manager/", "device-manager/", "topology-manager/", "node/")
_UNSEEN = frozenset(
    {
        "cpu-manager/hints",  # they are asked for, not told
        "cpu-manager/reconcile",  # the kubelet makes its passes when it likes
        "node/hints",
        "node/resize",  # asked for by the API server, which is not there
        "node/writes",  # files are seen as they are, not as they were
        "topology-manager/prefer-closest-numa-nodes",  # judged by merges, which a node does not show
    }
)


_UNTOLD = frozenset(
    {
        "affinity",  # the hint that was merged stays inside
        "memory_state",  # told of starts and admissions; what is removed is let go of when the next pod comes
        "reserved_cpus",  # under policy none no CPUs are told to be allocatable
        "allocatable_cpus",
    }
)
_CLASS_OF_REFUSED_SINCE = KubernetesVersion(1, 32)


def claimed_features(version: KubernetesVersion) -> frozenset[str]:
    """Return the features of the surface ``node`` that show, at any version."""
    return frozenset(name for name in FEATURES if name.startswith(_ROOMS)) - _UNSEEN


def untold_fields(version: KubernetesVersion) -> frozenset[str]:
    """Return the fields of answers that the kubelet of a version does not show, or not always."""
    return _UNTOLD if version >= _CLASS_OF_REFUSED_SINCE else _UNTOLD | {"qos"}
