"""The fields of every question: what varies them, or why generators do not."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["BY_HAND", "FIELDS"]

POD = ("class", "app containers", "beside the apps")
FIELDS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "pick": {
        "machine": ("NUMA nodes", "sockets", "sizes of NUMA nodes", "threads of cores"),
        "available": ("available",),
        "count": ("count",),
        "options": ("full-pcpus-only",),
        "affinity": ("affinity", "affinity preferred"),
    },
    "allocate": {
        "machine": ("NUMA nodes", "sockets", "sizes of NUMA nodes", "threads of cores"),
        "kubelet": ("CPU policy", "topology policy", "full-pcpus-only", "reservation"),
        "state": ("other pods", "held by the container", "reusable"),
        "pod": POD,
        "container": ("container",),
        "affinity": ("affinity", "affinity preferred"),
    },
    "hints": {
        "machine": ("NUMA nodes", "sockets", "sizes of NUMA nodes", "threads of cores"),
        "kubelet": ("CPU policy", "topology policy", "full-pcpus-only"),
        "state": ("other pods", "held by the container", "reusable"),
        "pod": POD,
        "container": ("container",),
    },
    "merge": {
        "policy": ("policy",),
        "options": ("prefer-closest-numa-nodes", "max-allowable-numa-nodes"),
        "nodes": ("NUMA nodes", "ids of NUMA nodes"),
        "distances": ("distances",),
        "providers": ("providers", "a provider without opinion", "a resource without opinion", "hints"),
    },
    "score": {
        "strategy": ("strategy", "resources", "weights", "extended resources that count"),
        "allocatable": ("extended resources that count",),
        "pods": ("pods on the node", "pods on the node with extended resources"),
        "pod": ("app containers", "beside the apps", "overhead"),
    },
    "classify": {"pod": (*POD, "containers with devices", "containers with limits alone", "huge page sizes")},
    "node.start": {
        "machine": ("NUMA nodes",),
        "kubelet": ("CPU policy", "topology policy", "scope", "memory policy", "gates", "options"),
        "files": ("files",),
    },
    "node.restart": {"kubelet": ("kubelet",), "files": ("files",)},
    "node.admit": {"pod": POD},
}
"""Method to field to the aspects that vary it; what pods that are admitted vary is in ``test_what_is_varied``."""
_A_POD = "the pods that are there: lives run and remove whichever came"
_TREE = {"host_root": "it is laid out where a target wants it; the machine is what is varied"}
_LISTED = "drawn of what the plugin lists, which only it decides"
BY_HAND: Mapping[str, Mapping[str, str]] = {
    "describe": {"protocol": "one version is spoken; others are asked by the tests of the protocol"},
    **dict.fromkeys(("pick", "allocate", "hints"), _TREE),
    "node.start": {
        "kubernetes_version": "the run's; gates and options are asked by version in conformance/cpu",
        **_TREE,
    },
    "plugin.start": {"machine": "those of the catalogue; nothing else of a machine is told to a plugin", **_TREE},
    "plugin.prefer": dict.fromkeys(("available", "included", "size"), _LISTED),
    "plugin.allocate": {"devices": _LISTED},
    "claims.start": {
        "machine": "those of the catalogue; nothing else of a machine is told to a driver",
        "reserved_cpus": "none, then one CPU",
        **_TREE,
    },
    "claims.prepare": {"claim": "allocated of what the driver publishes, which only it decides"},
    "claims.run": {"name": "only tells containers apart"},
    "claims.end": {"name": "only tells containers apart"},
    "claims.unprepare": dict.fromkeys(("uid", "namespace", "name"), "those of a claim, prepared or not"),
    "node.restart": {
        "at_once": "pages say nothing of what is written late; level exact asks it of recorded decisions",
    },
    "node.resize": {"pod": "other amounts of a pod that is there: up, down, beyond what is left, beyond what there is"},
    "node.run": {"uid": _A_POD},
    "node.remove": {"uid": _A_POD},
    "host.discover": {"root": "host trees are written out in conformance/host"},
    "host.reconcile": {"root": "cgroup trees are written out in conformance/host"},
}
"""Method to field to why generators do not vary it."""
