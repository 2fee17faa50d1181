"""What a chapter is written with: a sentence is a function that says when it applies, and yields what is wrong."""

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from inspect import get_annotations
from typing import Any, Literal, TypeVar, get_args

from ..files import parts_of, text_of
from ..printable import as_line
from ..sources.pages import Section
from ..sources.statements import STATEMENTS, Statement
from ..sources.versions import KubernetesVersion, Span
from .releases import NEXT, introduced

Strength = Literal["MUST", "SHOULD"]
"""Whether a page demands it, or recommends it, tries it, or leaves it to a proposal: what is not followed is told."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """One thing that is asked of a target.

    ``id`` is permanent: it never changes and is never reused. ``text`` says in our words what is asked; ``statements``
    are the ids of the sentences it rests on, the one it follows from first. ``beyond`` tells what is asked and none of
    them says. It holds ``since`` a Kubernetes minor version, and ``until`` one where it no longer does. A target must
    claim all ``features`` to be asked. ``command``: what asks it, where no case of the suite does: of no target.
    ``introduced``: the release of the suite in which it came, or was last tightened.
    """

    id: str
    text: str
    statements: tuple[str, ...]
    since: str
    features: tuple[str, ...]
    area: str
    until: str | None = None
    strength: Strength = "MUST"
    level: Literal["documented", "exact"] = "documented"
    beyond: str | None = None
    command: str | None = None
    introduced: str = NEXT

    def holds_in(self, version: KubernetesVersion) -> bool:
        """Tell whether the requirement holds in a version."""
        until = None if self.until is None else KubernetesVersion.parse(self.until)
        return version in Span(KubernetesVersion.parse(self.since), until)

    @property
    def rests_on(self) -> tuple[Statement, ...]:
        """The statements, in full."""
        return tuple(STATEMENTS[id] for id in self.statements)

    @property
    def section(self) -> Section:
        """Where the first statement stands."""
        return STATEMENTS[self.statements[0]].section

    @property
    def source(self) -> str:
        """Page and section, for people."""
        return str(self.section)

    @property
    def address(self) -> str:
        """Where Kubernetes says so."""
        return self.section.address


T = TypeVar("T")
Judgement = Iterable["Violation"] | None
"""What is wrong; nothing wrong is an empty one; None: the requirement says nothing about this subject."""
AnyJudge = TypeVar("AnyJudge", bound=Callable[..., Judgement])
OTHERWISE = "nothing of it shows"
"""Why a requirement was not asked where its judge returns None and gives no reason."""


@dataclass(frozen=True, slots=True)
class Violation:
    """What is wrong with an answer.

    ``why`` in words, ``got`` and ``allowed`` as a person reads them, ``marks``: CPUs that matter, by what they are.
    ``about``: of a node that was watched, the facts that show it, as ``judging/sighting.py`` calls them.
    """

    why: str
    got: str = ""
    allowed: str = ""
    marks: Mapping[str, int] = field(default_factory=dict)
    about: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Show the line breaks in what a target has answered, or a file holds."""
        for name in ("why", "got", "allowed"):
            object.__setattr__(self, name, as_line(getattr(self, name)))


def violated(
    holds: object, why: str, *, got: object = "", allowed: object = "", about: tuple[str, ...] = (), **marks: int
) -> tuple[Violation, ...]:
    """Return one violation unless ``holds``; the names of ``marks`` are printed next to the picture."""
    return () if holds else (Violation(why, str(got), str(allowed), marks, about),)


class NotAsked(Exception):  # noqa: N818  (no error: the sentence says nothing of this subject)
    """A sentence does not apply to a subject; the text is the reason."""


def applies(condition: T | None, otherwise: str) -> T:
    """Return the condition if it is true; otherwise the sentence does not apply, for this reason."""
    if not condition:
        raise NotAsked(otherwise)
    return condition


class NotConfigured(NotAsked):
    """A sentence applies to no subject with the same configuration."""


def configured(condition: object, otherwise: str) -> None:
    """Go on if a condition is true that hangs on the subject's ``settings`` or ``configuration`` alone."""
    if not condition:
        raise NotConfigured(otherwise)


def exists(value: T | None, otherwise: str) -> T:
    """Return the value, which may be 0 or empty, if there is one; otherwise the sentence does not apply."""
    if value is None:
        raise NotAsked(otherwise)
    return value


@dataclass(frozen=True, slots=True, eq=False)
class Checker:
    """The id of a requirement, the classes of subjects that it is about, and the function that judges one."""

    requirement: str
    subjects: tuple[type, ...]
    function: Callable[[Any], Judgement]

    def judge(self, subject: object) -> list[Violation] | None:
        """Return what is wrong; None where the sentence does not apply."""
        try:
            wrong = self.function(subject)
            return None if wrong is None else list(wrong)
        except NotAsked:
            return None


REQUIREMENTS: dict[str, Requirement] = {}
"""Every requirement by id; chapters add theirs when they are imported."""
OF_TARGETS: dict[str, Requirement] = {}
"""Those that targets are asked; what no target is, a command asks."""
CHAPTER_OF: dict[str, str] = {}
"""The module of the chapter of each requirement, by its id."""
CHECKERS: list[Checker] = []
"""Every checker, in the order of declaration."""
_BY_SUBJECT: dict[type, tuple[Checker, ...]] = {}
_EVIDENCE: dict[Callable[..., Judgement], dict[str, Any]] = {}


