"""What Kubernetes does otherwise from one version to the next, where no page promises either way.

Departures from the documentation are quirks; options, gates and defaults have records of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from types import MappingProxyType

from .versions import KubernetesVersion


@dataclass(frozen=True, slots=True)
class VersionChange:
    """What one version began to do: ``before`` and ``after`` in words for who runs a node.

    ``rule`` names the behaviour rules, ``pull`` the pull request where one is known.
    """

    id: str
    rule: str
    since: KubernetesVersion
    before: str
    after: str
    pull: str | None = None


def _change(since: str, rule: str, *, before: str, after: str, pull: str | None = None) -> bool:
    """Define a flag of ``Changes``: off unless said, with what is known of the change as its metadata."""
    facts = {"since": KubernetesVersion.parse(since), "rule": rule, "before": before, "after": after, "pull": pull}
    return field(default=False, metadata=facts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Which changes a version has behind it: True is what it does since, False what was done before."""

    topology_options_unread_under_none: bool = _change(
        "1.28",
        "TOPO-OPT-06",
        before="options and scope of the Topology Manager are checked under policy none too",
        after="under policy none nothing of the Topology Manager is checked at start",
    )

    class_told_in_status_counts: bool = _change(
        "1.29",
        "ADM-QOS-08",
        before="the class of a pod is always computed from what it asks for",
        after="a class that stands in the pod's status counts, whatever the pod asks for",
    )

    missing_cpus_are_numbered: bool = _change(
        "1.29",
        "CPU-ALLOC-02",
        before='too few CPUs are told as "not enough cpus available to satisfy request"',
        after="the text says how many are requested and how many are available",
    )

    reservations_are_told_beside_capacity: bool = _change(
        "1.29",
        "ADM-RSV-01",
        before="a reservation above the capacity is told as an allocatable, beside what is left, which is negative",
        after="the text says how much is reserved, and how much the node has",
        pull="kubernetes/kubernetes#119764",
    )

    unlisted_resources_of_init_containers_are_passed_over: bool = _change(
        "1.31",
        "ADM-PRED-01",
        before="of an extended resource that the node does not list an init container or sidecar may ask for none: the "
        "pod is refused",
        after="such a resource is passed over, as app containers' is",
        pull="kubernetes/kubernetes#124273",
    )

    free_cores_told_when_none_are: bool = _change(
        "1.32",
        "CPU-ADM-02",
        before="with no free core at all full-pcpus-only says that the request is no multiple of the threads of a core",
        after="it says that 0 physical CPUs are available",
    )

    texts_of_topology_options_in_lower_case: bool = _change(
        "1.33",
        "TOPO-OPT-01",
        before='of a refused option the Topology Manager says "Topology Manager Policy Beta-level Options not enabled"',
        after='it says "topology manager policy beta-level options not enabled"',
    )

    device_hints_where_devices_are: bool = _change(
        "1.36",
        "DEV-HINT-11",
        before="hints for devices name any set of NUMA nodes that includes enough devices, nodes without one too",
        after="hints for devices name only NUMA nodes that have a device of the resource, so pods with devices may be "
        "aligned to other nodes, with other CPUs and memory, and some are refused that were admitted",
        pull="kubernetes/kubernetes#138244",
    )

    resize_looks_at_each_resource: bool = _change(
        "1.34",
        "CPU-ELIG-07, MEM-POL-08",
        before="beside a static CPU or Memory Manager no Guaranteed pod is resized in place, whatever is to change",
        after="only CPUs are not resized beside CPU Manager policy static, and memory beside Static",
    )

    resizes_pass_by_static_managers: bool = _change(
        "1.37",
        "ADM-RESIZE-02",
        before="a resize asks every manager for hints, and to give what a container lacks, as a new pod does",
        after="a resize asks the Device Manager alone for hints, and nobody gives; the hint kept of a container is "
        "what comes of that",
    )

    utilization_is_not_named_in_its_fault: bool = _change(
        "1.34",
        "SCH-SHAPE-02",
        before='points of a shape that are out of order are told as "utilization values must be sorted"',
        after='they are told as "values must be sorted"',
    )

    ratio_faults_name_their_field: bool = _change(
        "1.36",
        "SCH-SHAPE-02",
        before="faults of a shape are told of scoringStrategy.shape",
        after="they are told of scoringStrategy.requestedToCapacityRatio.shape, and a shape is refused beside another "
        "type of scoring",
    )

    state_files_newest_format_first: bool = _change(
        "1.36",
        "CPU-CKPT-08, MEM-CKPT-02",
        before="cpu_manager_state is read in its oldest format first; a memory_manager_state without a checksum "
        "is refused",
        after="state files are read in their newest format first and what is told of a damaged file is what the "
        "oldest format made of it; a memory_manager_state without a checksum is accepted",
    )

    state_files_in_an_envelope: bool = _change(
        "1.37",
        "CPU-CKPT-17, MEM-CKPT-09",
        before="cpu_manager_state and memory_manager_state hold the state once; files of the oldest format of "
        "cpu_manager_state are read",
        after="state files hold the state twice: as older kubelets read it, and as a text with a checksum of its own, "
        "which alone counts; the oldest format of cpu_manager_state is read no longer",
    )

    distribution_keeps_to_sockets: bool = _change(
        "1.37",
        "CPU-DIST-18",
        before="distribute-cpus-across-numa takes no notice of align-by-socket beside it: the most even set of NUMA "
        "nodes wins, across sockets too",
        after="beside align-by-socket NUMA nodes of one socket are preferred to a more even set across sockets, and a "
        "node gives what it has where an even share is more",
        pull="kubernetes/kubernetes#139778",
    )

    pod_limits_follow_containers: bool = _change(
        "1.37",
        "ADM-DEF-03",
        before="a pod with requests of its own and no limits is Burstable, whatever limits its containers have",
        after="a limit that such a pod lacks is set from its containers' limits, so that some pods are Guaranteed that "
        "were not (gate PodLevelResourcesFixDefaulting)",
    )

    class_by_container: bool = _change(
        "1.37",
        "ADM-QOS-07",
        before="requests and limits are added up over the pod before they are compared for its class",
        after="they are compared container by container, which tells only for pods that the API server refuses",
    )

    def without(self, *ids: str) -> Changes:
        """Return the changes with some of them not made."""
        return replace(self, **{name.replace("-", "_"): False for name in ids})

    def showing(self) -> tuple[str, ...]:
        """Return the ids of the changes that are made."""
        return tuple(flag.name.replace("_", "-") for flag in fields(self) if getattr(self, flag.name))

    @staticmethod
    @lru_cache
    def of(version: KubernetesVersion) -> Changes:
        """Return the changes that a version has behind it."""
        return Changes(**{flag.name: version >= flag.metadata["since"] for flag in fields(Changes)})


CHANGES: Mapping[str, VersionChange] = MappingProxyType(
    {name: VersionChange(name, **flag.metadata) for flag in fields(Changes) for name in [flag.name.replace("_", "-")]}
)
"""Change id to change, by version."""
