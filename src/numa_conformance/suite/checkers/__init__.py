"""One pure function for each requirement. Importing this room declares them all."""

from ..judge.checker import checkers_of
from . import admissions, allocations, classes, cpu_choices, cpu_life, hints, merges, scores

__all__ = [
    "admissions",
    "allocations",
    "checkers_of",
    "classes",
    "cpu_choices",
    "cpu_life",
    "hints",
    "merges",
    "scores",
]
