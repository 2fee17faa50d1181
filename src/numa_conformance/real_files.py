"""Files of the disk, also in a test in which pyfakefs stands in for it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def fake_filesystem() -> Any:
    """Return the file system of pyfakefs while it stands in for the disk, None at other times."""
    return getattr(os, "filesystem", None)  # pyfakefs puts an ``os`` of its own into each module


@contextmanager
def real_files() -> Iterator[None]:
    """Let what is read and written meanwhile be files of the disk: data of this package, or of the user's tests."""
    fake = fake_filesystem()
    if fake is None:
        yield
        return
    fake.pause()
    try:
        yield
    finally:
        fake.resume()
