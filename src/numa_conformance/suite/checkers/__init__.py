"""One pure function for each requirement. Importing this room declares them all."""

from ..judge.checker import checkers_of
from . import admissions, classes, cpu_choices, cpu_life, merges, scores

__all__ = ["admissions", "checkers_of", "classes", "cpu_choices", "cpu_life", "merges", "scores"]
