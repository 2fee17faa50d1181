"""The command that serves an unmodified NRI plugin as a target over the standard streams."""

from __future__ import annotations

import shlex
import sys

__all__ = ["serving"]


def serving(plugin: str) -> str:
    """Return the command line for a plugin's command line, as a shell would split both."""
    return f"{shlex.join([sys.executable, '-m', 'numa_conformance', 'nri-target', '--'])} {plugin}"
