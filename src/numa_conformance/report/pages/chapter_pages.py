"""One page for each chapter: its sentences, when they are asked, and of each judge a question and two answers."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...asking.examples.index import asked_by, index_of_tests
from ...asking.findings.telling import finding_of
from ...asking.findings.two_pictures import drawn
from ...chapters import REQUIREMENTS, Requirement
from ...chapters.pairs import Pair, pairs, violations
from ...judging.allocated import AllocatedCpus
from ...judging.chapter import CHAPTER_OF, Checker, Violation, judges_of
from ...judging.choice import CpuChoice
from ...judging.reasons import reasons_of
from ...judging.verdicts import judge
from ...wire.history.history import History
from .links import page_of
from .markdown import joined
from .outcomes import outcome
from .questions import machine_of, question
from .statements_page import statement_links

HOW_TO_READ = """\
Of each judge there is what was given and asked, an answer that is wrong and one that is right. A picture has a row for
each cache of a NUMA node. Between two bars are the CPUs of a core, and a sign for who has each; `[ab]` are two at once.
The line below tells whose signs they are."""


def chapters() -> Mapping[str, list[Requirement]]:
    """Return the requirements of each chapter by the name of its page, in the order of the book."""
    book: dict[str, list[Requirement]] = {}
    for requirement in REQUIREMENTS.values():
        book.setdefault(page_of(requirement.id), []).append(requirement)
    return book


def title_of(requirements: Sequence[Requirement]) -> str:
    """Return the first line of the chapter of these requirements, which names its page of Kubernetes."""
    return (sys.modules[CHAPTER_OF[requirements[0].id]].__doc__ or "").partition("\n")[0]


def chapter_pages() -> Mapping[str, str]:
    """Return the text of each page below ``docs/requirements/`` by its name, without its ending."""
    return {page: _page(requirements) for page, requirements in chapters().items()}


def _page(requirements: Sequence[Requirement]) -> str:
    lines = [
        f"# {title_of(requirements)}",
        "",
        "Made by `numa-conformance requirements --pages docs`.",
        "",
        HOW_TO_READ,
    ]
    for requirement in requirements:
        lines += ["", f"### `{requirement.id}`", "", requirement.text, "", *_facts(requirement)]
        for check in judges_of(requirement.id):
            if check.function in pairs():
                lines += _pair(check, pairs()[check.function])
    return joined(lines)


def _facts(requirement: Requirement) -> list[str]:
    versions = f"since {requirement.since}" + (f" until {requirement.until}" if requirement.until else "")
    tests = ", ".join(f"`{name}`" for name in index_of_tests().get(requirement.id, ()))
    facts = [
        f"{requirement.strength}, level {requirement.level}, {versions}.",
        f"Source: [{requirement.source}]({requirement.address}).",
        f"Statements: {statement_links(requirement.statements, '../')}.",
        *([f"Beyond them: {requirement.beyond.rstrip('.')}."] if requirement.beyond else ()),
        f"Features: {', '.join(f'`{name}`' for name in requirement.features) or 'none'}.",
        f"Tested by {' and '.join(asked_by(requirement.id)) or requirement.command or 'nothing'}: {tests or 'none'}.",
    ]
    reasons = reasons_of(requirement.id)
    return [f"- {fact}" for fact in (*facts, *([f"Not tested where {'; '.join(reasons)}."] if reasons else ()))]


def _pair(check: Checker, pair: Pair) -> Iterator[str]:
    wrong, right = pair
    violation = (violations(check, wrong) or [Violation("")])[0]
    got = f" Answered: {violation.got}." if violation.got else ""
    allowed = f" Allowed: {violation.allowed}." if violation.allowed else ""
    yield from ("", f"Given: {question(wrong)}.", "", f"Wrong: {violation.why}.{got}{allowed}")
    yield from _block(_picture(check, wrong, violation.marks))
    yield from ("", f"Right: {outcome(wrong, right)}", *_block(_picture(check, right, {})))


def _block(picture: str) -> list[str]:
    return ["", "```text", *picture.splitlines(), "```"] if picture else []


def _picture(check: Checker, case: object, marks: Mapping[str, int]) -> str:
    """Draw who has which CPUs in a case; empty where it shows none."""
    if isinstance(case, History):
        broken = (each for each in judge(case).broken if each.requirement == check.requirement)
        return next((finding_of(each).picture or "" for each in broken), "")
    after: Any = getattr(case, "after", None) or getattr(case, "world", None)
    machine = machine_of(case)
    if machine is None:
        return ""
    pods = getattr(after, "pods", {}).items()
    held = {f"{uid}/{name}": held.cpus for uid, pod in pods for name, held in pod.held.items()}
    chosen = case.answer if isinstance(case, CpuChoice) else case.cpus if isinstance(case, AllocatedCpus) else None
    return drawn(machine, held or {"container": chosen or 0}, marks)
