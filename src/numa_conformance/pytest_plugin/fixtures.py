"""Fixtures for one's own tests; nothing heavy is imported before one is used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from ..machine import Machine
    from .numa_cluster import NumaCluster


@pytest.fixture
def numa_machine() -> Callable[[str], Machine]:
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
def fake_sysfs(tmp_path: Path) -> Callable[[Machine], Path]:
    """Write a machine's ``/sys`` and ``/proc`` to a folder and return it."""
    from ..hostfs import write_tree

    def write(machine: Machine) -> Path:
        root = tmp_path / f"host-{machine.name or 'machine'}"
        write_tree(machine, root)
        return root

    return write


@pytest.fixture
def fake_cgroupfs(tmp_path: Path) -> Callable[..., Path]:
    """Write a cpuset hierarchy for pods (uid to container names) and return its root."""
    from ..hostfs import write_cgroup_tree

    def write(machine: Machine, pods: dict[str, list[str]], version: int = 2) -> Path:
        root = tmp_path / f"cgroup-v{version}"
        write_cgroup_tree(machine, root, pods, version=version)
        return root

    return write


@pytest.fixture(scope="session")
def numa_cluster_nodes() -> Path | None:
    """Give the NODES.yaml of ``numa_cluster``; to be overridden. None: two nodes of two kinds."""
    return None


@pytest.fixture(scope="session")
def numa_cluster_options() -> list[str]:
    """Give further options of ``numa-conformance up`` for ``numa_cluster``, as ``--scheduler``; to be overridden."""
    return []


@pytest.fixture(scope="session")
def numa_cluster_up(numa_cluster_nodes: Path | None, numa_cluster_options: list[str]) -> Iterator[NumaCluster]:
    """Bring up a cluster of real parts once, for all tests."""
    from .numa_cluster import bring_up

    with bring_up(numa_cluster_nodes, numa_cluster_options) as cluster:
        yield cluster


@pytest.fixture
def numa_cluster(numa_cluster_up: NumaCluster) -> Iterator[NumaCluster]:
    """Give a cluster of real parts without pods; what a test makes is deleted after it."""
    yield numa_cluster_up
    numa_cluster_up.reset()


def tell_cluster(item: pytest.Item, report: pytest.TestReport) -> None:
    """Add a picture of the cluster to the report of a test that failed with it."""
    cluster = getattr(item, "funcargs", {}).get("numa_cluster")
    if cluster is not None and report.when == "call" and report.failed:
        report.sections.append(("numa_cluster", cluster.picture()))