def checkers_of(subject: type) -> tuple[Checker, ...]:
    """Return the checkers of a class of subjects, and those of its base classes."""
    known = _BY_SUBJECT.get(subject)
    if known is None:
        if not CHECKERS:
            raise AssertionError("no chapter is imported: import numa_conformance.chapters first")
        known = _BY_SUBJECT[subject] = tuple(check for check in CHECKERS if issubclass(subject, check.subjects))
    return known


def judges_of(id: str) -> list[Checker]:
    """Return the judges of a requirement, in the order of declaration."""
    return [check for check in CHECKERS if check.requirement == id]


def _declare(id: str, judge: Callable[..., Judgement]) -> None:
    """Add a judge, which is about the classes that the annotation of its first free argument names."""
    function, bound = (judge.func, len(judge.args)) if isinstance(judge, partial) else (judge, 0)
    subject = [*get_annotations(function, eval_str=True).values()][bound]
    CHECKERS.append(Checker(id, get_args(subject) or (subject,), judge))
    _BY_SUBJECT.clear()


def judges(id: str) -> Callable[[AnyJudge], AnyJudge]:
    """Declare a further judge of a requirement: what shows of it on other subjects."""

    def declare(judge: AnyJudge) -> AnyJudge:
        _declare(id, judge)
        return judge

    return declare


def rests_on(*statements: str, **more: str) -> Callable[[AnyJudge], AnyJudge]:
    """Say below ``requires`` which statements a sentence rests on; ``more``: what is asked ``beyond`` them."""

    def note(judge: AnyJudge) -> AnyJudge:
        _EVIDENCE[judge] = {"rests_on": statements, **more}
        return judge

    return note


recommended_by = partial(rests_on, strength="SHOULD")  # for a sentence that is recommended, and not demanded


def _notes_of(module: str) -> dict[str, dict[str, Any]]:
    """Return id to what the text beside a module has: a sentence, ``rests on: ID, ID``, ``beyond: TEXT``."""
    package, _, name = module.rpartition(".")
    try:
        text = text_of(package, f"{name}.txt")
    except FileNotFoundError:
        return {}
    notes: dict[str, dict[str, Any]] = {}
    for id, lines in parts_of(text):
        known = notes.setdefault(id, {})
        for key, _, value in (line.partition(": ") for line in lines):
            if key in ("rests on", "recommended by"):
                known |= {"rests_on": tuple(value.split(", ")), "strength": "MUST" if key == "rests on" else "SHOULD"}
            else:
                known |= {"beyond": value} if key == "beyond" else {"text": f"{key}: {value}" if value else key}
    return notes


class Chapter:
    """A page, an option or a door: what its sentences have in common.

    ``features``: claimed by each target that is asked, before a sentence's own. ``since``: the Kubernetes version of
    sentences that name none. ``area``: the heading in reports; None for the first part of the id. ``command``: what
    asks its sentences, where they are asked of no target.
    """

    def __init__(
        self, *features: str, since: str | None = None, area: str | None = None, command: str | None = None
    ) -> None:
        self._features, self._since, self._area, self._command = features, since, area, command
        self._module = sys._getframe(1).f_globals["__name__"]
        self._notes = _notes_of(self._module)

    def sentence(
        self,
        id: str,
        text: str,
        *features: str,
        rests_on: tuple[str, ...],
        since: str | None = None,
        until: str | None = None,
        strength: Strength = "MUST",
        beyond: str | None = None,
        area: str | None = None,
        level: Any = "documented",
    ) -> Requirement:
        """Declare a requirement that no history shows: a case by hand asks it. ``Requirement`` has the arguments."""
        if (since := since or self._since) is None:
            raise AssertionError(f"requirement {id} names no version since which it is true")
        if id in REQUIREMENTS:
            raise AssertionError(f"the requirement id {id} is declared twice")
        every, area = (*self._features, *features), area or self._area or id.split("/")[0]
        more = (until, strength, level, beyond, self._command, introduced(id))
        requirement = Requirement(id, text, rests_on, since, every, area, *more)
        REQUIREMENTS[id], CHAPTER_OF[id] = requirement, self._module
        if self._command is None:
            OF_TARGETS[id] = requirement
        return requirement

    def sentences(self) -> list[Requirement]:
        """Declare those that have no judge: the text beside the module has them, each with what it rests on."""
        return [self.sentence(id, **notes) for id, notes in self._notes.items() if "text" in notes]

    def requires(self, id: str, *features: str, **more: Any) -> Callable[[AnyJudge], AnyJudge]:
        """Declare a requirement and its judge; the first paragraph of the judge's docstring is the sentence.

        The judge is pure. It says with ``applies`` when the sentence applies, and yields what is wrong. The annotation
        of its argument says of what. ``more``: the keywords of ``sentence``, of which ``rests_on`` may stand below.
        """

        def declare(judge: AnyJudge) -> AnyJudge:
            text = " ".join((judge.__doc__ or "").partition("\n\n")[0].split())
            self.sentence(id, text, *features, **_EVIDENCE.get(judge, self._notes.get(id, {})), **more)
            _declare(id, judge)
            return judge

        return declare

    def twin(
        self, id: str, text: str, *features: str, flag: str = "in_use", **more: Any
    ) -> Callable[[AnyJudge], AnyJudge]:
        """Declare what is recommended where its twin is demanded: the same judge, whose argument ``flag`` is true.

        It stands above the twin, whose statements it has unless others are named.
        """

        def declare(judge: AnyJudge) -> AnyJudge:
            rests_on = REQUIREMENTS[CHECKERS[-1].requirement].statements
            self.sentence(id, text, *features, **{"strength": "SHOULD", "rests_on": rests_on, **more})
            _declare(id, partial(judge, **{flag: True}))
            return judge

        return declare
