"""One pure function for each requirement. Importing this room declares them all."""

from ..judge.checker import checkers_of
from . import (
    admissions,
    alignment,
    allocations,
    classes,
    cpu_choices,
    cpu_life,
    cpu_quota,
    crashes,
    device_life,
    hints,
    memory_life,
    merges,
    refusals,
    scores,
    start_options,
    start_settings,
)

__all__ = [
    "admissions",
    "alignment",
    "allocations",
    "checkers_of",
    "classes",
    "cpu_choices",
    "cpu_life",
    "cpu_quota",
    "crashes",
    "device_life",
    "hints",
    "memory_life",
    "merges",
    "refusals",
    "scores",
    "start_options",
    "start_settings",
]
