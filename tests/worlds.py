"""What tests of chapters build their cases with, until their pairs stand beside the chapters."""

from __future__ import annotations

from types import ModuleType

from numa_conformance.suite.chapters.pairs import Judge, id_of
from numa_conformance.suite.generators.worlds import (
    admitted as admitted,
)
from numa_conformance.suite.generators.worlds import (
    bits as bits,
)
from numa_conformance.suite.generators.worlds import (
    block as block,
)
from numa_conformance.suite.generators.worlds import (
    held as held,
)
from numa_conformance.suite.generators.worlds import (
    node as node,
)
from numa_conformance.suite.generators.worlds import (
    refused as refused,
)
from numa_conformance.suite.generators.worlds import (
    resident as resident,
)
from numa_conformance.suite.judge.chapter import CHECKERS, checkers_of
from numa_conformance.suite.judge.views import views

Case = tuple[object, object]
"""A subject that breaks a requirement, and one that keeps it."""


def breaks(requirement: str | Judge, subject: object) -> bool | None:
    """Tell whether a subject breaks a requirement; None where the requirement says nothing about it."""
    shown = (subject, *views(subject))
    judged = [
        list(wrong)
        for each in shown
        for check in checkers_of(type(each))
        if check.requirement == id_of(requirement) and (wrong := check.judge(each)) is not None
    ]
    return any(judged) if judged else None


def judged_in(room: ModuleType) -> set[str]:
    """Return the requirements for which a module of checkers has one."""
    return {check.requirement for check in CHECKERS if check.function.__module__ == room.__name__}
