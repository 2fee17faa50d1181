"""CPUs, memory and devices together, under the Topology Manager's policies."""

from __future__ import annotations

from ...cpuset import format_bits
from ..judge.alignment import whole_cores_only
from ..judge.checker import Judgement, checker, violated
from ..judge.choice import BY_SOCKET, WHOLE_CORES, cpus_of, touched
from ..judge.node_subjects import Admission
from ..judge.room import Request, Room
from ..judge.world import Held, World
from .wording import listed

ALIGNING = ("best-effort", "restricted", "single-numa-node")


def _one_request(admission: Admission) -> Request | None:
    """Return what is aligned at once; None where requests follow each other, or counting is not enough."""
    world, pod = admission.before, admission.pod
    settings = world.settings
    if admission.again or pod.whole or any(container.kind != "app" for container in pod.containers):
        return None
    if BY_SOCKET in settings.options or (WHOLE_CORES in settings.options and not whole_cores_only(world, pod)):
        return None
    asking = [container for container in pod.containers if not Request.of(world, pod, [container]).nothing]
    if settings.scope == "container" and len(asking) > 1:
        return None
    request = Request.of(world, pod, pod.containers)
    return None if request.nothing else request


def _leaves_nothing(world: World, request: Request) -> bool:
    return world.settings.strict and 0 < world.free.bit_count() <= request.cpus


@checker("topology-manager/admission/admits-what-one-node-holds", Admission)
def admits_what_one_node_holds(admission: Admission) -> Judgement:
    """What one NUMA node can give, CPUs, memory and devices together, is admitted under every policy."""
    world, request = admission.before, _one_request(admission)
    if request is None or _leaves_nothing(world, request):
        return None
    able = Room(world).nodes_that_hold(request, surely=True)
    if not able:
        return None
    return violated(
        admission.admitted,
        f"pod {admission.pod.uid} is refused where NUMA node {able[0]} has all it asks for",
        got=f"{admission.reason}: {admission.message}",
        allowed="admitted",
        free=world.free & world.machine.numa_bits[able[0]],
    )


@checker("topology-manager/restricted/admits-what-several-nodes-hold", Admission)
def admits_what_several_nodes_hold(admission: Admission) -> Judgement:
    """CPUs and memory that need several NUMA nodes, and as many, are admitted where so few of them are free."""
    world, request = admission.before, _one_request(admission)
    if world.settings.topology != "restricted" or request is None or not request.memory:
        return None
    able = [nodes for nodes in Room(world).surely_give(request) if nodes & (nodes - 1)]
    if not able or _leaves_nothing(world, request):
        return None
    return violated(
        admission.admitted,
        f"pod {admission.pod.uid} is refused where the NUMA nodes {format_bits(able[0])} prefer all it asks for",
        got=f"{admission.reason}: {admission.message}",
        allowed="admitted",
        free=world.free & cpus_of(world.machine, able[0]),
    )


@checker("memory-manager/static/uses-the-fewest-numa-nodes", Admission)
def memory_of_the_fewest_nodes(admission: Admission) -> Judgement:
    """Under a policy that aligns, memory comes from as few NUMA nodes as ever hold it, where so few can give all."""
    world, request = admission.before, _one_request(admission)
    if world.settings.topology not in ALIGNING or request is None or not request.memory or not admission.admitted:
        return None
    able = Room(world).surely_give(request)
    if not able:
        return None
    nodes = 0
    for held in admission.held.values():
        for block in held.memory or ():
            nodes |= block.nodes if block.bytes else 0
    width = able[0].bit_count()
    return violated(
        nodes.bit_count() <= width,
        f"the memory of pod {admission.pod.uid} comes from {nodes.bit_count()} NUMA nodes where {width} can give it",
        got=format_bits(nodes),
        allowed=" or ".join(map(format_bits, able)),
    )


@checker("topology-manager/single-numa-node/refuses-what-no-node-holds", Admission)
def single_refuses_what_no_node_holds(admission: Admission) -> Judgement:
    """Under single-numa-node a pod is refused when no NUMA node has its CPUs, memory and devices together."""
    world, request = admission.before, _one_request(admission)
    if world.settings.topology != "single-numa-node" or request is None:
        return None
    if not _narrow_devices(world, request) or Room(world).nodes_that_hold(request, surely=False):
        return None
    return violated(
        not admission.admitted,
        f"pod {admission.pod.uid} is admitted where no NUMA node has all it asks for",
        got="; ".join(f"{name}: {_told(held)}" for name, held in admission.held.items()),
        allowed="refused",
        free=world.free,
    )


