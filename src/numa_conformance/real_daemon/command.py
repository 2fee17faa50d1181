"""The commands that serve unmodified daemons as targets over the standard streams."""

from __future__ import annotations

import shlex
import sys

__all__ = ["serving"]


def serving(door: str, daemon: str, *options: str) -> str:
    """Return the command line of a door, such as ``nri-target``, for a daemon's, as a shell would split them."""
    return f"{shlex.join([sys.executable, '-m', 'numa_conformance', door, *options, '--'])} {daemon}"
