"""Nodes as folders are a thousand small files each: in memory where there is room, and gone with their test."""

import os
import tempfile
from pathlib import Path

import pytest

_MEMORY = "/dev/shm"


@pytest.fixture
def tmp_path():
    place = _MEMORY if os.access(_MEMORY, os.W_OK | os.X_OK) else None
    with tempfile.TemporaryDirectory(prefix="numa-conformance-", dir=place) as folder:
        yield Path(folder)