@checker("topology-manager/restricted/refuses-what-nothing-prefers", Admission)
def restricted_refuses_what_nothing_prefers(admission: Admission) -> Judgement:
    """Under restricted a pod is refused when a resource is free on no set of as few NUMA nodes as it ever needs."""
    world, request = admission.before, _one_request(admission)
    if world.settings.topology != "restricted" or request is None or not Room(world).prefers_nothing(request):
        return None
    return violated(
        not admission.admitted,
        f"pod {admission.pod.uid} is admitted where nothing on so few NUMA nodes is free",
        got="; ".join(f"{name}: {_told(held)}" for name, held in admission.held.items()),
        allowed="refused",
        free=world.free,
    )


@checker("topology-manager/admission/keeps-together-what-one-node-holds", Admission)
def keeps_together(admission: Admission) -> Judgement:
    """Under a policy that aligns, CPUs, memory and devices come from one NUMA node where one can give them all."""
    world, request = admission.before, _one_request(admission)
    if world.settings.topology not in ALIGNING or request is None or not admission.admitted:
        return None
    if not _narrow_devices(world, request) or not Room(world).nodes_that_hold(request, surely=True):
        return None
    common = set(world.machine.numa_ids)
    for held in admission.held.values():
        common &= _nodes_of(world, held)
    return violated(
        common,
        f"what pod {admission.pod.uid} is given is not together on one NUMA node, though one could give it all",
        got="; ".join(f"{name}: {_told(held)}" for name, held in admission.held.items()),
        allowed="one NUMA node for all",
    )


@checker("topology-manager/admission/uses-the-merged-hint", Admission)
def uses_the_merged_hint(admission: Admission) -> Judgement:
    """The hint that is merged is stored, and used: what a container is told as its affinity is what was merged."""
    told = admission.alignments
    if not told or not admission.admitted or admission.again:
        return None
    whole = next((one.affinity for one in told if one.container is None), None)
    merged = {one.container: one.affinity for one in told}
    wrong = {
        name: held.affinity
        for name, held in admission.held.items()
        if held.affinity is not None and held.affinity != merged.get(name, whole)
    }
    return violated(
        not wrong,
        f"containers of pod {admission.pod.uid} have other affinities than were merged for them",
        got=", ".join(f"{name}: {listed([affinity])}" for name, affinity in wrong.items()),
        allowed=", ".join(f"{name}: {listed([affinity])}" for name, affinity in merged.items()),
    )


@checker("topology-manager/admission/aligns-init-containers-first", Admission)
def aligns_init_containers_first(admission: Admission) -> Judgement:
    """In scope container init containers come first, then app containers."""
    told = [one.container for one in admission.alignments or () if one.container is not None]
    if len(told) < 2 or admission.again:
        return None
    wanted = [container.name for container in admission.pod.containers][: len(told)]
    return violated(
        told == wanted,
        f"containers of pod {admission.pod.uid} are aligned in another order than they start in",
        got=", ".join(told),
        allowed=", ".join(wanted),
    )


@checker("topology-manager/admission/refuses-what-is-not-admitted", Admission)
def refuses_what_is_not_admitted(admission: Admission) -> Judgement:
    """The policy decides by the merged hint: a pod of which it does not admit a request is refused."""
    told = admission.alignments
    if not told or admission.again:
        return None
    return violated(
        all(one.admit for one in told) or not admission.admitted,
        f"pod {admission.pod.uid} is admitted though the policy does not admit what was merged for it",
        got="; ".join(listed([one.affinity]) for one in told),
        allowed="refused",
    )


def _nodes_of(world: World, held: Held) -> set[int]:
    """Return the NUMA nodes to which all that a container holds is local."""
    common = set(world.machine.numa_ids)
    if held.cpus:
        wide = touched(world.machine.numa_bits.values(), held.cpus)
        common &= {node for node, cpus in world.machine.numa_bits.items() if wide == [cpus]}
    for block in held.memory or ():
        if block.bytes:
            common &= {node for node in common if block.nodes == 1 << node}
    places = {(device.resource, device.id): device.numa for device in world.machine.devices}
    for name, ids in (held.devices or {}).items():
        for id in ids:
            numa = places.get((name, id), ())
            common &= set(numa) if numa else common
    return common


def _narrow_devices(world: World, request: Request) -> bool:
    """Whether every resource asked for has a topology, or none: where devices differ pages leave the rest open."""
    for name in request.devices:
        known = {bool(device.numa) for device in world.machine.devices if device.resource == name}
        if len(known) > 1:
            return False
    return True


def _told(held: Held) -> str:
    parts = [f"CPUs {format_bits(held.cpus)}"] if held.cpus else []
    parts += [f"{block.bytes} bytes of {block.type} on {format_bits(block.nodes)}" for block in held.memory or ()]
    parts += [f"{name} {', '.join(sorted(ids))}" for name, ids in (held.devices or {}).items() if ids]
    return ", ".join(parts) or "nothing of its own"
