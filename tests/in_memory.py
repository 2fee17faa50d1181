"""Where the tests' own files lie: in memory, where there is room. A disk takes many times as long for small ones."""

import os
import tempfile
from pathlib import Path

MEMORY = Path("/dev/shm")
ENOUGH = 2 << 30
"""Bytes that are free before it is used: containers often have a small one."""


def keep_files_in_memory() -> None:
    """Let this process, and what it starts, make temporary files in memory; a ``TMPDIR`` that is set already stays."""
    if "TMPDIR" not in os.environ and _is_of_use():
        os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)


def _is_of_use() -> bool:
    if not os.access(MEMORY, os.W_OK | os.X_OK):
        return False
    system = os.statvfs(MEMORY)
    return system.f_bavail * system.f_frsize >= ENOUGH and not system.f_flag & os.ST_NOEXEC
