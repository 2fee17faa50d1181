"""CPUs, memory and devices together, under the Topology Manager's policies."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import or_

from ...cpuset import bit_of, format_bits
from ..judge.alignment import whole_cores_only
from ..judge.checker import Guard, Judgement, Violation, checker, violated
from ..judge.choice import BY_SOCKET, WHOLE_CORES, touched
from ..judge.node_subjects import Admission
from ..judge.room import Request, Room, memory_of
from ..judge.world import Held, World
from .admissions import ALIGNING, must_be_admitted, must_be_refused
from .guards import admitted, for_the_first_time, of_containers, refused, under, without_option
from .refusals import NOT_ALIGNED
from .wording import in_words, listed


def request_of(admission: Admission) -> Request:
    """Add up what all containers of the pod ask for."""
    return Request.of(admission.before, admission.pod, admission.pod.containers)


with_app_containers_only = Guard[Admission](
    "the pod has init containers",
    lambda admission: all(container.kind == "app" for container in admission.pod.containers),
)
counting_is_enough = Guard[Admission](
    "parts of cores are free or asked for under full-pcpus-only",
    lambda admission: (
        WHOLE_CORES not in admission.settings.options or whole_cores_only(admission.before, admission.pod)
    ),
)


def _aligned_at_once(admission: Admission) -> bool:
    world, pod = admission.before, admission.pod
    if admission.settings.scope == "container":
        return sum(not Request.of(world, pod, [container]).nothing for container in pod.containers) == 1
    return not request_of(admission).nothing


knows_what_is_free = Guard[Admission](
    "it is not told which CPUs are reserved",
    lambda admission: admission.before.knows_reserved or not admission.pod.exclusive,
)
aligned_at_once = Guard[Admission]("nothing is aligned, or containers are one by one", _aligned_at_once)


def _leaving_a_cpu(admission: Admission) -> bool:
    world = admission.before
    return not (world.strict and 0 < world.free.bit_count() <= request_of(admission).cpus)


leaving_a_cpu = Guard[Admission]("the pod might empty the shared pool", _leaving_a_cpu)
with_memory = Guard[Admission]("the pod is given no memory of its own", lambda admission: request_of(admission).memory)


def able_nodes(admission: Admission, *, surely: bool = True) -> list[int]:
    """Return the NUMA nodes that can give all that the pod asks for."""
    return Room(admission.before).nodes_that_hold(request_of(admission), surely=surely)


def _able_sets(admission: Admission) -> list[int]:
    request = request_of(admission)
    if admission.settings.topology == "none":
        request = Request(0, request.memory, {})  # nothing is aligned with the memory
    return Room(admission.before).surely_give(request)


one_node_can_give_all = Guard[Admission](
    "no NUMA node can give all that the pod asks for", lambda admission: able_nodes(admission)
)
no_node_can_give_all = Guard[Admission](
    "one NUMA node may give all that the pod asks for", lambda admission: not able_nodes(admission, surely=False)
)
few_nodes_can_give_all = Guard[Admission](
    "no NUMA nodes, as few as ever hold it, can give all of its CPUs and memory",
    lambda admission: _able_sets(admission),
)
several_nodes_can_give_all = Guard[Admission](
    "no several NUMA nodes, as few as ever hold it, can give all of its CPUs and memory",
    lambda admission: any(nodes & (nodes - 1) for nodes in _able_sets(admission)),
)
nothing_is_preferred = Guard[Admission](
    "every resource may be free on as few NUMA nodes as it ever needs",
    lambda admission: Room(admission.before).prefers_nothing(request_of(admission)),
)


AT_ONCE = (
    for_the_first_time,
    of_containers,
    with_app_containers_only,
    without_option(BY_SOCKET),
    counting_is_enough,
    knows_what_is_free,
    aligned_at_once,
)


@checker(
    "topology-manager/admission/admits-what-one-node-holds",
    Admission,
    when=(*AT_ONCE, leaving_a_cpu, one_node_can_give_all),
)
def admits_what_one_node_holds(admission: Admission) -> Judgement:
    """What one NUMA node can give, CPUs, memory and devices together, is admitted under every policy."""
    node = able_nodes(admission)[0]
    return must_be_admitted(admission, f"though NUMA node {node} has all it asks for")


@checker(
    "topology-manager/restricted/admits-what-several-nodes-hold",
    Admission,
    when=(under("restricted"), *AT_ONCE, with_memory, several_nodes_can_give_all, leaving_a_cpu),
)
def admits_what_several_nodes_hold(admission: Admission) -> Judgement:
    """CPUs and memory that need several NUMA nodes, and as many, are admitted where so few of them are free."""
    nodes = next(nodes for nodes in _able_sets(admission) if nodes & (nodes - 1))
    return must_be_admitted(admission, f"though the NUMA nodes {format_bits(nodes)} prefer all it asks for")


merges_are_told = Guard[Admission]("it is not told how hints were merged", lambda admission: admission.alignments)
of_one_container = Guard[Admission](
    "several containers have memory of their own",
    lambda admission: (
        sum(bool(memory_of(admission.before, admission.pod, each)) for each in admission.pod.containers) == 1
    ),
)
for_one_container_or_aligned = Guard[Admission](
    "nothing is aligned, and several containers have memory of their own",
    lambda admission: admission.settings.topology in ALIGNING or of_one_container.holds(admission),
)
some_hold_it_around_the_affinity = Guard[Admission](
    "no NUMA nodes that give no memory yet hold it together with the affinity",
    lambda admission: _fewest_around(admission),
)


def _memory_nodes(admission: Admission) -> int:
    """Return the NUMA nodes (bits) from which the pod's memory comes."""
    blocks = (block for held in admission.held.values() for block in held.memory or () if block.bytes)
    return reduce(or_, (block.nodes for block in blocks), 0)


