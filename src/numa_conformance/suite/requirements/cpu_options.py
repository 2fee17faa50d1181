"""Static policy options of the CPU Manager."""

from __future__ import annotations

from .requirement import Requirement

__all__ = ["REQUIREMENTS"]

_PAGE = "Node Resource Managers"
_SECTION = "Static policy options"
_TASK = "Control CPU Management Policies on the Node"


def _requirement(
    id: str, text: str, option: str, *, since: str, page: str = _PAGE, features: tuple[str, ...] = ()
) -> Requirement:
    return Requirement(
        id=f"cpu-manager/{option}/{id}",
        text=text,
        page=page,
        section=_SECTION,
        since=since,
        features=("cpu-manager/static", f"cpu-manager/{option}", *features),
        area="cpu-manager options",
    )


REQUIREMENTS: tuple[Requirement, ...] = (
    _requirement(
        "refuses-a-partial-core",
        "A container that asks for exclusive CPUs whose number is not a multiple of the threads of a core is refused, "
        "with the reason SMTAlignmentError.",
        "full-pcpus-only",
        since="1.22",
    ),
    _requirement(
        "gives-whole-cores",
        "Exclusive CPUs come as whole physical cores: no other container has a thread of these cores to itself.",
        "full-pcpus-only",
        since="1.22",
    ),
    _requirement(
        "spreads-evenly",
        "Where one NUMA node is not enough, the exclusive CPUs of a container are divided evenly over the NUMA nodes "
        "that are needed.",
        "distribute-cpus-across-numa",
        since="1.23",
    ),
    _requirement(
        "keeps-one-node-where-one-suffices",
        "A request that one NUMA node can hold is still given from one NUMA node: the option concerns only requests "
        "that need more than one.",
        "distribute-cpus-across-numa",
        since="1.23",
    ),
    _requirement(
        "stays-in-one-socket",
        "A container whose exclusive CPUs fit one socket, but no single NUMA node, is given them from one socket.",
        "align-by-socket",
        since="1.25",
        features=("topology-manager/restricted",),
    ),
    _requirement(
        "refuses-single-numa-node",
        "The node does not come up with align-by-socket beside the Topology Manager policy single-numa-node.",
        "align-by-socket",
        since="1.25",
        features=("topology-manager/single-numa-node",),
    ),
    _requirement(
        "refuses-more-sockets-than-numa-nodes",
        "The node does not come up with align-by-socket on hardware that has more sockets than NUMA nodes.",
        "align-by-socket",
        since="1.25",
    ),
    _requirement(
        "takes-separate-cores",
        "Exclusive CPUs are taken from as many different physical cores as have a free CPU.",
        "distribute-cpus-across-cores",
        since="1.31",
    ),
    _requirement(
        "refuses-full-pcpus-only",
        "The node does not come up with distribute-cpus-across-cores beside full-pcpus-only.",
        "distribute-cpus-across-cores",
        since="1.31",
        page=_TASK,
        features=("cpu-manager/full-pcpus-only",),
    ),
    _requirement(
        "refuses-distribution-across-numa",
        "The node does not come up with distribute-cpus-across-cores beside distribute-cpus-across-numa.",
        "distribute-cpus-across-cores",
        since="1.31",
        page=_TASK,
        features=("cpu-manager/distribute-cpus-across-numa",),
    ),
    _requirement(
        "keeps-pods-off-reserved-cpus",
        "No pod of any class runs on the reserved CPUs: they are never in the shared pool and never exclusive.",
        "strict-cpu-reservation",
        since="1.32",
    ),
    _requirement(
        "stays-in-one-cache",
        "A container whose exclusive CPUs fit the free CPUs of one uncore cache is given them from one uncore cache.",
        "prefer-align-cpus-by-uncorecache",
        since="1.32",
    ),
    _requirement(
        "never-refuses",
        "Alignment to uncore caches is best effort: a container that no cache can hold is admitted all the same.",
        "prefer-align-cpus-by-uncorecache",
        since="1.32",
    ),
    _requirement(
        "are-additive",
        "full-pcpus-only, distribute-cpus-across-numa and align-by-socket can be used together, each keeping its "
        "promise.",
        "full-pcpus-only",
        since="1.25",
        page=_TASK,
        features=("cpu-manager/distribute-cpus-across-numa", "cpu-manager/align-by-socket"),
    ),
    Requirement(
        id="cpu-manager/options/alpha-needs-its-gate",
        text="An alpha option is refused unless the feature gate CPUManagerPolicyAlphaOptions is on.",
        page=_TASK,
        section="CPU Manager policy options",
        since="1.23",
        features=("cpu-manager/static", "cpu-manager/align-by-socket"),
        area="cpu-manager options",
    ),
    Requirement(
        id="cpu-manager/options/beta-needs-its-gate",
        text="A beta option is usable by default and refused when the feature gate CPUManagerPolicyBetaOptions is off.",
        page=_TASK,
        section="CPU Manager policy options",
        since="1.23",
        until="1.32",
        features=("cpu-manager/static", "cpu-manager/full-pcpus-only"),
        area="cpu-manager options",
    ),
    Requirement(
        id="cpu-manager/options/unknown-is-refused",
        text="The node does not come up with a policy option it does not know.",
        page=_TASK,
        section="CPU Manager policy options",
        since="1.22",
        features=("cpu-manager/static",),
        area="cpu-manager options",
    ),
)
