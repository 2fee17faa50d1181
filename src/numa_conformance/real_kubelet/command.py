"""The command that serves an unmodified kubelet as a target over the standard streams."""

from __future__ import annotations

import shlex
import sys

__all__ = ["serving"]


def serving(kubelet: str) -> str:
    """Return the command line for the program at a path, as a shell would split it."""
    return shlex.join([sys.executable, "-m", "numa_conformance", "kubelet-target", kubelet])
