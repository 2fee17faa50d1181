import tempfile
from pathlib import Path

import pytest


@pytest.fixture
def tmp_path():
    """Give a folder on the disk: a target that starts kubelets lays memory of its own over /dev/shm."""
    with tempfile.TemporaryDirectory(prefix="numa-", dir="/var/tmp") as folder:
        yield Path(folder)
