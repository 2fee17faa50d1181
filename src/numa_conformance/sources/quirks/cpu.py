"""Where the kubelet's CPU Manager departs from its documentation."""

from dataclasses import dataclass
from typing import ClassVar

from .quirk import QuirkFlags

_RECORDS = """\
reservation-by-allocator; 1.8+; CPU-RSV-07, CPU-RSV-09
  CPUs to reserve are chosen by the ordinary allocator with the policy's own options, so whole NUMA nodes and sockets,
    smaller nodes and the options decide which they are
  documented: reserved CPUs are taken in ascending order of physical core id
zero-reservation-undetermined; 1.8+; CPU-RSV-05
  without any CPU reservation the static policy fails with 'unable to determine reserved CPU resources'
  documented: the failure says that the reservation must be greater than zero
undocumented-incompatible-options; 1.32+; CPU-OPT-12
  prefer-align-cpus-by-uncorecache is refused beside distribute-cpus-across-cores and distribute-cpus-across-numa
  documented: only two pairs of options are named as incompatible; these two pairs are accepted
spread-by-cpu-id; 1.31+; CPU-ALLOC-24
  distribute-cpus-across-cores takes whole NUMA nodes and sockets first and then free CPUs by id, which packs the
    threads of one core where their ids are adjacent
  documented: CPUs are taken from as many different physical cores as there are
full-by-machine-average; 1.8+; CPU-ALLOC-12, CPU-ALLOC-25
  a core or socket counts as fully free when its free CPUs equal the machine-wide average, so on uneven machines CPUs
    that are not free are handed out
  documented: only free CPUs are handed out; a core or socket is full when all of its own CPUs are free
  issue: kubernetes/kubernetes#140498
overlapping-groups-taken-twice; 1.8+; CPU-ALLOC-26
  where sockets and NUMA nodes (or caches and NUMA nodes) are not nested, a group is visited and counted once per
    parent, so that fewer CPUs than asked for may come out
  documented: a container gets as many CPUs as it asks for
cores-gathered-across-nodes; 1.8+; CPU-ALLOC-11, CPU-ALLOC-17
  cores and CPUs are gathered from the NUMA node with fewest free CPUs first, and then from the next, also where one
    node could hold the request, or fewer nodes could
  documented: where no core is partly in use, CPUs come from one NUMA node if one can hold them, else from as few as
    possible
uncore-odd-size-unaligned; 1.32-1.33; CPU-UNC-03
  with hardware threads an odd request is never placed into one uncore cache on purpose
  documented: a request that fits in one uncore cache is placed there if possible
  issue: kubernetes/kubernetes#131610
  mended by: kubernetes/kubernetes#131850
uncore-after-larger-groups; 1.32+; CPU-UNC-01, CPU-UNC-05
  NUMA nodes, sockets and whole free caches are taken before one uncore cache is looked for, also where one could hold
    the request
  documented: a request that fits in one uncore cache is placed there if possible
uncore-half-used-core-unaligned; 1.32+; CPU-UNC-04
  a cache with enough free CPUs is passed over when its lowest cores are partly used
  documented: a request that fits in one uncore cache is placed there if possible
  issue: kubernetes/kubernetes#137315
node-wide-cache-is-no-uncore-cache; 1.32+; CPU-DISC-12, CPU-DISC-15, CPU-UNC-08
  a last-level cache that covers a NUMA node is not seen as an uncore cache; the socket takes its place, also where a
    socket holds several such caches
  documented: the uncore cache is the last-level cache
distribution-of-single-node-requests; 1.23+; CPU-DIST-12
  distribute-cpus-across-numa also moves a request that fits one NUMA node, to the node with most free CPUs
  documented: CPUs are distributed where more than one NUMA node is needed; otherwise the best fitting node is used
distribution-aliasing; 1.23+; CPU-DIST-15
  with five or more usable NUMA nodes the end of the best set of nodes is overwritten by sets that are looked at later
  documented: the set of NUMA nodes with the best balance is used
  issue: kubernetes/kubernetes#141238
distribution-hang; 1.23+; CPU-DIST-16
  with whole-core groups, NUMA nodes with an odd number of free CPUs can make the distribution of the remainder go on
    for ever
  documented: every request is answered: sets of nodes without enough whole groups are passed over
  issue: kubernetes/kubernetes#140730
align-by-socket-leaves-hinted-nodes; 1.25+; CPU-STEP-05
  with align-by-socket CPUs are taken from the whole socket of the hinted NUMA nodes, by best fit, which may leave the
    hinted nodes although they have room
  documented: the hinted NUMA nodes are used first, then the rest of their sockets
align-by-socket-only-adds-hints; 1.25+; CPU-HINT-10
  align-by-socket makes further hints preferred; hints that cross sockets needlessly stay preferred
  documented: alignment is considered at sockets in place of NUMA nodes: preferred hints touch no more sockets than
    needed
smt-check-by-machine-average; 1.22+; CPU-ADM-01, CPU-OPT-14
  full-pcpus-only asks for a multiple of the machine-wide average of CPUs per core, which on uneven machines enforces
    too little
  documented: only whole physical cores are given, whatever their number of threads
smt-check-ignores-reusable; 1.22+; CPU-ADM-02
  full-pcpus-only does not count the CPUs that init containers of the pod leave for reuse as free
  documented: app containers may reuse the CPUs of init containers
smt-check-before-own-cpus; 1.22-1.36; CPU-STEP-02, CPU-ADM-03
  full-pcpus-only checks for free cores also when the container already has its CPUs, so a running pod may be refused
    after a restart of the kubelet
  documented: a container keeps its CPUs across restarts of the kubelet
  issue: kubernetes/kubernetes#129078
  mended by: kubernetes/kubernetes#129079
full-pcpus-only-takes-partial-cores; 1.22+; CPU-ADM-08
  full-pcpus-only may hand out single threads of a core where a reservation splits cores and a hint covers an odd number
    of CPUs; hints count such threads as free, and what they promise one NUMA node may come from several
  documented: only whole physical cores are given, and hints count no others
init-cpus-reused-by-chance; 1.18+; CPU-REUSE-04, CPU-POD-05
  CPUs of finished init containers are mixed with the other free CPUs; what is not taken stays blocked until the pod is
    gone
  documented: CPUs of init containers are reused by the pod's later containers: they are taken first
  issue: kubernetes/kubernetes#112228
whole-pods-get-other-cpus; 1.36+; CPU-PLR-04
  a pod that was given its CPUs in one piece is given others at a restart of the kubelet; what it had stays blocked
    until the state file is deleted
  documented: a container keeps its CPUs across restarts of the kubelet
  issue: kubernetes/kubernetes#140989
strict-pool-may-empty; 1.32+; CPU-POOL-05
  under strict-cpu-reservation exclusive CPUs may empty the shared pool; shared containers then run anywhere, reserved
    CPUs included, and the kubelet does not come up again
  documented: no container runs on reserved CPUs: a request that would empty the shared pool is refused
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuQuirks(QuirkFlags):
    """Where the kubelet's CPU Manager departs from its documentation. True: as Kubernetes does."""

    records: ClassVar[str] = _RECORDS
    reservation_by_allocator: bool = False
    zero_reservation_undetermined: bool = False
    undocumented_incompatible_options: bool = False
    spread_by_cpu_id: bool = False
    full_by_machine_average: bool = False
    overlapping_groups_taken_twice: bool = False
    cores_gathered_across_nodes: bool = False
    uncore_odd_size_unaligned: bool = False
    uncore_after_larger_groups: bool = False
    uncore_half_used_core_unaligned: bool = False
    node_wide_cache_is_no_uncore_cache: bool = False
    distribution_of_single_node_requests: bool = False
    distribution_aliasing: bool = False
    distribution_hang: bool = False
    align_by_socket_leaves_hinted_nodes: bool = False
    align_by_socket_only_adds_hints: bool = False
    smt_check_by_machine_average: bool = False
    smt_check_ignores_reusable: bool = False
    smt_check_before_own_cpus: bool = False
    full_pcpus_only_takes_partial_cores: bool = False
    init_cpus_reused_by_chance: bool = False
    whole_pods_get_other_cpus: bool = False
    strict_pool_may_empty: bool = False
