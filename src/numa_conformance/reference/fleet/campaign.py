"""Where the runs of a campaign are computed: in this process, or by Dask on many."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from ...errors import Fault, UsageError, closest
from ...kube import ClusterObjects, NodeResourcesFitArgs
from .groups import Fleet
from .run import FleetRun, Track, fill_cluster

S = TypeVar("S")
J = TypeVar("J")
R = TypeVar("R")
ENGINES = {
    "local": "one run after the other, in this process",
    "dask": "a Dask cluster on this computer, a process per core",
    "tcp://HOST:PORT": "a Dask scheduler that is running already",
}


class _Local:
    in_process = True

    def map(self, function: Callable[[S, J], R], shared: S, jobs: Sequence[J]) -> Iterator[R]:
        return (function(shared, job) for job in jobs)


class _Dask:
    in_process = False

    def __init__(self, client: Any) -> None:
        self._client = client

    def map(self, function: Callable[[S, J], R], shared: S, jobs: Sequence[J]) -> Iterator[R]:
        scattered = self._client.scatter(shared, broadcast=True, hash=False)
        futures = [self._client.submit(function, scattered, job, pure=False) for job in jobs]
        return (future.result() for future in futures)


Engine = _Local | _Dask
"""Computes jobs that share data. Results come in the order of the jobs, whatever order they are computed in."""


@contextmanager
def open_engine(name: str) -> Iterator[Engine]:
    """Open an engine by its name in ``ENGINES``, or a Dask scheduler by its address; close it at the end.

    Raises ``UsageError`` for unknown names, for a missing extra and for a scheduler that does not answer.
    """
    if name == "local":
        yield _Local()
        return
    if name != "dask" and "://" not in name:
        raise UsageError(Fault("--engine", f"there is no engine {name!r}", ", ".join(ENGINES), closest(name, ENGINES)))
    try:
        from distributed import Client
    except ImportError as error:
        message = "Dask is not installed; pip install 'numa-conformance[dask]' adds it"
        raise UsageError(Fault("--engine", message)) from error
    try:
        client = Client(None if name == "dask" else name, **(_HERE if name == "dask" else {}), timeout=10)
    except (OSError, ValueError) as error:
        raise UsageError(Fault("--engine", f"no Dask scheduler answers at {name}: {error}")) from error
    with client:
        yield _Dask(client)


_HERE = {"threads_per_worker": 1, "dashboard_address": None}
"""A process per core, since the work is Python's own, and no server for a person to watch."""


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
    """What one run came to; counts of pods and CPUs. ``stranded_cpu`` is in millicores, as the scheduler counts.

    ``placed`` are the pods that found a node, ``placements`` those too that had one from the beginning.
    """

    setup: str
    seed: int
    placed: int
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
        placed=len(report.placements.keys() - bound),
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
