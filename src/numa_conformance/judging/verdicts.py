"""``judge``: every checker that applies is asked at every step of a history."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import msgspec

from ..errors import Fault, UsageError, did_you_mean, faults_within
from ..machine.small import is_small
from ..sources.versions import KubernetesVersion
from ..wire.features import PROMISES
from ..wire.history.history import History
from ..wire.messages import METHODS
from .chapter import OTHERWISE, REQUIREMENTS, Checker, NotAsked, NotConfigured, Violation, checkers_of
from .node_subjects import Malformed
from .questions import QUESTIONS, QuestionError
from .subjects import subjects
from .telling import Telling

ANSWERED = "protocol/answers-every-question"
"""What a fault of the target breaks."""
WELL_FORMED = "protocol/answers-are-well-formed"
"""What every answer must be before anything can be said of it."""
SMALL_MACHINES = "small machines"
"""What stands for all small machines drawn by lot where machines are counted."""


class Broken(msgspec.Struct, frozen=True):
    """A requirement that an answer does not meet: at which step of which history, and what is wrong."""

    requirement: str
    history: History
    step: int
    violation: Violation


@dataclass(slots=True)
class HistoryVerdicts:
    """What came of judging histories: how often each requirement was asked, in how many histories, what is broken.

    ``held_back``: how often a requirement was not asked of what it could be asked of, and why. ``telling``: whether, as
    1 or 0, on a machine some other answer would have broken a requirement, of those whose other answers are looked at
    and that were asked there; all small machines are one.
    """

    tests: Counter[str] = field(default_factory=Counter)
    histories: Counter[str] = field(default_factory=Counter)
    held_back: Counter[tuple[str, str]] = field(default_factory=Counter)
    telling: Counter[tuple[str, str]] = field(default_factory=Counter)
    broken: list[Broken] = field(default_factory=list)
    steps: int = 0

    @property
    def unmet(self) -> set[str]:
        """The requirements that are broken."""
        return {broken.requirement for broken in self.broken}

    def not_asked(self, requirement: str) -> Counter[str]:
        """Return why a requirement was not asked of what it could be asked of, and how often."""
        return Counter({why: number for (name, why), number in self.held_back.items() if name == requirement})

    def add(self, more: "HistoryVerdicts") -> None:
        """Take over what came of further histories, but for what was telling: that is added up for all groups."""
        self.tests.update(more.tests)
        self.histories.update(more.histories)
        self.held_back.update(more.held_back)
        self.broken += more.broken
        self.steps += more.steps


@dataclass(slots=True)
class _Alike:
    """Subjects of one class under one configuration: what does not apply to one for that, applies to none."""

    checks: tuple[Checker, ...]
    configuration: object
    size: int = 0
    excluded: list[tuple[str, str, int]] = field(default_factory=list)

    @classmethod
    def of(cls, groups: "dict[object, _Alike]", subject: object, only: frozenset[str] | None) -> "_Alike":
        settings = getattr(subject, "settings", None)
        configuration = getattr(subject, "configuration", None) if settings is None else settings
        key = type(subject), configuration if settings is None else id(settings)
        group = groups.get(key)
        if group is None:
            kind: Any = type(subject)
            group = groups[key] = cls(_checkers_of(kind, only), configuration)
        group.size += 1
        return group


@lru_cache
def _checkers_of(subject: Any, only: frozenset[str] | None) -> tuple[Checker, ...]:
    checks = checkers_of(subject)
    return checks if only is None else tuple(check for check in checks if check.requirement in only)


def judge(
    history: History, known: Mapping[tuple[str, str], int] = MappingProxyType({}), only: Collection[str] | None = None
) -> HistoryVerdicts:
    """Ask every checker that applies, at every step; needs nothing but the history.

    ``known``: the ``telling`` of histories before; what was tellingly asked is not looked at again.
    ``only``: the requirements to judge by, beside those of every answer; all by default.
    """
    verdicts = HistoryVerdicts(steps=len(history.steps))
    held_back, tests = defaultdict[tuple[str, str], int](int), defaultdict[str, int](int)
    tests.update({ANSWERED: len(history.steps), WELL_FORMED: len(history.steps)})
    groups: dict[object, _Alike] = {}
    among = None if only is None else frozenset(only)
    telling = Telling(_known_name(history.head.machine.name), known)
    for number, subject in subjects(history):
        if isinstance(subject, Malformed):
            verdicts.broken.append(Broken(WELL_FORMED, history, number, Violation(subject.why)))
        group = _Alike.of(groups, subject, among)
        excluded: dict[Checker, str] = {}
        for check in group.checks:
            try:
                wrong = check.function(subject)
                if wrong is None:
                    held_back[check.requirement, OTHERWISE] += 1
                    continue
                if wrong:
                    verdicts.broken += [Broken(check.requirement, history, number, each) for each in wrong]
            except NotConfigured as reason:
                excluded[check] = reason.args[0]
            except NotAsked as reason:
                held_back[check.requirement, reason.args[0]] += 1
            else:
                tests[check.requirement] += 1
                if telling.looks_at(check):
                    telling.look(check, subject)
        if excluded:
            group.checks = tuple(each for each in group.checks if each not in excluded)
            group.excluded += [(check.requirement, reason, group.size - 1) for check, reason in excluded.items()]
    for group in groups.values():
        for requirement, why, since in group.excluded:
            held_back[requirement, why] += group.size - since
    verdicts.tests.update(tests)
    verdicts.telling.update(telling.counts)
    verdicts.held_back.update(held_back)
    verdicts.broken += [
        Broken(ANSWERED, history, number, Violation(f"{step.method} is not answered", got=step.fault))
        for number, step in enumerate(history.steps)
        if step.fault is not None
    ]
    verdicts.histories.update(dict.fromkeys(verdicts.tests, 1))
    return verdicts


def _known_name(name: str) -> str:
    """Return the machine that another one was made of: by renumbering, or with more on it."""
    return SMALL_MACHINES if is_small(name) else name.partition(",")[0].partition(" with ")[0].partition(" and ")[0]


def judge_from_file(history: History) -> HistoryVerdicts:
    """Judge a history from a file of anybody's, which tells no claims: what is asked by a claim alone is left out.

    Raises ``UsageError`` where its steps are not those of the protocol, or its version is none that is known.
    """
    known = QUESTIONS.keys() | METHODS.keys()
    for name in sorted({step.method for step in history.steps} - known):
        raise UsageError(Fault(history.id, f"{name!r} is no method{did_you_mean(name, known)}"))
    if history.head.version:
        with faults_within(history.id):
            KubernetesVersion.supported(history.head.version)
    try:
        verdicts = judge(history)
    except QuestionError as error:
        accepted = "what a report keeps, or numa-conformance check-node writes"
        raise UsageError(Fault(history.id, str(error), accepted)) from error
    promised = {id for id, known in REQUIREMENTS.items() if not PROMISES.keys().isdisjoint(known.features)}
    verdicts.broken = [each for each in verdicts.broken if each.requirement not in promised]
    for name in promised:  # what is left out counts as not asked
        del verdicts.tests[name], verdicts.histories[name]
    return verdicts
