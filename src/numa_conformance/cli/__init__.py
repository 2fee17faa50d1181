"""The command ``numa-conformance``."""

from .app import main

__all__ = ["main"]
