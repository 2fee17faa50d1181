"""Device Manager: the topology part of device plugins."""

from __future__ import annotations

from .requirement import Requirement

__all__ = ["REQUIREMENTS"]

_PAGE = "Device Plugins"


def _requirement(id: str, text: str, *features: str, section: str, since: str = "1.18") -> Requirement:
    return Requirement(
        id=f"device-manager/{id}",
        text=text,
        page=_PAGE,
        section=section,
        since=since,
        features=("device-manager/allocation", *features),
        area="device-manager",
    )


_TOPOLOGY = "Device plugin integration with the Topology Manager"

REQUIREMENTS: tuple[Requirement, ...] = (
    _requirement(
        "allocation/gives-the-number-asked-for",
        "An admitted container has exactly as many devices of a resource as it asks for, each of that resource.",
        section="Device plugin implementation",
    ),
    _requirement(
        "allocation/shares-no-device",
        "No device is given to two containers that run at the same time.",
        section="Device plugin implementation",
    ),
    _requirement(
        "allocation/gives-healthy-devices-only",
        "Unhealthy devices are not given to containers.",
        section="Device plugin implementation",
    ),
    _requirement(
        "allocation/refuses-what-is-not-there",
        "A pod that asks for more devices than are free is refused and takes none.",
        section="Device plugin implementation",
    ),
    _requirement(
        "allocation/returns-devices-on-removal",
        "The devices of a removed pod are free again.",
        section="Device plugin implementation",
    ),
    _requirement(
        "topology/aligns-with-cpus",
        "Under single-numa-node the devices of a container are on the NUMA node of its exclusive CPUs.",
        "cpu-manager/static",
        "topology-manager/single-numa-node",
        section=_TOPOLOGY,
    ),
    _requirement(
        "topology/no-numa-nodes-means-no-preference",
        "A device without topology information gives no NUMA preference: it goes with whatever the rest prefers.",
        "topology-manager/single-numa-node",
        section=_TOPOLOGY,
    ),
    _requirement(
        "topology/a-device-may-have-several-nodes",
        "A device on several NUMA nodes counts as local to each of them.",
        "topology-manager/single-numa-node",
        section=_TOPOLOGY,
    ),
    _requirement(
        "preferred-allocation/is-followed",
        "Where the device plugin prefers devices among those that suit, these are given.",
        "device-manager/preferred-allocation",
        section="Device plugin implementation",
        since="1.19",
    ),
    _requirement(
        "restart/keeps-devices",
        "Containers keep their devices when the node agent restarts.",
        "node/restart",
        section="Handling kubelet restarts",
    ),
)