@checker(
    "memory-manager/static/uses-the-fewest-numa-nodes",
    Admission,
    when=(*AT_ONCE, with_memory, for_one_container_or_aligned, admitted, few_nodes_can_give_all),
)
def memory_of_the_fewest_nodes(admission: Admission) -> Judgement:
    """Memory comes from as few NUMA nodes as ever hold it, where so few can give all that is aligned with it."""
    able, nodes = _able_sets(admission), _memory_nodes(admission)
    width = able[0].bit_count()
    return violated(
        nodes.bit_count() <= width,
        f"the memory of pod {admission.pod.uid} comes from {nodes.bit_count()} NUMA nodes where {width} can give it",
        got=format_bits(nodes),
        allowed=" or ".join(map(format_bits, able)),
    )


def _fewest_around(admission: Admission) -> int:
    """Return how many NUMA nodes at least hold the memory with all of the affinity, none of which gives any yet."""
    affinity = (admission.alignments or ())[-1].affinity.nodes or 0
    return Room(admission.before).fewest_around(affinity, request_of(admission).memory)


@checker(
    "memory-manager/static/uses-the-fewest-numa-nodes",
    Admission,
    when=(*AT_ONCE, merges_are_told, with_memory, of_one_container, admitted, some_hold_it_around_the_affinity),
)
def memory_of_the_fewest_nodes_around(admission: Admission) -> Judgement:
    """Where the affinity does not hold the memory, no more NUMA nodes are added to it than need be."""
    nodes, width = _memory_nodes(admission), _fewest_around(admission)
    return violated(
        nodes.bit_count() <= width,
        f"the memory of pod {admission.pod.uid} comes from {nodes.bit_count()} NUMA nodes where {width} can give it",
        got=format_bits(nodes),
        allowed=f"{width} NUMA nodes at most",
    )


all_is_there = Guard[Admission](
    "the node as a whole has not all that the pod asks for, and a CPU beside",
    lambda admission: Room(admission.before).has(request_of(admission)),
)


@checker(
    "topology-manager/best-effort/admits-unaligned-pods",
    Admission,
    when=(
        under("best-effort"),
        *AT_ONCE,
        merges_are_told,
        with_memory,
        of_one_container,
        some_hold_it_around_the_affinity,
        all_is_there,
    ),
)
def best_effort_admits_what_is_elsewhere(admission: Admission) -> Judgement:
    """An affinity that does not hold the memory is no reason to refuse, where unused NUMA nodes beside it do."""
    width = _fewest_around(admission)
    return must_be_admitted(admission, f"though {width} NUMA nodes, those of its affinity among them, hold its memory")


@checker(
    "topology-manager/single-numa-node/refuses-what-no-node-holds",
    Admission,
    when=(under("single-numa-node"), *AT_ONCE, no_node_can_give_all),
)
def single_refuses_what_no_node_holds(admission: Admission) -> Judgement:
    """Under single-numa-node a pod is refused when no NUMA node has its CPUs, memory and devices together."""
    return _refused_as_unaligned(admission, "though no NUMA node has all it asks for")


@checker(
    "topology-manager/restricted/refuses-what-nothing-prefers",
    Admission,
    when=(under("restricted"), *AT_ONCE, nothing_is_preferred),
)
def restricted_refuses_what_nothing_prefers(admission: Admission) -> Judgement:
    """Under restricted a pod is refused when a resource is free on no set of as few NUMA nodes as it ever needs."""
    return _refused_as_unaligned(admission, "though nothing on so few NUMA nodes is free")


