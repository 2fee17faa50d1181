"""Where the kubelet's CPU Manager departs from its documentation."""

from __future__ import annotations

from dataclasses import dataclass

from .quirk import QuirkFlags, quirk


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuQuirks(QuirkFlags):
    """Where the kubelet's CPU Manager departs from its documentation. True: as Kubernetes does."""

    reservation_by_allocator: bool = quirk(
        rule="CPU-RSV-07, CPU-RSV-09",
        summary="CPUs to reserve are chosen by the ordinary allocator with the policy's own options, so whole NUMA "
        "nodes and sockets, smaller nodes and the options decide which they are",
        documented="reserved CPUs are taken in ascending order of physical core id",
        versions="1.8+",
    )

    zero_reservation_undetermined: bool = quirk(
        rule="CPU-RSV-05",
        summary="without any CPU reservation the static policy fails with 'unable to determine reserved CPU resources'",
        documented="the failure says that the reservation must be greater than zero",
        versions="1.8+",
    )

    undocumented_incompatible_options: bool = quirk(
        rule="CPU-OPT-12",
        summary="prefer-align-cpus-by-uncorecache is refused beside distribute-cpus-across-cores and "
        "distribute-cpus-across-numa",
        documented="only two pairs of options are named as incompatible; these two pairs are accepted",
        versions="1.32+",
    )

    spread_by_cpu_id: bool = quirk(
        rule="CPU-ALLOC-24",
        summary="distribute-cpus-across-cores takes whole NUMA nodes and sockets first and then free CPUs by id, "
        "which packs the threads of one core where their ids are adjacent",
        documented="CPUs are taken from as many different physical cores as there are",
        versions="1.31+",
    )

    full_by_machine_average: bool = quirk(
        rule="CPU-ALLOC-12, CPU-ALLOC-25",
        summary="a core or socket counts as fully free when its free CPUs equal the machine-wide average, so on "
        "uneven machines CPUs that are not free are handed out",
        documented="only free CPUs are handed out; a core or socket is full when all of its own CPUs are free",
        versions="1.8+",
        issue="kubernetes/kubernetes#140498",
    )

    overlapping_groups_taken_twice: bool = quirk(
        rule="CPU-ALLOC-26",
        summary="where sockets and NUMA nodes (or caches and NUMA nodes) are not nested, a group is visited and "
        "counted once per parent, so that fewer CPUs than asked for may come out",
        documented="a container gets as many CPUs as it asks for",
        versions="1.8+",
    )

    cores_gathered_across_nodes: bool = quirk(
        rule="CPU-ALLOC-11, CPU-ALLOC-17",
        summary="cores and CPUs are gathered from the NUMA node with fewest free CPUs first, and then from the next, "
        "also where one node could hold the request, or fewer nodes could",
        documented="where no core is partly in use, CPUs come from one NUMA node if one can hold them, else from as "
        "few as possible",
        versions="1.8+",
    )

    uncore_odd_size_unaligned: bool = quirk(
        rule="CPU-UNC-03",
        summary="with hardware threads an odd request is never placed into one uncore cache on purpose",
        documented="a request that fits in one uncore cache is placed there if possible",
        versions="1.32-1.33",
        issue="kubernetes/kubernetes#131610",
        pull=("kubernetes/kubernetes#131850",),
    )

    uncore_after_larger_groups: bool = quirk(
        rule="CPU-UNC-01, CPU-UNC-05",
        summary="NUMA nodes, sockets and whole free caches are taken before one uncore cache is looked for, also where "
        "one could hold the request",
        documented="a request that fits in one uncore cache is placed there if possible",
        versions="1.32+",
    )

    uncore_half_used_core_unaligned: bool = quirk(
        rule="CPU-UNC-04",
        summary="a cache with enough free CPUs is passed over when its lowest cores are partly used",
        documented="a request that fits in one uncore cache is placed there if possible",
        versions="1.32+",
        issue="kubernetes/kubernetes#137315",
    )

    node_wide_cache_is_no_uncore_cache: bool = quirk(
        rule="CPU-DISC-12, CPU-DISC-15, CPU-UNC-08",
        summary="a last-level cache that covers a NUMA node is not seen as an uncore cache; the socket takes its "
        "place, also where a socket holds several such caches",
        documented="the uncore cache is the last-level cache",
        versions="1.32+",
    )

    distribution_of_single_node_requests: bool = quirk(
        rule="CPU-DIST-12",
        summary="distribute-cpus-across-numa also moves a request that fits one NUMA node, to the node with most free "
        "CPUs",
        documented="CPUs are distributed where more than one NUMA node is needed; otherwise the best fitting node is "
        "used",
        versions="1.23+",
    )

    distribution_aliasing: bool = quirk(
        rule="CPU-DIST-15",
        summary="with five or more usable NUMA nodes the end of the best set of nodes is overwritten by sets that are "
        "looked at later",
        documented="the set of NUMA nodes with the best balance is used",
        versions="1.23+",
        issue="kubernetes/kubernetes#141238",
    )

    distribution_hang: bool = quirk(
        rule="CPU-DIST-16",
        summary="with whole-core groups, NUMA nodes with an odd number of free CPUs can make the distribution of the "
        "remainder go on for ever",
        documented="every request is answered: sets of nodes without enough whole groups are passed over",
        versions="1.23+",
        issue="kubernetes/kubernetes#140730",
    )

    align_by_socket_leaves_hinted_nodes: bool = quirk(
        rule="CPU-STEP-05",
        summary="with align-by-socket CPUs are taken from the whole socket of the hinted NUMA nodes, by best fit, "
        "which may leave the hinted nodes although they have room",
        documented="the hinted NUMA nodes are used first, then the rest of their sockets",
        versions="1.25+",
    )

    align_by_socket_only_adds_hints: bool = quirk(
        rule="CPU-HINT-10",
        summary="align-by-socket makes further hints preferred; hints that cross sockets needlessly stay preferred",
        documented="alignment is considered at sockets in place of NUMA nodes: preferred hints touch no more sockets "
        "than needed",
        versions="1.25+",
    )

    smt_check_by_machine_average: bool = quirk(
        rule="CPU-ADM-01, CPU-OPT-14",
        summary="full-pcpus-only asks for a multiple of the machine-wide average of CPUs per core, which on uneven "
        "machines enforces too little",
        documented="only whole physical cores are given, whatever their number of threads",
        versions="1.22+",
    )

    smt_check_ignores_reusable: bool = quirk(
        rule="CPU-ADM-02",
        summary="full-pcpus-only does not count the CPUs that init containers of the pod leave for reuse as free",
        documented="app containers may reuse the CPUs of init containers",
        versions="1.22+",
    )

    smt_check_before_own_cpus: bool = quirk(
        rule="CPU-STEP-02, CPU-ADM-03",
        summary="full-pcpus-only checks for free cores also when the container already has its CPUs, so a running pod "
        "may be refused after a restart of the kubelet",
        documented="a container keeps its CPUs across restarts of the kubelet",
        versions="1.22-1.36",
        issue="kubernetes/kubernetes#129078",
        pull=("kubernetes/kubernetes#129079",),
    )

    full_pcpus_only_takes_partial_cores: bool = quirk(
        rule="CPU-ADM-08",
        summary="full-pcpus-only may hand out single threads of a core where a reservation splits cores and a hint "
        "covers an odd number of CPUs; hints count such threads as free, and what they promise one NUMA node may come "
        "from several",
        documented="only whole physical cores are given, and hints count no others",
        versions="1.22+",
    )

    init_cpus_reused_by_chance: bool = quirk(
        rule="CPU-REUSE-04, CPU-POD-05",
        summary="CPUs of finished init containers are mixed with the other free CPUs; what is not taken stays blocked "
        "until the pod is gone",
        documented="CPUs of init containers are reused by the pod's later containers: they are taken first",
        versions="1.18+",
        issue="kubernetes/kubernetes#112228",
    )

    whole_pods_get_other_cpus: bool = quirk(
        rule="CPU-PLR-04",
        summary="a pod that was given its CPUs in one piece is given others at a restart of the kubelet; what it had "
        "stays blocked until the state file is deleted",
        documented="a container keeps its CPUs across restarts of the kubelet",
        versions="1.36+",
        issue="kubernetes/kubernetes#140989",
    )

    strict_pool_may_empty: bool = quirk(
        rule="CPU-POOL-05",
        summary="under strict-cpu-reservation exclusive CPUs may empty the shared pool; shared containers then run "
        "anywhere, reserved CPUs included, and the kubelet does not come up again",
        documented="no container runs on reserved CPUs: a request that would empty the shared pool is refused",
        versions="1.32+",
    )
