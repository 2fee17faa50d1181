"""Which NUMA nodes are hinted for devices: the walk through the Topology Manager, Hints of the Device Manager."""

from __future__ import annotations

from ..judge.checker import Guard, Judgement, checker, violated
from ..judge.offered import DeviceHints
from .wording import IMPOSSIBLE, is_impossible, listed, sets_told


def _named(hints: DeviceHints) -> list[int]:
    return [hint.nodes for hint in hints.offered or () if hint.nodes is not None]


def _fitting(hints: DeviceHints) -> list[int]:
    """Return the sets of NUMA nodes that have enough; of nodes near which no device lies none need be told."""
    return [
        nodes
        for nodes in hints.sets
        if not nodes & ~hints.near and hints.surely_hold(nodes) and hints.covers_reusable(nodes)
    ]


wants_devices = Guard[DeviceHints]("no devices are asked for", lambda hints: hints.asked)
some_are_named = Guard[DeviceHints]("no hint names NUMA nodes", lambda hints: _named(hints))
has_topology = Guard[DeviceHints]("the devices have no topology", lambda hints: hints.has_topology)
sets_are_known = Guard[DeviceHints](
    "the machine has too many NUMA nodes to look at every set of them", lambda hints: hints.sets
)
some_sets_fit = Guard[DeviceHints]("no set of NUMA nodes has so many free devices", lambda hints: _fitting(hints))
too_few_are_free = Guard[DeviceHints]("so many devices are free", lambda hints: not hints.enough)
some_are_reusable = Guard[DeviceHints]("no devices can be used again", lambda hints: hints.reusable)


@checker("device-manager/hints/every-hint-can-hold-the-request", DeviceHints, when=(wants_devices, some_are_named))
def every_hint_can_hold(hints: DeviceHints) -> Judgement:
    """A set of NUMA nodes with fewer free devices than asked for is no hint."""
    wrong = [nodes for nodes in _named(hints) if not hints.can_hold(nodes)]
    return violated(
        not wrong,
        f"{sets_told(wrong)} cannot give {hints.asked} of {hints.resource}",
        got=listed(hints.offered),
        allowed=f"NUMA nodes with {hints.asked} free devices",
    )


@checker(
    "device-manager/hints/every-hint-can-hold-the-request",
    DeviceHints,
    when=(wants_devices, has_topology, too_few_are_free),
)
def says_where_none_can(hints: DeviceHints) -> Judgement:
    """Fewer free devices than asked for: no hint, which is not the same as no opinion."""
    return violated(
        is_impossible(hints.offered),
        f"{hints.asked} of {hints.resource} are not free, and no opinion is told of it",
        got=listed(hints.offered),
        allowed=IMPOSSIBLE,
    )


@checker(
    "device-manager/hints/offers-every-set-that-fits",
    DeviceHints,
    when=(wants_devices, has_topology, some_sets_fit),
)
def offers_every_set(hints: DeviceHints) -> Judgement:
    """Every combination of NUMA nodes is looked at, and a device counts for any of its NUMA nodes."""
    fitting = _fitting(hints)
    missing = sorted(set(fitting).difference(_named(hints)))
    return violated(
        not missing,
        f"{sets_told(missing)} can give {hints.asked} of {hints.resource} and is not hinted",
        got=listed(hints.offered),
        allowed=sets_told(fitting),
    )


@checker(
    "device-manager/hints/preferred-is-narrowest",
    DeviceHints,
    when=(wants_devices, some_are_named, sets_are_known),
)
def preferred_is_narrowest(hints: DeviceHints) -> Judgement:
    """Preferred are the hints of as few NUMA nodes as the request ever needs."""
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


@checker(
    "device-manager/hints/covers-reusable-devices",
    DeviceHints,
    when=(wants_devices, some_are_reusable, some_are_named),
)
def covers_reusable_devices(hints: DeviceHints) -> Judgement:
    """Devices that ended init containers leave must be used up first: sets that miss them are dropped."""
    wrong = [nodes for nodes in _named(hints) if not hints.covers_reusable(nodes)]
    return violated(
        not wrong,
        f"{sets_told(wrong)} leave out devices that an ended init container of the pod has left",
        got=listed(hints.offered),
        allowed=f"sets near {', '.join(sorted(hints.reusable))}",
    )
