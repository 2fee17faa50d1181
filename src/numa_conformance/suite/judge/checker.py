"""``checker``: declares what judges one requirement, on which kind of subject, and where it is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, overload

__all__ = ["CHECKERS", "OTHERWISE", "Checker", "Guard", "Violation", "checker", "checkers_of", "reasons_of", "violated"]

S = TypeVar("S")
T = TypeVar("T")
U = TypeVar("U")
S_contra = TypeVar("S_contra", contravariant=True)
Judgement = Iterable["Violation"] | None
"""What is wrong; nothing wrong is an empty one; None: the requirement says nothing about this subject."""
OTHERWISE = "nothing of it shows"
"""Why a requirement was not asked where no guard held it back, and its checker found nothing to judge."""


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


def violated(
    holds: object, why: str, *, got: object = "", allowed: object = "", about: tuple[str, ...] = (), **marks: int
) -> Iterator[Violation]:
    """Yield a violation unless ``holds``; the names of ``marks`` are told beside the picture."""
    if not holds:
        yield Violation(why, str(got), str(allowed), marks, about)


@dataclass(frozen=True, eq=False)
class Guard(Generic[S_contra]):
    """A condition under which requirements are asked of a subject: not where ``unless``, but where it ``holds``."""

    unless: str
    holds: Callable[[S_contra], object]


@dataclass(frozen=True, slots=True)
class Checker:
    """A requirement, the classes of the subjects it is about, where it is asked, and the function that judges one."""

    requirement: str
    subjects: tuple[type, ...]
    when: tuple[Guard[Any], ...]
    function: Callable[[Any], Judgement]

    def judge(self, subject: object) -> Judgement:
        """Judge one subject; None where the requirement is not asked of it."""
        return self.function(subject) if all(guard.holds(subject) for guard in self.when) else None


CHECKERS: list[Checker] = []
"""Every checker, in the order of declaration."""
_BY_SUBJECT: dict[type, tuple[Checker, ...]] = {}
Judge = Callable[[S], Judgement]


@overload
def checker(
    requirement: str, subject: type[S], /, *, when: Iterable[Guard[S]] = ()
) -> Callable[[Judge[S]], Judge[S]]: ...


@overload
def checker(
    requirement: str, subject: type[S], other: type[T], /, *, when: Iterable[Guard[S | T]] = ()
) -> Callable[[Judge[S | T]], Judge[S | T]]: ...


@overload
def checker(
    requirement: str, subject: type[S], other: type[T], third: type[U], /, *, when: Iterable[Guard[S | T | U]] = ()
) -> Callable[[Judge[S | T | U]], Judge[S | T | U]]: ...


def checker(
    requirement: str, subject: type, /, *others: type, when: Iterable[Guard[Any]] = ()
) -> Callable[[Judge[Any]], Judge[Any]]:
    """Declare a function as the judge of a requirement on subjects of one class, or of some that answer the same.

    It is pure. It is asked where all guards of ``when`` hold, which are tried in their order, and yields what is wrong.
    It returns None where only its own work shows that the requirement does not apply: then it was not asked.
    """

    def declare(judge: Judge[Any]) -> Judge[Any]:
        CHECKERS.append(Checker(requirement, (subject, *others), tuple(when), judge))
        _BY_SUBJECT.clear()
        return judge

    return declare


def reasons_of(requirement: str) -> list[str]:
    """Return why a requirement may not be asked of what conversations show, each reason once."""
    guards = (guard for check in CHECKERS if check.requirement == requirement for guard in check.when)
    return list(dict.fromkeys(guard.unless for guard in guards))


def checkers_of(subject: type) -> tuple[Checker, ...]:
    """Return the checkers of a class of subjects, those of what it is a special case of too."""
    known = _BY_SUBJECT.get(subject)
    if known is None:
        known = _BY_SUBJECT[subject] = tuple(check for check in CHECKERS if issubclass(subject, check.subjects))
    return known
