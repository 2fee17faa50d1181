"""The commands that serve what is unmodified as targets over the standard streams."""

from __future__ import annotations

import shlex
import sys


def serving(door: str, daemon: str, *options: str) -> str:
    """Return the command line of a door, such as ``nri-target``, for a daemon's, as a shell would split them."""
    return f"{shlex.join([sys.executable, '-m', 'numa_conformance', door, *options, '--'])} {daemon}"


def serving_kubelet(binary: str) -> str:
    """Return the command line for the kubelet at a path."""
    return shlex.join([sys.executable, "-m", "numa_conformance", "kubelet-target", binary])
