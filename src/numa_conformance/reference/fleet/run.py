"""Pods go through the scheduler to nodes that decide for themselves."""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...errors import KubeletFails, Refusal, StartError
from ...kube import ClusterObjects, FeatureGates, NodeObject, NodeResourcesFitArgs, Pod, validate
from ...kube.resizes import allocation_of
from ...machine import KubeletView
from ...sources.quirks import Quirks
from ...sources.versions import DEFAULT
from ..managers.cpu import CpuPools, view_of
from ..managers.eligibility import exclusive_cpus
from ..node import Node, NodeFacts
from ..node.handlers import Applicant, Unmodelled, unmodelled
from ..scheduler import ClusterReport, Decided, Followed, follow_cluster, run_cluster
from .groups import Fleet

Track = Callable[[Sequence[Pod]], Iterable[Pod]]
"""Watches pods go by, to show progress."""


class NodeStacks:
    """The managers of every node whose machine is known. Raises ``StartError`` for a node that does not come up."""

    def __init__(self, nodes: Iterable[NodeObject], fleet: Fleet, *, documented: bool = False) -> None:
        """Bring up the nodes: as the kubelets of their versions, or as ``documented``."""
        self._nodes: dict[str, Node] = {}
        views: dict[tuple[int, bool], KubeletView] = {}
        for node in nodes:
            kind = fleet.kind_of(node.name)
            if kind is None:
                continue
            try:
                version = kind.version_on(node)
                validate(kind.kubelet, version)
                quirks = Quirks.none() if documented else Quirks.of(version)
                key = id(kind), quirks.cpu.node_wide_cache_is_no_uncore_cache
                if key not in views:
                    views[key] = view_of(kind.machine, quirks.cpu)
                self._nodes[node.name] = Node(
                    kind.machine,
                    kind.kubelet,
                    kubernetes_version=version,
                    quirks=quirks,
                    view=views[key],
                    resource_fit=True,
                    facts=NodeFacts(scheduled=True),
                )
            except StartError as error:
                raise StartError(error.stage, f"node {node.name}: {error.message}") from error

    def admit(self, name: str, pod: Pod) -> Refusal | Sequence[str]:
        """Ask a node to run a pod; a node without a known machine refuses nothing. Return who ended for it, by uid."""
        node = self._nodes.get(name)
        if node is None:
            return ()
        try:
            admission = node.admit(allocation_of(pod))
        except KubeletFails as error:
            return Refusal(type(error).__name__, str(error))
        if not admission.admitted:
            return Refusal(admission.reason or "", admission.message or "")
        return admission.preempted

    def free_cpus(self, name: str) -> tuple[int, ...]:
        """Return the CPUs that a node can still give exclusively, per NUMA node; none without policy static."""
        node = self._nodes.get(name)
        pools = node.pools.of(CpuPools) if node else None
        if node is None or pools is None or pools.reserved is None:
            return ()
        free = pools.shared & ~pools.reserved
        return tuple((free & cpus).bit_count() for cpus in node.machine.numa_bits.values())


def unmodelled_uses(cluster: ClusterObjects, fleet: Fleet) -> Iterator[tuple[Pod, list[Unmodelled]]]:
    """Yield of each pod what it uses that no node, nor the scheduler, looks at. Raises ``StartError``."""
    kinds = ((kind, kind.version_on(node)) for node in cluster.nodes if (kind := fleet.kind_of(node.name)))
    distinct = {(id(kind), version): (kind.kubelet, version) for kind, version in kinds}.values()
    nodes = [(config, FeatureGates.build(version, config.feature_gates)) for config, version in distinct]
    facts = NodeFacts(scheduled=True, storage=0)  # the scheduler compares what Nodes say of storage
    for pod in cluster.pods:
        applicants = (Applicant(pod, config, gates, facts) for config, gates in nodes)
        yield pod, list(dict.fromkeys(each for applicant in applicants for each in unmodelled(applicant)))


@dataclass(frozen=True)
class FleetRun:
    """What came of one run.

    ``free`` are the CPUs that nodes can still give exclusively. ``stranded_exclusive`` are those of them on nodes that
    have no room for, or refuse, the smallest pod of the run that asks for exclusive CPUs. ``fragmentation`` is the
    share of free exclusive CPUs outside the emptiest NUMA node of their node.
    """

    report: ClusterReport
    free: int
    stranded_exclusive: int
    fragmentation: float


def fill_cluster(
    cluster: ClusterObjects,
    fleet: Fleet,
    args: NodeResourcesFitArgs,
    *,
    seed: int = 0,
    lots: bool = False,
    documented: bool = False,
    track: Track | None = None,
) -> FleetRun:
    """Admit the pods that have a node, then schedule the others one after the other, and ask each node.

    Seed 0 keeps the order of the text; any other seed shuffles the waiting pods, and the nodes among which equal scores
    are decided. With ``lots`` a seed keeps both orders, and draws lots among equal scores. ``documented``: nodes and
    scheduler by the documentation, in place of Kubernetes as it is. Raises ``UsageError`` and ``StartError``.
    """
    nodes, waiting = list(cluster.nodes), list(cluster.waiting)
    draw = random.Random(seed)
    if seed and not lots:
        draw.shuffle(nodes)
        draw.shuffle(waiting)
    stacks = NodeStacks(nodes, fleet, documented=documented)
    quirks = (Quirks.none() if documented else Quirks.of(DEFAULT)).scheduler
    pods = [*cluster.bound, *waiting]
    by_lot = draw if lots else None
    report = run_cluster(nodes, pods, args, quirks=quirks, admit=stacks.admit, track=track, draw=by_lot)
    free = {node.name: sum(stacks.free_cpus(node.name)) for node in nodes}
    fragmentation = report.numa_fragmentation(stacks.free_cpus)
    cpus = [(sum(exclusive_cpus(pod, container) for container in pod.containers), pod) for pod in cluster.pods]
    smallest = min((each for each in cpus if each[0]), key=lambda each: each[0], default=(0, None))[1]
    stranded = sum(free[name] for name in _without_room(report, stacks, smallest))
    return FleetRun(report, sum(free.values()), stranded, fragmentation)


def follow_fleet(
    cluster: ClusterObjects,
    fleet: Fleet,
    args: NodeResourcesFitArgs,
    decided: Mapping[str, Decided],
    *,
    documented: bool = False,
) -> list[Followed]:
    """Go through the waiting pods as they were ``decided`` elsewhere, and ask each node as it was asked there.

    Raises ``UsageError`` and ``StartError``.
    """
    stacks = NodeStacks(cluster.nodes, fleet, documented=documented)
    quirks = (Quirks.none() if documented else Quirks.of(DEFAULT)).scheduler
    waiting = [pod for pod in cluster.waiting if pod.uid in decided]
    return follow_cluster(cluster.nodes, cluster.bound, waiting, decided, args, quirks=quirks, admit=stacks.admit)


def _without_room(report: ClusterReport, stacks: NodeStacks, probe: Pod | None) -> list[str]:
    """Return the nodes on which no further pod like ``probe`` can run. The nodes are not used afterwards."""
    if probe is None:
        return []
    another = Pod.from_dict({**probe.to_dict(), "metadata": {"name": "probe", "uid": "probe of what is left"}})
    return [node.name for node in report.nodes if not node.has_room or stacks.admit(node.name, another) != ()]
