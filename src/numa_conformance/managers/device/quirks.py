"""Where the Device Manager departs from its documentation."""

from __future__ import annotations

from ...quirk import Quirk

__all__ = ["QUIRKS"]

QUIRKS: tuple[Quirk, ...] = (
    Quirk(
        id="devices-without-topology-never-count",
        area="device",
        rule="DEV-HINT-06",
        summary="of a resource that mixes devices with and without topology only the former count for hints, so a "
        "request that the free devices could meet may be impossible",
        documented="a device without topology information gives no NUMA preference and suits every NUMA node",
        versions="1.18+",
    ),
)
