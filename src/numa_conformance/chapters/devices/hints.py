"""Which NUMA nodes are hinted for devices. Page: the walk through the Topology Manager, Hints of the Device Manager."""

from ...judging.chapter import Chapter, Judgement, applies, judges, recommended_by, violated
from ...judging.offered import DeviceHints
from ..memory.hints import prefers_the_narrowest
from ..outcomes import listed, must_give_no_hint, sets_text

chapter = Chapter("node/hints", "device-manager/allocation", since="1.27")


def wanted(hints: DeviceHints) -> None:
    applies(hints.count, "no devices are asked for")


@chapter.requires("device-manager/hints/every-hint-can-hold-the-request")
@recommended_by("topology-source/device-hints/too-few-free", "kep-693/hints/masks-can-satisfy")
def every_hint_can_hold(hints: DeviceHints) -> Judgement:
    """The NUMA nodes of a hint have as many free devices as are asked for. Where fewer are free there is no hint, which
    is not the same as no opinion.
    """
    wanted(hints)
    sets = applies(_sets(hints), "no hint names NUMA nodes")
    wrong = [nodes for nodes, _ in sets if not hints.can_hold(nodes)]
    why = f"{sets_text(wrong)} cannot give {hints.count} of {hints.resource}"
    return violated(not wrong, why, got=listed(hints.offered), allowed=f"NUMA nodes with {hints.count} free devices")


@judges("device-manager/hints/every-hint-can-hold-the-request")
def gives_no_hint_where_none_can(hints: DeviceHints) -> Judgement:
    """Fewer free devices than asked for: no hint, which is not the same as no opinion."""
    wanted(hints)
    applies(hints.has_topology, "the devices have no topology")
    applies(not hints.enough, "so many devices are free")
    why = f"{hints.count} of {hints.resource} are not free, and no opinion is given on it"
    return must_give_no_hint(hints.offered, why)


@chapter.requires("device-manager/hints/offers-every-set-that-fits")
@recommended_by("topology-source/device-hints/every-combination", "topology-source/device-hints/any-of-its-nodes")
def offers_every_set(hints: DeviceHints) -> Judgement:
    """Every set of NUMA nodes with enough free devices is hinted; a device counts for any of its nodes."""
    wanted(hints)
    applies(hints.has_topology, "the devices have no topology")
    near = [nodes for nodes in hints.sets if not nodes & ~hints.near]  # of others none need be told
    able = [nodes for nodes in near if hints.surely_hold(nodes) and hints.covers_reusable(nodes)]
    fitting = applies(able, "no set of NUMA nodes has so many free devices")
    missing = sorted(set(fitting).difference(nodes for nodes, _ in _sets(hints)))
    why = f"{sets_text(missing)} can give {hints.count} of {hints.resource} and is not hinted"
    return violated(not missing, why, got=listed(hints.offered), allowed=sets_text(fitting))


@chapter.requires("device-manager/hints/preferred-is-narrowest")
@recommended_by("topology-source/device-hints/narrowest-is-preferred")
def preferred_is_narrowest(hints: DeviceHints) -> Judgement:
    """Preferred are hints of as few NUMA nodes as ever have so many devices."""
    wanted(hints)
    return prefers_the_narrowest(hints, _sets(hints), listed(hints.offered))


@chapter.requires("device-manager/hints/covers-reusable-devices", "cpu-manager/init-containers")
@recommended_by("topology-source/device-hints/reusable-first")
def covers_reusable_devices(hints: DeviceHints) -> Judgement:
    """Devices that ended init containers leave must be used up first: hints that miss them are dropped."""
    wanted(hints)
    applies(hints.reusable, "no devices can be used again")
    sets = applies(_sets(hints), "no hint names NUMA nodes")
    wrong = [nodes for nodes, _ in sets if not hints.covers_reusable(nodes)]
    why = f"{sets_text(wrong)} leave out devices that an ended init container of the pod has left"
    return violated(not wrong, why, got=listed(hints.offered), allowed=f"sets near {', '.join(sorted(hints.reusable))}")


def _sets(hints: DeviceHints) -> list[tuple[int, bool]]:
    """Return the hints that name NUMA nodes: these (bits), and whether it is preferred."""
    return [(hint.nodes, hint.preferred) for hint in hints.offered or () if hint.nodes is not None]
