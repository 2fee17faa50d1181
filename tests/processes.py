"""Processes of tests: whether one runs, and how long a test waits for what is bound to come."""

import time
from collections.abc import Callable
from pathlib import Path

PATIENCE = 600.0
"""Seconds. It guards against hanging alone: a busy machine needs minutes for what else takes a moment."""


def runs(number: int) -> bool:
    """Tell whether a process runs: one that has ended, and that nobody has waited for yet, does not."""
    try:
        stat = Path(f"/proc/{number}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def wait_until(holds: Callable[[], object]) -> None:
    """Wait until it holds: the one place where a test looks again and again."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, f"{PATIENCE:g} s, and it does not hold yet"
        time.sleep(0.01)
