"""Fixtures for one's own tests; nothing heavy is imported before one is used."""

import contextlib
import shutil
import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ..errors import Fault, UsageError
from ..files import fake_filesystem, real_files

if TYPE_CHECKING:
    from ..machine import Machine
    from .numa_cluster import NumaCluster

_USING_FILES = frozenset({"numa_machine", "numa_snapshot", "fake_sysfs", "fake_cgroupfs"})


@pytest.fixture
def numa_machine() -> "Callable[[str], Machine]":
    """Load a machine of the catalogue, or a file: ``numa_machine("amd-milan-7763-nps4")``."""
    from ..machine import load_machine

    return load_machine


@pytest.fixture
def numa_snapshot(request: pytest.FixtureRequest) -> object:
    """Give syrupy's ``snapshot``, which writes a ``PlacementMap`` as a text with a map of the machine."""
    try:
        from ..snapshots import PlacementExtension
    except ImportError:
        pytest.fail("numa_snapshot needs syrupy: pip install 'numa-conformance[snapshots]'", pytrace=False)
    return request.getfixturevalue("snapshot").use_extension(PlacementExtension)


@pytest.fixture
def fake_sysfs(request: pytest.FixtureRequest) -> "Callable[[Machine], Path]":
    """Write a machine's ``/sys`` and ``/proc`` to a folder and return it; under pyfakefs that is ``/``."""

    def write(machine: "Machine") -> Path:
        from ..machine.hostfs import write_tree

        return _root(request, partial(write_tree, machine), f"host-{machine.name or 'machine'}", "/", ("sys", "proc"))

    return write


@pytest.fixture
def fake_cgroupfs(request: pytest.FixtureRequest) -> Callable[..., Path]:
    """Write a cpuset hierarchy for pods, and return its root: with pyfakefs ``/sys/fs/cgroup``."""

    def write(machine: "Machine", pods: dict[str, list[str]], version: int = 2) -> Path:
        from ..machine.hostfs import write_cgroup_tree

        tree = partial(write_cgroup_tree, machine, pods=pods, version=version)
        return _root(request, tree, f"cgroup-v{version}", "/sys/fs/cgroup")

    return write


def _root(
    request: pytest.FixtureRequest, write: Callable[[Path], None], folder: str, place: str, parts: Sequence[str] = ("",)
) -> Path:
    """Let a tree be written to a folder for this test and return it; under pyfakefs, to its place on a computer.

    pyfakefs is shown files of the disk, which it reads as they are opened: to write a large tree it needs 30 seconds.
    """
    fake = fake_filesystem()
    if fake is None:
        root: Path = request.getfixturevalue("tmp_path") / folder
        write(root)
        return root
    for part in parts:
        if fake.exists(f"{place}{part}"):
            raise UsageError(Fault(f"{place}{part}", "is there already", "a fake file system without it"))
    with real_files():  # not tmp_path, which is made and removed while pyfakefs stands in for the disk
        disk = tempfile.mkdtemp(prefix="numa-conformance-")
        request.addfinalizer(partial(_remove, disk))
        write(Path(disk))
    for part in parts:
        fake.add_real_directory(f"{disk}/{part}", read_only=False, target_path=f"{place}{part}")
    return Path(place)


def _remove(folder: str) -> None:
    with real_files():
        shutil.rmtree(folder)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Import what these fixtures use, where a test takes one: pyfakefs sees only what was imported before it began."""
    if any(_USING_FILES.intersection(getattr(item, "fixturenames", ())) for item in session.items):
        from ..machine import hostfs as hostfs

        with contextlib.suppress(ImportError):  # without syrupy
            from .. import snapshots as snapshots


@pytest.fixture(scope="session")
def numa_cluster_nodes() -> Path | None:
    """Give the NODES.yaml of ``numa_cluster``; to be overridden. None: two nodes of two kinds."""
    return None


@pytest.fixture(scope="session")
def numa_cluster_options() -> list[str]:
    """Give further options of ``numa-conformance cluster up`` for ``numa_cluster``; to be overridden."""
    return []


@pytest.fixture(scope="session")
def numa_cluster_up(numa_cluster_nodes: Path | None, numa_cluster_options: list[str]) -> "Iterator[NumaCluster]":
    """Bring up a cluster of real parts once, for all tests."""
    from .numa_cluster import bring_up

    with bring_up(numa_cluster_nodes, numa_cluster_options) as cluster:
        yield cluster


@pytest.fixture
def numa_cluster(numa_cluster_up: "NumaCluster") -> "Iterator[NumaCluster]":
    """Give a cluster of real parts without pods; what a test makes is deleted after it."""
    yield numa_cluster_up
    numa_cluster_up.reset()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add a picture of the cluster to the report of a test that failed with it."""
    report = yield
    cluster = getattr(item, "funcargs", {}).get("numa_cluster")
    if cluster is not None and report.when == "call" and report.failed:
        report.sections.append(("numa_cluster", cluster.picture()))
    return report
