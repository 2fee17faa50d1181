"""A host tree that is not there: what the kernel of a ``Machine`` would show below ``/sys`` and ``/proc``."""

from .writer import write_tree

__all__ = ["write_tree"]
