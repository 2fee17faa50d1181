"""Where the Memory Manager departs from its documentation."""

from dataclasses import dataclass
from typing import ClassVar

from .quirk import QuirkFlags

_RECORDS = """\
no-memory-anywhere-is-no-opinion; 1.21+; MEM-HINT-07
  when no NUMA mask can hold the request the manager gives no hints at all, which reads as no opinion; the pod is
    refused later, as an unexpected error of the allocation
  documented: the Topology Manager refuses a pod whose resources cannot be aligned, with TopologyAffinityError
  issue: kubernetes/kubernetes#128708
init-only-types-are-dropped; 1.21+; MEM-REQ-01
  in pod scope a huge page size that only init containers ask for takes no part in the pod's hints
  documented: a hint names NUMA nodes with enough capacity for all types of memory that the pod asks for
  issue: kubernetes/kubernetes#140814
huge-pages-cannot-be-reserved; 1.21+; MEM-RSV-05
  kubelet reservations have no entry for huge pages, so reservedMemory of huge pages never matches them and the node
    does not come up
  documented: reservedMemory takes limits for huge pages beside memory
single-node-blocks-break-groups; 1.21+; MEM-ALLOC-05
  under best-effort a container whose affinity is one NUMA node of a group gets its memory from that node alone, which
    takes the node out of its group; the next start may refuse the state file left behind
  documented: a NUMA node that serves a container together with others serves no container alone; the memory comes from
    the group
container-without-memory-is-refused; 1.32-1.36; MEM-ALLOC-03
  in a Guaranteed pod with spec.resources a container that is owed no memory of its own, and that no other manager gives
    an affinity, makes the kubelet refuse the pod: no NUMA node has enough of nothing
  documented: containers without memory requests share what the others leave
  mended by: kubernetes/kubernetes#138770
whole-pods-are-charged-again; 1.36+; MEM-PLR-03
  a pod that was given its memory in one piece is charged once more at every restart of the kubelet
  documented: memory assignments outlive a restart of the kubelet
  issue: kubernetes/kubernetes#140989
groups-may-cross; 1.21-1.31; MEM-ALLOC-05
  under best-effort a container is given memory of several NUMA nodes also where one of them serves containers alone or
    in another group; the next start may refuse the state file left behind
  documented: a NUMA node serves containers alone or in one group
  issue: kubernetes/kubernetes#120733
  mended by: kubernetes/kubernetes#123443
restart-compares-every-node; 1.21-1.31; MEM-CKPT-06
  at a start what is free and reserved is compared node by node: where memory that came back lies on another node of a
    group than where it was taken the kubelet does not come up
  documented: memory assignments outlive a restart of the kubelet
  issue: kubernetes/kubernetes#113130
  mended by: kubernetes/kubernetes#127074
missing-page-size-crashes; 1.21+; MEM-STATE-07
  a Guaranteed pod that asks for a huge page size which some NUMA node does not list crashes the kubelet
  documented: a NUMA node without pages of a size has none to give
restart-with-uneven-page-sizes-crashes; 1.32+; MEM-CKPT-06
  the state file is compared over groups of NUMA nodes: where a container spans nodes that list different huge page
    sizes the kubelet crashes at the next start
  documented: memory assignments outlive a restart of the kubelet
memory-of-node-past-63-crashes; 1.21+; TOPO-HINT-02
  a set of NUMA nodes is a word of 64 bits: with a NUMA node id past 63 the first Guaranteed pod crashes the kubelet,
    whatever the topology policy
  documented: NUMA node ids have no limit
memory-reservation-wraps; 1.21+; MEM-STATE-04
  reserving more than a NUMA node has wraps around to nearly 2**64 allocatable bytes
  documented: reserved memory is never given to containers
returned-memory-is-reused; 1.21+; MEM-REUSE-01, MEM-REUSE-07
  what an init container gives back once it has ended still counts as reusable by its pod: admitted again before any
    other pod, it takes the memory without a charge, and the next start may refuse the file
  documented: memory that is given to a container is taken from what is free
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryQuirks(QuirkFlags):
    """Where the Memory Manager departs from its documentation. True: as Kubernetes does."""

    records: ClassVar[str] = _RECORDS
    no_memory_anywhere_is_no_opinion: bool = False
    init_only_types_are_dropped: bool = False
    huge_pages_cannot_be_reserved: bool = False
    single_node_blocks_break_groups: bool = False
    container_without_memory_is_refused: bool = False
    whole_pods_are_charged_again: bool = False
    groups_may_cross: bool = False
    restart_compares_every_node: bool = False
    missing_page_size_crashes: bool = False
    restart_with_uneven_page_sizes_crashes: bool = False
    memory_of_node_past_63_crashes: bool = False
    memory_reservation_wraps: bool = False
    returned_memory_is_reused: bool = False
