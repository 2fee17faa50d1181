"""The command ``numa-conformance``."""

from .app import main as main
