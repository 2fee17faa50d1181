"""By which quirks the kubelet does not meet requirements: measured, as its code was asked at level ``documented``.

With one of the quirks off the shortest conversation that broke the requirement keeps it. Found with the reference at
level ``exact`` of 1.27 and 1.36; what a version shows follows from the spans of the quirks.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ...documentation.quirks import QUIRKS
from ...documentation.versions import KubernetesVersion

__all__ = ["DEPARTURES", "departing"]

_FULL = ("full-by-machine-average", "full-pcpus-only-takes-partial-cores", "reservation-by-allocator")

DEPARTURES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "cpu-manager/align-by-socket/stays-in-one-socket": ("align-by-socket-only-adds-hints",),
        "cpu-manager/distribute-cpus-across-cores/is-available": ("spread-by-cpu-id",),
        "cpu-manager/distribute-cpus-across-cores/takes-separate-cores": ("spread-by-cpu-id",),
        "cpu-manager/full-pcpus-only/gives-whole-cores": ("full-pcpus-only-takes-partial-cores",),
        "cpu-manager/prefer-align-cpus-by-uncorecache/stays-in-one-cache": ("uncore-odd-size-unaligned",),
        "cpu-manager/prefer-align-cpus-by-uncorecache/stays-in-one-cache-in-use": ("uncore-after-larger-groups",),
        "cpu-manager/reservation/ascending-core-ids": ("reservation-by-allocator",),
        "cpu-manager/reservation/is-never-exclusive": _FULL,
        "cpu-manager/reservation/stays-in-the-shared-pool": _FULL,
        "cpu-manager/reservation/takes-cores-in-ascending-order": ("reservation-by-allocator",),
        "cpu-manager/shared-pool/loses-nothing": _FULL,
        "cpu-manager/shared-pool/never-empties": ("strict-pool-may-empty",),
        "cpu-manager/state-file/assignments-survive-a-restart": (
            "restart-may-refuse-running-pods",
            "smt-check-before-own-cpus",
        ),
        "cpu-manager/static/apps-have-cpus-of-their-own": _FULL,
        "cpu-manager/static/exclusive-cpus-belong-to-one-pod": _FULL,
        "cpu-manager/static/exclusive-cpus-leave-the-shared-pool": _FULL,
        "cpu-manager/static/gives-free-cpus-only": _FULL,
        "cpu-manager/static/init-cpus-serve-later-containers": ("smt-check-ignores-reusable",),
        "cpu-manager/static/integral-guaranteed-is-exclusive": (
            "full-by-machine-average",
            "overlapping-groups-taken-twice",
        ),
        "cpu-manager/static/keeps-cpus-when-admitted-again": ("smt-check-before-own-cpus",),
        "cpu-manager/static/refuses-what-is-not-free": ("full-by-machine-average",),
        "cpu-manager/static/serves-what-is-free": ("smt-check-ignores-reusable",),
        "cpu-manager/strict-cpu-reservation/keeps-pods-off-reserved-cpus": _FULL,
        "memory-manager/hints/guaranteed-pods-have-some": ("init-only-types-are-dropped",),
        "node/admission/an-init-container-no-larger-changes-nothing": ("smt-check-ignores-reusable",),
        "qos/pod-total-is-the-larger-of-init-and-apps": ("sidecars-leave-their-resources",),
        "scheduler/requested-to-capacity-ratio/weighs-resources": ("ratio-drops-what-scores-zero",),
        "topology-manager/admission/admits-what-one-node-holds": ("devices-without-topology-never-count",),
        "topology-manager/max-allowable-numa-nodes/is-set-to-true": ("node-limit-needs-a-number",),
    }
)
"""Requirement to quirks."""


def departing(requirement: str, version: KubernetesVersion) -> tuple[str, ...]:
    """Return the quirks by which the kubelet of a version does not meet a requirement; none where it does."""
    return tuple(quirk for quirk in DEPARTURES.get(requirement, ()) if version in QUIRKS[quirk].versions)
