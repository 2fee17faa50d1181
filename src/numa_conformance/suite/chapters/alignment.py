"""CPUs, memory and devices together, under the Topology Manager's policies."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import or_

from ...cpuset import bit_of, format_bits
from ..judge.alignment import whole_cores_only
from ..judge.chapter import Chapter, Judgement, Violation, applies, judges, violated
from ..judge.choice import BY_SOCKET, WHOLE_CORES, touched
from ..judge.node_subjects import Admission
from ..judge.room import Request, Room, memory_of
from ..judge.world import Held, World
from .admissions import ALIGNING, must_be_admitted, must_be_refused
from .conditions import under, without_option
from .refusals import NOT_ALIGNED
from .wording import in_words, listed

chapter = Chapter(since="1.18")


def request_of(admission: Admission) -> Request:
    """Add up what all containers of the pod ask for."""
    return Request.of(admission.before, admission.pod, admission.pod.containers)


def with_app_containers_only(admission: Admission) -> None:
    applies(all(container.kind == "app" for container in admission.pod.containers), "the pod has init containers")


def counting_is_enough(admission: Admission) -> None:
    applies(
        WHOLE_CORES not in admission.settings.options or whole_cores_only(admission.before, admission.pod),
        "parts of cores are free or asked for under full-pcpus-only",
    )


def is_aligned_at_once(admission: Admission) -> bool:
    world, pod = admission.before, admission.pod
    if admission.settings.scope == "container":
        return sum(not Request.of(world, pod, [container]).nothing for container in pod.containers) == 1
    return not request_of(admission).nothing


def knows_what_is_free(admission: Admission) -> None:
    applies(admission.before.knows_reserved or not admission.pod.exclusive, "it is not told which CPUs are reserved")


def _leaving_a_cpu(admission: Admission) -> bool:
    world = admission.before
    return not (world.strict and 0 < world.free.bit_count() <= request_of(admission).cpus)


def leaving_a_cpu(subject: Admission) -> None:
    applies(_leaving_a_cpu(subject), "the pod might empty the shared pool")


def with_memory(admission: Admission) -> None:
    applies(request_of(admission).memory, "the pod is given no memory of its own")


def able_nodes(admission: Admission, *, surely: bool = True) -> list[int]:
    """Return the NUMA nodes that can give all that the pod asks for."""
    return Room(admission.before).nodes_that_hold(request_of(admission), surely=surely)


def _able_sets(admission: Admission) -> list[int]:
    request = request_of(admission)
    if admission.settings.topology == "none":
        request = Request(0, request.memory, {})  # nothing is aligned with the memory
    return Room(admission.before).surely_give(request)


def one_node_can_give_all(admission: Admission) -> None:
    applies(able_nodes(admission), "no NUMA node can give all that the pod asks for")


def at_once(subject: Admission) -> None:
    applies(not subject.again, "the pod was on the node before")
    applies(not subject.pod.whole, "the pod as a whole has resources")
    with_app_containers_only(subject)
    without_option(subject, BY_SOCKET)
    counting_is_enough(subject)
    knows_what_is_free(subject)
    applies(is_aligned_at_once(subject), "nothing is aligned, or containers are one by one")


@chapter.requires(
    "topology-manager/admission/admits-what-one-node-holds",
    "cpu-manager/static",
    on=Admission,
    rests_on=("topology/how/policy-decides", "topology/single-numa-node/one-node-or-refused"),
)
def admits_what_one_node_holds(admission: Admission) -> Judgement:
    """A pod whose CPUs, memory and devices one NUMA node can give together is admitted, under every policy."""
    at_once(admission)
    applies(_leaving_a_cpu(admission), "the pod might empty the shared pool")
    applies(able_nodes(admission), "no NUMA node can give all that the pod asks for")
    node = able_nodes(admission)[0]
    return must_be_admitted(admission, f"though NUMA node {node} has all it asks for")


@chapter.requires(
    "topology-manager/restricted/admits-what-several-nodes-hold",
    "topology-manager/restricted",
    "memory-manager/static",
    on=Admission,
    rests_on=("topology/restricted/refuses", "memory/head/hints-and-policy-decide"),
    since="1.21",
    beyond="that a preferred affinity is admitted: the sentence tells of the other case",
)
def admits_what_several_nodes_hold(admission: Admission) -> Judgement:
    """A pod is admitted whose CPUs and memory need as many NUMA nodes, where so few of them can give all."""
    under(admission, "restricted")
    at_once(admission)
    applies(request_of(admission).memory, "the pod is given no memory of its own")
    applies(
        any(nodes & (nodes - 1) for nodes in _able_sets(admission)),
        "no several NUMA nodes, as few as ever hold it, can give all of its CPUs and memory",
    )
    applies(_leaving_a_cpu(admission), "the pod might empty the shared pool")
    nodes = next(nodes for nodes in _able_sets(admission) if nodes & (nodes - 1))
    return must_be_admitted(admission, f"though the NUMA nodes {format_bits(nodes)} prefer all it asks for")


def _is_of_one_container(admission: Admission) -> bool:
    return sum(bool(memory_of(admission.before, admission.pod, each)) for each in admission.pod.containers) == 1


def of_one_container(admission: Admission) -> None:
    applies(_is_of_one_container(admission), "several containers have memory of their own")


def some_hold_it_around_the_affinity(admission: Admission) -> None:
    applies(_fewest_around(admission), "no NUMA nodes that give no memory yet hold it together with the affinity")


def _memory_nodes(admission: Admission) -> int:
    """Return the NUMA nodes (bits) from which the pod's memory comes."""
    blocks = (block for held in admission.held.values() for block in held.memory or () if block.bytes)
    return reduce(or_, (block.nodes for block in blocks), 0)


