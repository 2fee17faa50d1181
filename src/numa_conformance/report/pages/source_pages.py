"""The pages of what Kubernetes says and does: statements, quirks, rules."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from itertools import groupby

from ...chapters import REQUIREMENTS
from ...sources.pages import PAGES, Section
from ...sources.quirks import QUIRKS
from ...sources.rules import CHAPTERS, Rule, anchor_of
from ...sources.statements import STATEMENTS, Statement
from .markdown import joined, link_to, table


def rules_page() -> str:
    """Return ``docs/rules.md``."""
    lines = [
        "# Rules",
        "",
        "How the kubelet and kube-scheduler behave, one line each. The reference does so at level `exact`, but for "
        "what is [not modelled](versions.md#not-modelled), handler by handler of "
        "[admission](versions.md#the-chain-of-admission). The code, the quirks and the explanations cite rules by id. "
        "*Documented* rules stand on a page of Kubernetes. *Implemented* ones were found in the programs. Ids never "
        "change and are never used again. Made by `numa-conformance requirements --rules`.",
    ]
    for manager, chapters in CHAPTERS.items():
        lines += ["", f"## {manager}"]
        for chapter in chapters:
            lines += ["", f"### {chapter.title}", "", *map(_rule_line, chapter.rules)]
    return joined(lines)


def rule_links(rules: Iterable[str]) -> str:
    """Return links from a page beside it to rules."""
    return ", ".join(f"[{rule}](rules.md#{anchor_of(rule)})" for rule in rules)


def _rule_line(rule: Rule) -> str:
    origin = " and ".join(
        word for word, holds in (("documented", rule.documented), ("implemented", rule.implemented)) if holds
    )
    return f'- <a id="{anchor_of(rule.id)}"></a>**{rule.id}** ({origin}) {rule.text}'


_ACTOR = {"scheduler": "The scheduler"}


def quirks_page() -> str:
    """Return ``docs/quirks.md``."""
    lines = [
        "# Quirks",
        "",
        "Where Kubernetes departs from its documentation. At level `exact` the reference shows every quirk of the "
        "Kubernetes version asked for; at level `documented` it shows none. "
        "Made by `numa-conformance quirks --markdown`.",
        "",
    ]
    for quirk in QUIRKS.values():
        rules = f" rules {rule_links(quirk.rules)};" if quirk.rules else ""
        issue = f" Public reference: {quirk.issue}." if quirk.issue else ""
        pull = f" Mended by {', '.join(quirk.pull)}." if quirk.pull else ""
        lines += [
            f"## `{quirk.id}`",
            "",
            f"{_ACTOR.get(quirk.area, 'The kubelet')}: {quirk.summary}.",
            "",
            f"The documentation, and the reference with the quirk off: {quirk.documented}.",
            "",
            f"Area {quirk.area};{rules} Kubernetes {quirk.versions}.{issue}{pull}",
            "",
        ]
    return joined(lines)


def requirements_of_statements() -> Mapping[str, list[str]]:
    """Return the requirements that rest on each statement."""
    asking: defaultdict[str, list[str]] = defaultdict(list)
    for requirement in REQUIREMENTS.values():
        for statement in requirement.statements:
            asking[statement].append(requirement.id)
    return asking


def statement_links(statements: Iterable[str], folder: str = "") -> str:
    """Return links to statements; ``folder``: from the page to that of the statements."""
    return ", ".join(f"[`{id}`]({folder}statements.md#{_anchor(id)})" for id in statements)


def statements_page() -> str:
    """Return ``docs/statements.md``."""
    asking = requirements_of_statements()
    lines = [
        "# Statements",
        "",
        "Every sentence of the pages that says how a node or the scheduler must behave, in our words. Each has its "
        'address and the requirements that rest on it. MUST: a page of the site says so. SHOULD: it says "best effort" '
        'or "attempts to", or it stands in a proposal, a reference of fields or source. MAY: a permission. Nothing '
        "forbids what it permits. Ids never change and are never used again. "
        "Made by `numa-conformance requirements --statements`.",
        "",
        *_overview(asking),
    ]
    for page, of_page in groupby(STATEMENTS.values(), key=lambda statement: statement.page):
        lines += ["", f"## [{page.title}]({page.address})", "", f"Read: {page.read}."]
        for section, statements in groupby(of_page, key=lambda statement: statement.section):
            lines += ["", f"### {_heading(section)}", ""]
            lines += [_line(statement, asking.get(statement.id, [])) for statement in statements]
    return joined(lines)


def _overview(asking: Mapping[str, list[str]]) -> list[str]:
    by_page = {page: [each for each in STATEMENTS.values() if each.page is page] for page in PAGES.values()}
    counted = ((page, _counts(statements, asking)) for page, statements in by_page.items() if statements)
    rows = [(f"[{page.title}]({page.address})", *counts) for page, counts in counted]
    total = ("all", *_counts(STATEMENTS.values(), asking))
    return table(("page", "statements", "asked", "not testable"), [*rows, total])


def _counts(statements: Collection[Statement], asking: Mapping[str, list[str]]) -> tuple[int, int, int]:
    tested = sum(statement.id in asking for statement in statements)
    return len(statements), tested, sum(statement.untestable is not None for statement in statements)


def _heading(section: Section) -> str:
    unsure = "" if section.checked else " (anchor not checked)"
    return f"[{section.title}]({section.address}){unsure}"


def _line(statement: Statement, requirements: list[str]) -> str:
    if statement.untestable:
        tests = f"*Not testable: {statement.untestable}.*"
    elif requirements:
        tests = f"Asked: {', '.join(map(link_to, requirements))}."
    else:
        tests = "*Not asked yet.*"
    return (
        f'- <a id="{_anchor(statement.id)}"></a>`{statement.id}` {statement.strength}, {statement.span}: '
        f"{statement.text} {tests}"
    )


def _anchor(id: str) -> str:
    return id.replace("/", "-").replace(".", "-")
