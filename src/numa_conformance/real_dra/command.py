"""The command that serves an unmodified DRA driver as a target over the standard streams."""

from __future__ import annotations

import shlex
import sys

__all__ = ["serving"]


def serving(driver: str) -> str:
    """Return the command line for a driver's command line, as a shell would split both."""
    return f"{shlex.join([sys.executable, '-m', 'numa_conformance', 'dra-target', '--'])} {driver}"
