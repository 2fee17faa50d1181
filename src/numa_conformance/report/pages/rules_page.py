"""The page of the rules."""

from __future__ import annotations

from collections.abc import Iterable

from ...sources.rules import CHAPTERS, Rule, anchor_of
from .markdown import joined


def rules_page() -> str:
    """Return ``docs/rules.md``."""
    lines = [
        "# Rules",
        "",
        "How the kubelet and kube-scheduler behave, one line each. The reference does so at level `exact`. The code, "
        "the quirks and the explanations cite rules by id. *Documented* rules stand on a page of Kubernetes. "
        "*Implemented* ones were found in the programs. Ids never change and are never used again. "
        "Made by `numa-conformance requirements --rules`.",
    ]
    for manager, chapters in CHAPTERS.items():
        lines += ["", f"## {manager}"]
        for chapter in chapters:
            lines += ["", f"### {chapter.title}", "", *map(_rule_line, chapter.rules)]
    return joined(lines)


def rule_address(rule: str) -> str:
    """Return where the project's documentation tells a rule."""
    return f"docs/rules.md#{anchor_of(rule)}"


def rule_links(rules: Iterable[str]) -> str:
    """Return links from a page beside it to rules."""
    return ", ".join(f"[{rule}](rules.md#{anchor_of(rule)})" for rule in rules)


def _rule_line(rule: Rule) -> str:
    origin = " and ".join(
        word for word, holds in (("documented", rule.documented), ("implemented", rule.implemented)) if holds
    )
    return f'- <a id="{anchor_of(rule.id)}"></a>**{rule.id}** ({origin}) {rule.text}'
