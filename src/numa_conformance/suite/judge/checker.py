"""``checker``: declares what judges one requirement, on one kind of subject."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

__all__ = ["CHECKERS", "Checker", "Violation", "checker", "checkers_of", "violated"]

S = TypeVar("S")
Judgement = Iterable["Violation"] | None
"""What is wrong; nothing wrong is an empty one; None: the requirement says nothing about this subject."""


@dataclass(frozen=True, slots=True)
class Violation:
    """What is wrong with an answer.

    ``why`` in words, ``got`` and ``allowed`` as a person reads them, ``marks``: CPUs that matter, by what they are.
    ``about``: of a node that was watched, the facts that show it, as ``judge/seen.py`` calls them.
    """

    why: str
    got: str = ""
    allowed: str = ""
    marks: Mapping[str, int] = field(default_factory=dict)
    about: tuple[str, ...] = ()


def violated(holds: object, why: str, *, got: object = "", allowed: object = "", **marks: int) -> Iterator[Violation]:
    """Yield a violation unless ``holds``; the names of ``marks`` are told beside the picture."""
    if not holds:
        yield Violation(why, str(got), str(allowed), marks)


@dataclass(frozen=True, slots=True)
class Checker:
    """A requirement, the class of the subjects it is about, and the function that judges one of them."""

    requirement: str
    subject: type
    judge: Callable[[Any], Judgement]


CHECKERS: list[Checker] = []
"""Every checker, in the order of declaration."""
_BY_SUBJECT: dict[type, tuple[Checker, ...]] = {}


def checker(requirement: str, subject: type[S]) -> Callable[[Callable[[S], Judgement]], Callable[[S], Judgement]]:
    """Declare a function as the judge of a requirement on subjects of one class.

    It is pure. It yields what is wrong, or returns None where the requirement does not apply: then it was not asked.
    """

    def declare(judge: Callable[[S], Judgement]) -> Callable[[S], Judgement]:
        CHECKERS.append(Checker(requirement, subject, judge))
        _BY_SUBJECT.clear()
        return judge

    return declare


def checkers_of(subject: type) -> tuple[Checker, ...]:
    """Return the checkers of a class of subjects."""
    known = _BY_SUBJECT.get(subject)
    if known is None:
        known = _BY_SUBJECT[subject] = tuple(check for check in CHECKERS if check.subject is subject)
    return known