@chapter.requires(
    "memory-manager/static/uses-the-fewest-numa-nodes",
    "memory-manager/static",
    "topology-manager/best-effort",
    on=Admission,
    rests_on=(
        "memory/head/fewest-numa-nodes",
        "nrm/memory/fewest-numa-nodes",
        "troubleshooting/state/pinned-to-several",
    ),
    since="1.21",
)
def memory_of_the_fewest_nodes(admission: Admission) -> Judgement:
    """Memory comes from one NUMA node where one holds it, and else from as few as hold it, where so few are
    unused.
    """
    at_once(admission)
    applies(request_of(admission).memory, "the pod is given no memory of its own")
    applies(
        admission.settings.topology in ALIGNING or _is_of_one_container(admission),
        "nothing is aligned, and several containers have memory of their own",
    )
    applies(admission.admitted, "the pod was refused")
    applies(_able_sets(admission), "no NUMA nodes, as few as ever hold it, can give all of its CPUs and memory")
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


@judges("memory-manager/static/uses-the-fewest-numa-nodes", on=Admission)
def memory_of_the_fewest_nodes_around(admission: Admission) -> Judgement:
    """Where the affinity does not hold the memory, no more NUMA nodes are added to it than need be."""
    at_once(admission)
    applies(admission.alignments, "it is not told how hints were merged")
    applies(request_of(admission).memory, "the pod is given no memory of its own")
    of_one_container(admission)
    applies(admission.admitted, "the pod was refused")
    some_hold_it_around_the_affinity(admission)
    nodes, width = _memory_nodes(admission), _fewest_around(admission)
    return violated(
        nodes.bit_count() <= width,
        f"the memory of pod {admission.pod.uid} comes from {nodes.bit_count()} NUMA nodes where {width} can give it",
        got=format_bits(nodes),
        allowed=f"{width} NUMA nodes at most",
    )


@chapter.requires(
    "topology-manager/best-effort/admits-unaligned-pods",
    "topology-manager/best-effort",
    "cpu-manager/static",
    on=Admission,
    rests_on=(
        "topology/best-effort/admits-anyway",
        "topology-source/policies/four",
        "topology-source/policies/best-effort",
    ),
)
def best_effort_admits_what_is_elsewhere(admission: Admission) -> Judgement:
    """Under best-effort a pod whose preferred affinity cannot be had is not refused for its topology.

    An affinity that does not hold the memory is no reason to refuse, where unused NUMA nodes beside it do.
    """
    under(admission, "best-effort")
    at_once(admission)
    applies(admission.alignments, "it is not told how hints were merged")
    applies(request_of(admission).memory, "the pod is given no memory of its own")
    of_one_container(admission)
    some_hold_it_around_the_affinity(admission)
    applies(
        Room(admission.before).has(request_of(admission)),
        "the node as a whole has not all that the pod asks for, and a CPU beside",
    )
    width = _fewest_around(admission)
    return must_be_admitted(admission, f"though {width} NUMA nodes, those of its affinity among them, hold its memory")


@chapter.requires(
    "topology-manager/single-numa-node/refuses-what-no-node-holds",
    "topology-manager/single-numa-node",
    on=Admission,
    rests_on=("topology/single-numa-node/one-node-or-refused", "topology/restricted/topology-affinity-error"),
)
def single_refuses_what_no_node_holds(admission: Admission) -> Judgement:
    """A pod is refused when no NUMA node has its CPUs, memory and devices together; the reason is
    TopologyAffinityError where the node as a whole has them.
    """
    under(admission, "single-numa-node")
    at_once(admission)
    applies(not able_nodes(admission, surely=False), "one NUMA node may give all that the pod asks for")
    return _refused_as_unaligned(admission, "though no NUMA node has all it asks for")


