"""One pure function for each requirement. Importing this room declares them all."""

from ..judge.checker import checkers_of
from . import admissions, cpu_choices, cpu_life

__all__ = ["admissions", "checkers_of", "cpu_choices", "cpu_life"]
