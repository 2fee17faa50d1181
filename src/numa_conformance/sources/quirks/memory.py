"""Where the Memory Manager departs from its documentation."""

from __future__ import annotations

from dataclasses import dataclass

from .quirk import QuirkFlags, quirk


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryQuirks(QuirkFlags):
    """Where the Memory Manager departs from its documentation. True: as Kubernetes does."""

    no_memory_anywhere_is_no_opinion: bool = quirk(
        rule="MEM-HINT-07",
        summary="when no NUMA mask can hold the request the manager gives no hints at all, which reads as no opinion; "
        "the pod is refused later, as an unexpected error of the allocation",
        documented="the Topology Manager refuses a pod whose resources cannot be aligned, with TopologyAffinityError",
        versions="1.21+",
        issue="kubernetes/kubernetes#128708",
    )

    init_only_types_are_dropped: bool = quirk(
        rule="MEM-REQ-01",
        summary="in pod scope a huge page size that only init containers ask for takes no part in the pod's hints",
        documented="a hint names NUMA nodes with enough capacity for all types of memory that the pod asks for",
        versions="1.21+",
        issue="kubernetes/kubernetes#140814",
    )

    huge_pages_cannot_be_reserved: bool = quirk(
        rule="MEM-RSV-05",
        summary="kubelet reservations have no entry for huge pages, so reservedMemory of huge pages never matches "
        "them and the node does not come up",
        documented="reservedMemory takes limits for huge pages beside memory",
        versions="1.21+",
    )

    single_node_blocks_break_groups: bool = quirk(
        rule="MEM-ALLOC-05",
        summary="under best-effort a container whose affinity is one NUMA node of a group gets its memory from that "
        "node alone, which takes the node out of its group; the next start may refuse the state file left "
        "behind",
        documented="a NUMA node that serves a container together with others serves no container alone; the memory "
        "comes from the group",
        versions="1.21+",
    )

    container_without_memory_is_refused: bool = quirk(
        rule="MEM-ALLOC-03",
        summary="in a Guaranteed pod with spec.resources a container that is owed no memory of its own, and that "
        "no other manager gives an affinity, makes the kubelet refuse the pod: no NUMA node has enough of nothing",
        documented="containers without memory requests share what the others leave",
        versions="1.32-1.36",
        pull=("kubernetes/kubernetes#138770",),
    )

    whole_pods_are_charged_again: bool = quirk(
        rule="MEM-PLR-03",
        summary="a pod that was given its memory in one piece is charged once more at every restart of the kubelet",
        documented="memory assignments outlive a restart of the kubelet",
        versions="1.36+",
        issue="kubernetes/kubernetes#140989",
    )

    groups_may_cross: bool = quirk(
        rule="MEM-ALLOC-05",
        summary="under best-effort a container is given memory of several NUMA nodes also where one of them serves "
        "containers alone or in another group; the next start may refuse the state file left behind",
        documented="a NUMA node serves containers alone or in one group",
        versions="1.21-1.31",
        issue="kubernetes/kubernetes#120733",
        pull=("kubernetes/kubernetes#123443",),
    )

    restart_compares_every_node: bool = quirk(
        rule="MEM-CKPT-06",
        summary="at a start what is free and reserved is compared node by node: where memory that came back lies on "
        "another node of a group than where it was taken the kubelet does not come up",
        documented="memory assignments outlive a restart of the kubelet",
        versions="1.21-1.31",
        issue="kubernetes/kubernetes#113130",
        pull=("kubernetes/kubernetes#127074",),
    )

    missing_page_size_crashes: bool = quirk(
        rule="MEM-STATE-07",
        summary="a Guaranteed pod that asks for a huge page size which some NUMA node does not list crashes the "
        "kubelet",
        documented="a NUMA node without pages of a size has none to give",
        versions="1.21+",
    )

    restart_with_uneven_page_sizes_crashes: bool = quirk(
        rule="MEM-CKPT-06",
        summary="the state file is compared over groups of NUMA nodes: where a container spans nodes that list "
        "different huge page sizes the kubelet crashes at the next start",
        documented="memory assignments outlive a restart of the kubelet",
        versions="1.32+",
    )

    memory_of_node_past_63_crashes: bool = quirk(
        rule="TOPO-HINT-02",
        summary="a set of NUMA nodes is a word of 64 bits: with a NUMA node id past 63 the first Guaranteed pod "
        "crashes the kubelet, whatever the topology policy",
        documented="NUMA node ids have no limit",
        versions="1.21+",
    )

    memory_reservation_wraps: bool = quirk(
        rule="MEM-STATE-04",
        summary="reserving more than a NUMA node has wraps around to nearly 2**64 allocatable bytes",
        documented="reserved memory is never given to containers",
        versions="1.21+",
    )

    returned_memory_is_reused: bool = quirk(
        rule="MEM-REUSE-01, MEM-REUSE-07",
        summary="what an init container gives back once it has ended still counts as reusable by its pod: admitted "
        "again before any other pod, it takes the memory without a charge, and the next start may refuse the file",
        documented="memory that is given to a container is taken from what is free",
        versions="1.21+",
    )