@chapter.requires(
    "topology-manager/restricted/refuses-what-nothing-prefers",
    "topology-manager/restricted",
    on=Admission,
    rests_on=(
        "topology/restricted/refuses",
        "topology/restricted/topology-affinity-error",
        "topology-source/cpu-hints/size-counts-all-cpus",
    ),
)
def restricted_refuses_what_nothing_prefers(admission: Admission) -> Judgement:
    """A pod is refused when a resource is free on no set of as few NUMA nodes as it ever needs; the reason is
    TopologyAffinityError where the node as a whole has all it asks for.
    """
    under(admission, "restricted")
    at_once(admission)
    applies(
        Room(admission.before).prefers_nothing(request_of(admission)),
        "every resource may be free on as few NUMA nodes as it ever needs",
    )
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


@chapter.requires(
    "topology-manager/admission/keeps-together-what-one-node-holds",
    "cpu-manager/static",
    "topology-manager/best-effort",
    on=Admission,
    rests_on=("nrm/head/aligns-memory", "nrm/head/aligns-cpus-and-devices", "topology/how/hint-is-stored-and-used"),
)
def keeps_together(admission: Admission) -> Judgement:
    """Under a policy that aligns, the CPUs, memory and devices of a pod come from one NUMA node where one can
    give them all.
    """
    under(admission, *ALIGNING)
    at_once(admission)
    applies(admission.admitted, "the pod was refused")
    applies(able_nodes(admission), "no NUMA node can give all that the pod asks for")
    return violated(
        common_nodes(admission),
        f"what pod {admission.pod.uid} is given is not together on one NUMA node, though one could give it all",
        got=in_words(admission.held),
        allowed="one NUMA node for all",
    )


def _in_order(admission: Admission) -> list[str]:
    """Return the containers that were aligned one by one, in the order in which that is told."""
    return [merge.container for merge in admission.alignments or () if merge.container is not None]


@chapter.requires(
    "topology-manager/admission/uses-the-merged-hint",
    "node/hints",
    "topology-manager/best-effort",
    on=Admission,
    rests_on=("topology/how/hint-is-stored-and-used", "topology-source/policies/stored-and-used"),
)
def uses_the_merged_hint(admission: Admission) -> Judgement:
    """The hint that is merged of all managers is the affinity with which a container is given its resources."""
    applies(admission.alignments, "it is not told how hints were merged")
    applies(admission.admitted, "the pod was refused")
    applies(not admission.again, "the pod was on the node before")
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


@chapter.requires(
    "topology-manager/admission/aligns-init-containers-first",
    "node/hints",
    "topology-manager/best-effort",
    "topology-manager/scope/container",
    on=Admission,
    rests_on=("topology-source/scopes/init-first",),
    since="1.27",
    strength="SHOULD",
)
def aligns_init_containers_first(admission: Admission) -> Judgement:
    """In scope container init containers are aligned first, in their order, then app containers."""
    applies(len(_in_order(admission)) > 1, "it is not told how hints of two containers were merged")
    applies(not admission.again, "the pod was on the node before")
    aligned = _in_order(admission)
    wanted = [container.name for container in admission.pod.containers][: len(aligned)]
    return violated(
        aligned == wanted,
        f"containers of pod {admission.pod.uid} are aligned in another order than they start in",
        got=", ".join(aligned),
        allowed=", ".join(wanted),
    )


@chapter.requires(
    "topology-manager/admission/refuses-what-is-not-admitted",
    "node/hints",
    "topology-manager/best-effort",
    on=Admission,
    rests_on=("topology/how/policy-decides", "topology/restricted/topology-affinity-error"),
)
def refuses_what_is_not_admitted(admission: Admission) -> Judgement:
    """A pod of which the policy does not admit a merged hint is refused, as a Topology Affinity error."""
    applies(admission.alignments, "it is not told how hints were merged")
    applies(not admission.again, "the pod was on the node before")
    merges = admission.alignments or ()
    return violated(
        all(merge.admit for merge in merges) or not admission.admitted,
        f"pod {admission.pod.uid} is admitted though the policy does not admit what was merged for it",
        got="; ".join(listed([merge.affinity]) for merge in merges),
        allowed="refused",
    )


@judges("topology-manager/admission/refuses-what-is-not-admitted", on=Admission)
def calls_it_an_affinity_error(admission: Admission) -> Judgement:
    """A pod of which the policy does not admit a merged hint is refused as not aligned, whichever container it is."""
    applies(not admission.admitted, "the pod was admitted")
    applies(not admission.again, "the pod was on the node before")
    applies(
        admission.alignments and not admission.alignments[-1].admit,
        "the policy admits what was merged last, or no merge is told",
    )
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
