"""``Rule`` and ``RuleChapter``, how their text is read, and all of them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ...files import match_line, parts_of, text_of

_RULE = re.compile(r"([A-Z]+-[A-Z]+-[0-9]{2}) \[(doc|impl|doc\+impl)\] (\S.*)")


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of behaviour, in our words.

    ``id`` never changes and is never used again. A rule is ``documented`` when a page of Kubernetes says so, and
    ``implemented`` when it was found in the kubelet or the scheduler; where both differ the text says how.
    """

    id: str
    text: str
    documented: bool
    implemented: bool


@dataclass(frozen=True, slots=True)
class RuleChapter:
    """The rules of one subject."""

    title: str
    rules: tuple[Rule, ...]


def anchor_of(rule: str) -> str:
    """Return where docs/rules.md has a rule: ``cpu-alloc-12`` for ``CPU-ALLOC-12``."""
    return rule.lower()


def rule_address(rule: str) -> str:
    """Return where the project's documentation tells a rule."""
    return f"docs/rules.md#{anchor_of(rule)}"


def read_chapters(text: str) -> Iterator[RuleChapter]:
    """Read chapters: ``# title``, then a rule a paragraph, ``ID [doc|impl|doc+impl] text``, continued by indentation.

    Raises ``ValueError``, as the texts are ours.
    """
    yield from (RuleChapter(title, tuple(map(_read_rule, lines))) for title, lines in parts_of(text))


def _read_rule(line: str) -> Rule:
    id, origin, text = match_line(_RULE, line, "a rule")
    return Rule(id, text, documented="doc" in origin, implemented="impl" in origin)


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
