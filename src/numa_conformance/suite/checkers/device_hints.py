"""Which NUMA nodes are hinted for devices: the walk through the Topology Manager, Hints of the Device Manager."""

from __future__ import annotations

from ..judge.checker import Judgement, checker, violated
from ..judge.offered import DeviceHints
from .wording import listed, sets_told


def _named(hints: DeviceHints) -> list[int]:
    return [hint.nodes for hint in hints.offered or () if hint.nodes is not None]


@checker("device-manager/hints/every-hint-can-hold-the-request", DeviceHints)
def every_hint_can_hold(hints: DeviceHints) -> Judgement:
    """A set of NUMA nodes with fewer free devices than asked for is no hint."""
    named = _named(hints)
    if not hints.asked or not named:
        return None
    wrong = [nodes for nodes in named if not hints.can_hold(nodes)]
    return violated(
        not wrong,
        f"{sets_told(wrong)} cannot give {hints.asked} of {hints.resource}",
        got=listed(hints.offered),
        allowed=f"NUMA nodes with {hints.asked} free devices",
    )


@checker("device-manager/hints/offers-every-set-that-fits", DeviceHints)
def offers_every_set(hints: DeviceHints) -> Judgement:
    """Every combination of NUMA nodes is looked at, and a device counts for any of its NUMA nodes."""
    if not hints.asked or not hints.has_topology or hints.mixed:
        return None
    fitting = [nodes for nodes in hints.sets if hints.can_hold(nodes) and hints.covers_reusable(nodes)]
    if not fitting:
        return None
    missing = sorted(set(fitting).difference(_named(hints)))
    return violated(
        not missing,
        f"{sets_told(missing)} can give {hints.asked} of {hints.resource} and is not hinted",
        got=listed(hints.offered),
        allowed=sets_told(fitting),
    )


@checker("device-manager/hints/preferred-is-narrowest", DeviceHints)
def preferred_is_narrowest(hints: DeviceHints) -> Judgement:
    """Preferred are the hints of as few NUMA nodes as the request ever needs."""
    if not hints.asked or not _named(hints) or hints.mixed or not hints.sets:
        return None
    named = [hint for hint in hints.offered or () if hint.nodes is not None]
    fits = any(
        all(hint.preferred == ((hint.nodes or 0).bit_count() == width) for hint in named) for width in hints.widths
    )
    return violated(
        fits,
        "other hints are preferred than the narrowest",
        got=listed(hints.offered),
        allowed=f"preferred are sets of {' or '.join(map(str, sorted(hints.widths)))} NUMA nodes, no others",
    )


@checker("device-manager/hints/covers-reusable-devices", DeviceHints)
def covers_reusable_devices(hints: DeviceHints) -> Judgement:
    """Devices that ended init containers leave must be used up first: sets that miss them are dropped."""
    named = _named(hints)
    if not hints.asked or not hints.reusable or not named:
        return None
    wrong = [nodes for nodes in named if not hints.covers_reusable(nodes)]
    return violated(
        not wrong,
        f"{sets_told(wrong)} leave out devices that an ended init container of the pod has left",
        got=listed(hints.offered),
        allowed=f"sets near {', '.join(sorted(hints.reusable))}",
    )
