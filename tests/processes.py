"""Whether a process runs: one that has ended, and that nobody has waited for yet, does not."""

import time
from collections.abc import Callable
from pathlib import Path


def runs(number: int) -> bool:
    """Tell whether a process runs."""
    try:
        stat = Path(f"/proc/{number}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def wait_until(holds: Callable[[], object]) -> None:
    """Wait until it holds, half a minute at most: the machine may be busy."""
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end, "half a minute, and it does not hold yet"
        time.sleep(0.01)
