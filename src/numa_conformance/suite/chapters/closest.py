"""Option prefer-closest-numa-nodes by what pods hold, whether or not a target tells how it merges hints."""

from __future__ import annotations

from ...cpuset import bits_of, format_bits
from ..judge.chapter import Chapter, Judgement, applies, violated
from ..judge.distances import Distances
from ..judge.node_subjects import Admission
from ..judge.room import Request, Room
from .alignment import at_once
from .conditions import under

chapter = Chapter("topology-manager/prefer-closest-numa-nodes", "topology-manager/best-effort", since="1.28")


def _nodes(admission: Admission) -> int:
    """Return the NUMA nodes (bits) from which CPUs and memory come."""
    nodes = 0
    for held in admission.held.values():
        numa = admission.before.machine.numa_bits.items()
        nodes |= bits_of(node for node, cpus in numa if cpus & held.cpus)
        for block in held.memory or ():
            nodes |= block.nodes if block.bytes else 0
    return nodes


def _able_sets(admission: Admission) -> list[int]:
    world = admission.before
    return Room(world).surely_give(Request.of(world, admission.pod, admission.pod.containers))


def _nearest(admission: Admission) -> frozenset[int]:
    machine = admission.before.machine
    return Distances(machine.distances or (), machine.numa_ids).nearest(_able_sets(admission))


@chapter.requires(
    "topology-manager/prefer-closest-numa-nodes/places-on-the-closer-set",
    on=Admission,
    rests_on=("topology/prefer-closest-numa-nodes/favours-shorter-distance",),
)
def places_on_the_closer_set(admission: Admission) -> Judgement:
    """With prefer-closest-numa-nodes what a pod holds comes from NUMA nodes than which no others, as many and as
    able, are surely closer.

    Of as many NUMA nodes that can give CPUs and memory alike, those with shorter distances between them.
    """
    under(admission, "best-effort", "restricted")
    applies(
        "prefer-closest-numa-nodes" in admission.settings.topology_options and admission.before.machine.distances,
        "prefer-closest-numa-nodes is off, or no distances are told",
    )
    at_once(admission)
    applies(admission.admitted, "the pod was refused")
    applies(
        _nodes(admission) in _able_sets(admission),
        "what it holds does not come from as few NUMA nodes as surely can give it",
    )
    applies(len(_nearest(admission)) < len(_able_sets(admission)), "all NUMA nodes that can give it are as near")
    nearest = _nearest(admission)
    return violated(
        _nodes(admission) in nearest,
        f"there are closer NUMA nodes for pod {admission.pod.uid}",
        got=format_bits(_nodes(admission)),
        allowed=" or ".join(map(format_bits, sorted(nearest))),
    )
