"""Where the trees of hosts lie: in memory, as those of a kernel do."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from numa_conformance.files import TemporaryFolder

SIZE = 64 << 20
"""Bytes that the trees of one test may take."""


@pytest.fixture(scope="session")
def hosts(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give the folder of all trees, which goes with the run even where that is killed; in ``--basetemp`` if named."""
    if request.config.option.basetemp:
        yield tmp_path_factory.getbasetemp()
        return
    with contextlib.closing(TemporaryFolder("numa-conformance-hosts-", size=SIZE)) as folder:
        yield folder.path


@pytest.fixture
def host_folder(hosts: Path) -> Iterator[Path]:
    """Give a folder for the trees of one test."""
    with TemporaryDirectory(dir=hosts) as folder:
        yield Path(folder)
