"""All rules, by id and by chapter."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ...files import text_of
from .rule import Rule, RuleChapter, read_chapters

_MANAGERS = {
    "CPU Manager": ("cpu_machine", "cpu_policy", "cpu_allocation", "cpu_state"),
    "Topology Manager": ("topology",),
    "Memory Manager": ("memory",),
    "Device Manager": ("device",),
    "Admission": ("admission",),
    "Scheduler": ("scheduler",),
}

CHAPTERS: Mapping[str, tuple[RuleChapter, ...]] = MappingProxyType(
    {
        manager: tuple(chapter for name in names for chapter in read_chapters(text_of(__package__, f"{name}.txt")))
        for manager, names in _MANAGERS.items()
    }
)
"""The chapters of every manager."""

RULES: Mapping[str, Rule] = MappingProxyType(
    {rule.id: rule for chapters in CHAPTERS.values() for chapter in chapters for rule in chapter.rules}
)
"""Every rule, by id."""
