"""Static policy options of the CPU Manager."""

from __future__ import annotations

from .requirement import Family, Requirement

__all__ = ["REQUIREMENTS"]

_STATIC = "cpu-manager/static"


_requirement = Family("cpu-manager/", area="cpu-manager options", features=(_STATIC,))

REQUIREMENTS: tuple[Requirement, ...] = (
    _requirement(
        "full-pcpus-only/refuses-a-partial-core",
        "A container that asks for exclusive CPUs whose number is not a multiple of the threads of a core is "
        "refused, with the reason SMTAlignmentError.",
        "cpu-manager/full-pcpus-only",
        statements=("nrm/full-pcpus-only/all-containers-must-fit", "nrm/full-pcpus-only/smt-alignment-error"),
        since="1.22",
        beyond="The page calls SMTAlignmentError the message of the pod; the reason is asked for.",
    ),
    _requirement(
        "full-pcpus-only/tells-that-whole-cores-are-missing",
        "A pod that is refused though enough CPUs are free, because no whole cores are, has the reason "
        "SMTAlignmentError.",
        "cpu-manager/full-pcpus-only",
        statements=("nrm/full-pcpus-only/smt-alignment-error", "nrm/full-pcpus-only/free-cores-must-suffice"),
        since="1.22",
        beyond="The page calls SMTAlignmentError the message of the pod; it may be its reason or in the message.",
    ),
    _requirement(
        "full-pcpus-only/gives-whole-cores",
        "Exclusive CPUs come as whole physical cores: no other container has a thread of these cores to itself.",
        "cpu-manager/full-pcpus-only",
        statements=(
            "nrm/full-pcpus-only/whole-cores",
            "nrm/full-pcpus-only/free-cores-must-suffice",
            "nrm/options/full-pcpus-only",
        ),
        since="1.22",
    ),
    _requirement(
        "distribute-cpus-across-numa/spreads-evenly",
        "Where one NUMA node is not enough, the exclusive CPUs of a container are divided evenly over the NUMA nodes"
        " that are needed.",
        "cpu-manager/distribute-cpus-across-numa",
        statements=(
            "nrm/distribute-cpus-across-numa/even",
            "nrm/distribute-cpus-across-numa/even-over-many-nodes",
            "nrm/distribute-cpus-across-numa/even-in-use",
            "nrm/options/distribute-cpus-across-numa",
        ),
        since="1.23",
    ),
    _requirement(
        "distribute-cpus-across-numa/keeps-one-node-where-one-suffices",
        "A request that one NUMA node can hold is still given from one NUMA node: the option concerns only requests "
        "that need more than one.",
        "cpu-manager/distribute-cpus-across-numa",
        statements=("nrm/distribute-cpus-across-numa/only-where-needed",),
        since="1.23",
    ),
    _requirement(
        "align-by-socket/stays-in-one-socket",
        "A container whose exclusive CPUs fit one socket, but no single NUMA node, is given them from one socket.",
        "cpu-manager/align-by-socket",
        "topology-manager/restricted",
        statements=("nrm/align-by-socket/aligned-at-the-socket", "nrm/options/align-by-socket"),
        since="1.25",
    ),
    _requirement(
        "align-by-socket/refuses-single-numa-node",
        "align-by-socket takes no effect beside the Topology Manager policy single-numa-node: the node does not come "
        "up, or refuses what no NUMA node holds.",
        "cpu-manager/align-by-socket",
        "topology-manager/single-numa-node",
        statements=("nrm/align-by-socket/not-with-single-numa-node",),
        since="1.25",
    ),
    _requirement(
        "align-by-socket/refuses-more-sockets-than-numa-nodes",
        "align-by-socket does not apply to hardware that has more sockets than NUMA nodes: the node does not come up, "
        "or admits what a NUMA node holds.",
        "cpu-manager/align-by-socket",
        "topology-manager/restricted",
        statements=("nrm/align-by-socket/not-with-more-sockets",),
        since="1.25",
    ),
    _requirement(
        "distribute-cpus-across-cores/takes-separate-cores",
        "Exclusive CPUs are taken from as many different physical cores as have a free CPU.",
        "cpu-manager/distribute-cpus-across-cores",
        statements=(
            "nrm/distribute-cpus-across-cores/separate-cores",
            "nrm/distribute-cpus-across-cores/as-many-cores-as-possible",
            "nrm/options/distribute-cpus-across-cores",
            "nrm/distribute-cpus-across-cores/less-under-load",
        ),
        since="1.31",
    ),
    _requirement(
        "distribute-cpus-across-cores/refuses-full-pcpus-only",
        "The node does not come up with distribute-cpus-across-cores beside full-pcpus-only.",
        "cpu-manager/distribute-cpus-across-cores",
        "cpu-manager/full-pcpus-only",
        statements=(
            "cpu-task/options/across-cores-stands-alone",
            "cpu-task/options/incompatible-options-fail-the-start",
        ),
        since="1.31",
    ),
    _requirement(
        "distribute-cpus-across-cores/refuses-distribution-across-numa",
        "The node does not come up with distribute-cpus-across-cores beside distribute-cpus-across-numa.",
        "cpu-manager/distribute-cpus-across-cores",
        "cpu-manager/distribute-cpus-across-numa",
        statements=(
            "cpu-task/options/across-cores-stands-alone",
            "cpu-task/options/incompatible-options-fail-the-start",
        ),
        since="1.31",
    ),
    _requirement(
        "strict-cpu-reservation/keeps-pods-off-reserved-cpus",
        "No pod of any class runs on the reserved CPUs: they are never in the shared pool and never exclusive.",
        "cpu-manager/strict-cpu-reservation",
        statements=(
            "nrm/strict-cpu-reservation/keeps-every-pod-off",
            "nrm/strict-cpu-reservation/means-the-explicit-set",
            "nrm/options/strict-cpu-reservation",
        ),
        since="1.32",
    ),
    _requirement(
        "prefer-align-cpus-by-uncorecache/stays-in-one-cache",
        "A container whose exclusive CPUs fit the free CPUs of one uncore cache is given them from one uncore cache.",
        "cpu-manager/prefer-align-cpus-by-uncorecache",
        statements=(
            "nrm/prefer-align-cpus-by-uncorecache/one-cache",
            "nrm/prefer-align-cpus-by-uncorecache/best-effort",
            "nrm/options/prefer-align-cpus-by-uncorecache",
        ),
        since="1.32",
        strength="SHOULD",
    ),
    _requirement(
        "prefer-align-cpus-by-uncorecache/never-refuses",
        "Alignment to uncore caches is best effort: a container that no cache can hold is admitted all the same.",
        "cpu-manager/prefer-align-cpus-by-uncorecache",
        statements=(
            "nrm/prefer-align-cpus-by-uncorecache/never-refuses",
            "nrm/prefer-align-cpus-by-uncorecache/falls-back-to-packing",
        ),
        since="1.32",
    ),
    _requirement(
        "full-pcpus-only/are-additive",
        "full-pcpus-only, distribute-cpus-across-numa and align-by-socket can be used together, each keeping its "
        "promise.",
        "cpu-manager/full-pcpus-only",
        "cpu-manager/distribute-cpus-across-numa",
        "cpu-manager/align-by-socket",
        statements=("cpu-task/options/full-pcpus-and-numa-add-up", "cpu-task/options/align-by-socket-adds-up"),
        since="1.25",
    ),
)
