"""What came of asking a group, and where it shows that a requirement is not met."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain

from ..judging.chapter import REQUIREMENTS
from ..judging.verdicts import Broken, HistoryVerdicts
from ..machine.small import is_small
from ..wire.faults import TargetFault
from ..wire.history.history import History

MOST_BROKEN = 1_000
"""Histories that are kept of what is broken again and again: each takes a quarter of a megabyte."""


@dataclass(slots=True)
class GroupOutcome:
    """What came of a group: verdicts, the histories that a fault of the target ended, and those faults."""

    verdicts: HistoryVerdicts = field(default_factory=HistoryVerdicts)
    ended: list[tuple[History, TargetFault]] = field(default_factory=list)
    driven: int = 0
    group: str = ""
    whole: int = 0
    """How many scenarios the group has."""

    def add(self, more: "GroupOutcome") -> None:
        """Take over what came of further scenarios; what is known to be broken not beyond ``MOST_BROKEN`` histories."""
        if len({id(broken.history) for broken in self.verdicts.broken}) >= MOST_BROKEN:
            known, broken = self.verdicts.unmet, more.verdicts.broken
            more.verdicts.broken = [each for each in broken if each.requirement not in known]
        self.verdicts.add(more.verdicts)
        self.ended += more.ended
        self.driven += more.driven
        self.whole += more.whole


def broken_in(outcomes: Iterable[GroupOutcome], requirement: str) -> list[Broken]:
    """Return where a requirement is not met: on plain machines of the catalogue first, the shortest of each."""
    wrong = [broken for outcome in outcomes for broken in outcome.verdicts.broken if broken.requirement == requirement]

    def length(broken: Broken) -> tuple[bool, bool, int, int, str]:
        machine = broken.history.head.machine
        return is_small(machine.name), "," in machine.name, broken.step, len(machine.cpus), broken.history.id

    return sorted(wrong, key=length)


def broken_first_in(outcomes: Sequence[GroupOutcome], requirement: str) -> int:
    """Return in how many conversations a requirement is not met before, or when, any other is not.

    Those that only recommend do not count beside it: they are told apart.
    """
    first: dict[int, int] = {}
    exact: dict[int, int] = {}
    violations = (
        each for outcome in outcomes for each in outcome.verdicts.broken if not _recommended(each.requirement)
    )
    for broken in chain(violations, broken_in(outcomes, requirement) if _recommended(requirement) else ()):
        for steps in (first, exact) if broken.requirement == requirement else (first,):
            steps[id(broken.history)] = min(broken.step, steps.get(id(broken.history), broken.step))
    return sum(first[history] == step for history, step in exact.items())


def times_broken(outcomes: Iterable[GroupOutcome], requirement: str) -> int:
    """Return at how many questions a requirement is not met."""
    return len({(id(broken.history), broken.step) for broken in broken_in(outcomes, requirement)})


def _recommended(requirement: str) -> bool:
    return requirement in REQUIREMENTS and REQUIREMENTS[requirement].strength == "SHOULD"
