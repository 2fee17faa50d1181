"""Where the trees of hosts lie: in memory, as those of a kernel do."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from numa_conformance.files import memory_folder

SIZE = 64 << 20
"""Bytes that the trees of one test may take."""


@pytest.fixture
def host_folder(request: pytest.FixtureRequest) -> Iterator[Path]:
    """Give a folder for the trees of one test; below ``--basetemp`` where it is named."""
    if request.config.option.basetemp:
        yield request.getfixturevalue("tmp_path")
        return
    with TemporaryDirectory(prefix="numa-conformance-", dir=memory_folder(SIZE)) as folder:
        yield Path(folder)
