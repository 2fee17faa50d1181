"""One pure function for each requirement. Importing this room declares them all."""

from ..judge.checker import checkers_of
from . import cpu_choices

__all__ = ["checkers_of", "cpu_choices"]
