import tempfile
from pathlib import Path

import pytest


@pytest.fixture
def tmp_path():
    """Give a folder with a short name: that of a socket has at most 107 bytes, and pytest's own are long."""
    with tempfile.TemporaryDirectory(prefix="numa-") as folder:
        yield Path(folder)
