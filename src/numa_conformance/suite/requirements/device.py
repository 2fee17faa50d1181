"""Device Manager: the topology part of device plugins."""

from __future__ import annotations

from .requirement import Family, Requirement

_requirement = Family(since="1.18", features=("device-manager/allocation",))

REQUIREMENTS: tuple[Requirement, ...] = (
    _requirement(
        "device-manager/allocation/gives-the-number-asked-for",
        "An admitted container has exactly as many devices of a resource as it asks for, each of that resource.",
        statements=("device-plugins/example/gets-what-it-asks-for", "device-plugins/registration/whole-numbers"),
    ),
    _requirement(
        "device-manager/allocation/shares-no-device",
        "No device is given to two containers that run at the same time.",
        statements=("device-plugins/registration/not-shared",),
    ),
    _requirement(
        "device-manager/allocation/gives-healthy-devices-only",
        "Unhealthy devices are not given to containers.",
        statements=("device-plugins/unhealthy/lower-allocatable",),
    ),
    _requirement(
        "device-manager/allocation/refuses-what-is-not-there",
        "A pod that asks for more devices than are free is refused and takes none.",
        statements=(
            "device-plugins/example/gets-what-it-asks-for",
            "device-plugins/registration/whole-numbers",
            "topology-source/device-hints/too-few-free",
        ),
    ),
    _requirement(
        "device-manager/allocation/returns-devices-on-removal",
        "The devices of a removed pod are free again.",
        statements=("device-plugins/example/remainder-is-free",),
        beyond="No page says when the devices of a removed pod are free.",
    ),
    _requirement(
        "device-manager/topology/aligns-with-cpus",
        "Under single-numa-node the devices of a container are on the NUMA node of its exclusive CPUs.",
        "cpu-manager/static",
        "topology-manager/single-numa-node",
        statements=(
            "device-plugins/topology/numa-nodes-are-used",
            "topology/interactions/spec-3-hints",
            "topology-source/machine/three-providers",
            "nrm/head/aligns-cpus-and-devices",
        ),
    ),
    _requirement(
        "device-manager/topology/no-numa-nodes-means-no-preference",
        "A device without topology information gives no NUMA preference: it goes with whatever the rest prefers.",
        "topology-manager/single-numa-node",
        statements=("device-plugins/topology/no-nodes-no-preference",),
    ),
    _requirement(
        "device-manager/topology/a-device-may-have-several-nodes",
        "A device on several NUMA nodes counts as local to each of them.",
        "topology-manager/single-numa-node",
        statements=("device-plugins/topology/several-nodes", "topology-source/device-hints/any-of-its-nodes"),
    ),
    _requirement(
        "device-manager/preferred-allocation/is-followed",
        "Where the device plugin prefers devices among those that suit, these are given.",
        "device-manager/preferred-allocation",
        statements=("device-plugins/implementation/preference-is-a-help",),
        since="1.19",
        beyond="The page says that the preference need not be followed.",
        strength="SHOULD",
    ),
    _requirement(
        "device-manager/restart/keeps-devices",
        "Containers keep their devices when the node agent restarts.",
        "node/restart",
        statements=("topology-source/admission/again-after-a-restart",),
        beyond="No page says that containers keep their devices over a restart of the kubelet.",
        strength="SHOULD",
    ),
)
