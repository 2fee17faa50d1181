"""Whether a subject breaks a requirement, and which requirements a chapter judges."""

from __future__ import annotations

from types import ModuleType

from numa_conformance.chapters.pairs import Judge, violations
from numa_conformance.judging.chapter import CHECKERS, judges_of


def id_of(requirement: str | Judge) -> str:
    """Return the id of the requirement that a judge judges; an id is returned as it is."""
    if isinstance(requirement, str):
        return requirement
    return next(check.requirement for check in CHECKERS if check.function is requirement)


def breaks(requirement: str | Judge, subject: object) -> bool | None:
    """Tell whether a subject breaks a requirement; None where the requirement says nothing about it."""
    checks = judges_of(id_of(requirement))
    assert checks, f"no judge of {requirement}"
    judged = [found for check in checks if (found := violations(check, subject)) is not None]
    return any(judged) if judged else None


def judged_in(room: ModuleType) -> set[str]:
    """Return the requirements for which a module of checkers has one."""
    return {check.requirement for check in CHECKERS if check.function.__module__ == room.__name__}
