"""Where the runs of a campaign are computed: in this process, or by Dask on many."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from ...errors import Fault, UsageError, closest

S = TypeVar("S")
J = TypeVar("J")
R = TypeVar("R")
ENGINES = {
    "local": "one run after the other, in this process",
    "dask": "a Dask cluster on this computer, a process per core",
    "tcp://HOST:PORT": "a Dask scheduler that is running already",
}


class Engine(Protocol):
    """Computes jobs that share data. Results come in the order of the jobs, whatever order they are computed in."""

    in_process: bool

    def map(self, function: Callable[[S, J], R], shared: S, jobs: Sequence[J]) -> Iterator[R]:
        """Yield ``function(shared, job)`` for each job."""
        ...


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
