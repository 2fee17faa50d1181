"""What a host shows, and what its cgroups get. No history shows it: cases in ``conformance/host`` lay out the files."""

from ..judging.chapter import Chapter

finding, reconciling = Chapter("host/discover", since="1.8"), Chapter("host/reconcile", since="1.8")

NOT_SAID = "No page says how the machine is read; the sentences about it presuppose that it is read right."

finding.sentence(
    "host/finds-the-online-cpus",
    "Exactly the online CPUs of the host are found.",
    rests_on=("nrm/static/pool-holds-all-cpus-at-first",),
    beyond=NOT_SAID,
)
finding.sentence(
    "host/finds-cores-sockets-and-numa-nodes",
    "CPUs are grouped as the host's cores, sockets and NUMA nodes.",
    rests_on=(
        "nrm/full-pcpus-only/whole-cores",
        "nrm/align-by-socket/aligned-at-the-socket",
        "nrm/distribute-cpus-across-numa/even",
    ),
    beyond=NOT_SAID,
)
finding.sentence(
    "host/finds-uncore-caches",
    "CPUs are grouped as the host's caches of the last level, where the host says which CPUs share one.",
    rests_on=("nrm/options/prefer-align-cpus-by-uncorecache",),
    since="1.32",
    beyond=NOT_SAID,
)
finding.sentence(
    "host/finds-memory-and-distances",
    "Memory, huge pages and distances of the NUMA nodes are the host's, as far as they are reported.",
    rests_on=(
        "memory/static/hints-and-reserves",
        "nrm/memory/guarantees-huge-pages",
        "huge-pages/head/are-discovered",
        "topology/prefer-closest-numa-nodes/favours-shorter-distance",
    ),
    since="1.26",
    beyond=NOT_SAID,
)
reconciling.sentence(
    "host/reconcile/cpusets-reach-the-cgroups",
    "After a pass of the reconcile loop the cgroup of every running container has the CPUs assigned to it, "
    "whatever it had.",
    rests_on=(
        "nrm/cpus/cpusets-enforce-exclusivity",
        "cpu-task/configuration/reconciles-through-the-cri",
        "cpu-1.8/static/cpusets-enforce-exclusivity",
    ),
)
reconciling.sentence(
    "host/reconcile/a-restart-mends-the-cgroups",
    "After a restart of the node agent two passes of the reconcile loop give the cgroup of every running container "
    "the CPUs assigned to it, whatever it had.",
    "node/restart",
    rests_on=("cpu-task/configuration/reconciles-through-the-cri",),
)
reconciling.sentence(
    "host/reconcile/leaves-other-cgroups-alone",
    "A pass of the reconcile loop writes no cpuset of a cgroup that belongs to no pod.",
    rests_on=("nrm/cpus/exclusive-against-other-pods", "cpu-1.8/static/exclusive-against-other-pods"),
    beyond="The pages say that system services may run on exclusive CPUs, not who writes their cgroups.",
)
reconciling.sentence(
    "host/reconcile/what-failed-is-tried-again",
    "A cpuset that could not be written in one pass of the reconcile loop is written in the next.",
    rests_on=("cpu-task/configuration/reconciles-through-the-cri",),
)