def _refused_as_unaligned(admission: Admission, why: str) -> Iterator[Violation]:
    """Judge that the pod is refused, and as not aligned where the node as a whole has all that it asks for."""
    yield from must_be_refused(admission, why) or ()
    if not admission.admitted and Room(admission.before).has(request_of(admission)):
        yield from violated(
            admission.reason == NOT_ALIGNED,
            f"pod {admission.pod.uid} is refused for another reason than its alignment",
            got=f"{admission.reason}: {admission.message}",
            allowed=NOT_ALIGNED,
        )


@checker(
    "topology-manager/admission/keeps-together-what-one-node-holds",
    Admission,
    when=(under(*ALIGNING), *AT_ONCE, admitted, one_node_can_give_all),
)
def keeps_together(admission: Admission) -> Judgement:
    """Under a policy that aligns, CPUs, memory and devices come from one NUMA node where one can give them all."""
    return violated(
        common_nodes(admission),
        f"what pod {admission.pod.uid} is given is not together on one NUMA node, though one could give it all",
        got=in_words(admission.held),
        allowed="one NUMA node for all",
    )


def _in_order(admission: Admission) -> list[str]:
    """Return the containers that were aligned one by one, in the order in which that is told."""
    return [merge.container for merge in admission.alignments or () if merge.container is not None]


two_merges_are_told = Guard[Admission](
    "it is not told how hints of two containers were merged", lambda admission: len(_in_order(admission)) > 1
)


@checker(
    "topology-manager/admission/uses-the-merged-hint", Admission, when=(merges_are_told, admitted, for_the_first_time)
)
def uses_the_merged_hint(admission: Admission) -> Judgement:
    """The hint that is merged is stored, and used: what a container is told as its affinity is what was merged."""
    merges = admission.alignments or ()
    whole = next((merge.affinity for merge in merges if merge.container is None), None)
    merged = {merge.container: merge.affinity for merge in merges}
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


@checker(
    "topology-manager/admission/aligns-init-containers-first", Admission, when=(two_merges_are_told, for_the_first_time)
)
def aligns_init_containers_first(admission: Admission) -> Judgement:
    """In scope container init containers come first, then app containers."""
    aligned = _in_order(admission)
    wanted = [container.name for container in admission.pod.containers][: len(aligned)]
    return violated(
        aligned == wanted,
        f"containers of pod {admission.pod.uid} are aligned in another order than they start in",
        got=", ".join(aligned),
        allowed=", ".join(wanted),
    )


@checker(
    "topology-manager/admission/refuses-what-is-not-admitted", Admission, when=(merges_are_told, for_the_first_time)
)
def refuses_what_is_not_admitted(admission: Admission) -> Judgement:
    """The policy decides by the merged hint: a pod of which it does not admit a request is refused."""
    merges = admission.alignments or ()
    return violated(
        all(merge.admit for merge in merges) or not admission.admitted,
        f"pod {admission.pod.uid} is admitted though the policy does not admit what was merged for it",
        got="; ".join(listed([merge.affinity]) for merge in merges),
        allowed="refused",
    )


not_admitted_by_the_policy = Guard[Admission](
    "the policy admits what was merged last, or no merge is told",
    lambda admission: admission.alignments and not admission.alignments[-1].admit,
)


@checker(
    "topology-manager/admission/refuses-what-is-not-admitted",
    Admission,
    when=(refused, for_the_first_time, not_admitted_by_the_policy),
)
def calls_it_an_affinity_error(admission: Admission) -> Judgement:
    """A pod of which the policy does not admit a merged hint is refused as not aligned, whichever container it is."""
    return violated(
        admission.reason == NOT_ALIGNED,
        f"pod {admission.pod.uid} is refused by the policy, for another reason than its alignment",
        got=f"{admission.reason}: {admission.message}",
        allowed=NOT_ALIGNED,
    )


def common_nodes(admission: Admission) -> set[int]:
    """Return the NUMA nodes to which all that the pod is given is local."""
    nodes = (nodes_of(admission.before, held) for held in admission.held.values())
    return set(admission.before.machine.numa_ids).intersection(*nodes)


def nodes_of(world: World, held: Held) -> set[int]:
    """Return the NUMA nodes to which all that a container holds is local."""
    common = set(world.machine.numa_ids)
    if held.cpus:
        wide = touched(world.machine.numa_bits.values(), held.cpus)
        common &= {node for node, cpus in world.machine.numa_bits.items() if wide == [cpus]}
    for block in held.memory or ():
        if block.bytes:
            common &= {node for node in common if block.nodes == bit_of(node)}
    places = {(device.resource, device.id): device.numa for device in world.machine.devices}
    for name, ids in (held.devices or {}).items():
        for id in ids:
            numa = places.get((name, id), ())
            common &= set(numa) if numa else common
    return common
