"""Many runs over strategies and seeds, and what each of them came to."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from ...kube import ClusterObjects, NodeResourcesFitArgs
from .engines import Engine
from .groups import Fleet
from .run import FleetRun, Track, fill_cluster


@dataclass(frozen=True)
class Setup:
    """One way to schedule, under the name it has in reports."""

    label: str
    args: NodeResourcesFitArgs


@dataclass(frozen=True)
class Job:
    """One run: a setup and a seed."""

    setup: Setup
    seed: int = 0


@dataclass(frozen=True)
class RefusedPod:
    """A pod that the scheduler placed and its node refused. ``bound``: it was on the node from the beginning."""

    uid: str
    node: str
    reason: str
    message: str
    bound: bool


@dataclass(frozen=True)
class RunOutcome:
    """What one run came to; counts of pods and CPUs. ``stranded_cpu`` is in millicores, as the scheduler counts."""

    setup: str
    seed: int
    placements: dict[str, str]
    unschedulable: dict[str, dict[str, int]]
    refused: tuple[RefusedPod, ...]
    nodes_used: int
    free_cpu: int
    stranded_cpu: int
    free_exclusive_cpus: int
    stranded_exclusive_cpus: int
    numa_fragmentation: float

    @property
    def affinity_errors(self) -> int:
        """The pods refused for their NUMA affinity: the scheduler does not know topology."""
        return self.reasons["TopologyAffinityError"]

    @property
    def reasons(self) -> Counter[str]:
        """How many pods nodes refused, by reason."""
        return Counter(pod.reason for pod in self.refused)


def run_campaign(
    cluster: ClusterObjects,
    fleet: Fleet,
    jobs: Sequence[Job],
    engine: Engine,
    *,
    lots: bool = False,
    documented: bool = False,
    track: Track | None = None,
) -> Iterator[RunOutcome]:
    """Yield the outcome of every job, in the order of the jobs.

    ``lots``: each seed draws lots among equal scores. ``documented``: by the documentation, in place of Kubernetes as
    it is. ``track`` sees the pods of a run go by where the engine runs in this process.
    """
    seen_by = track if engine.in_process else None
    fill = partial(fill_cluster, cluster, fleet, lots=lots, documented=documented, track=seen_by)
    return engine.map(partial(_run, {pod.uid for pod in cluster.bound}), fill, jobs)


def _run(bound: set[str], fill: partial[FleetRun], job: Job) -> RunOutcome:
    """Compute a job; what all jobs share travels to the workers of an engine once."""
    run = fill(job.setup.args, seed=job.seed)
    report = run.report
    return RunOutcome(
        setup=job.setup.label,
        seed=job.seed,
        placements=dict(report.placements),
        unschedulable={pod.uid: dict(pod.reasons) for pod in report.unschedulable},
        refused=tuple(
            RefusedPod(pod.uid, pod.node, pod.refusal.reason, pod.refusal.message, pod.uid in bound)
            for pod in report.refused
        ),
        nodes_used=sum(bool(node.pods) for node in report.nodes),
        free_cpu=sum(node.free_cpu for node in report.nodes),
        stranded_cpu=report.stranded_cpu,
        free_exclusive_cpus=run.free,
        stranded_exclusive_cpus=run.stranded_exclusive,
        numa_fragmentation=run.fragmentation,
    )
