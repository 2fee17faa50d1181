"""Whether a question is telling: some other answer of the right form would break a requirement.

A question in which nothing can be wrong proves nothing, however often it is asked: packing onto few NUMA nodes shows
nowhere where one node alone has free CPUs. So the other answers to a few questions are judged too.
"""

from collections import Counter
from collections.abc import Mapping
from typing import TypeVar

from .chapter import REQUIREMENTS, Checker
from .other_answers import other_answers

MOST_TRIES = 4
"""Questions of a history whose other answers are judged, for each requirement that none of them has broken."""
Place = TypeVar("Place")


class Telling:
    """Which MUSTs some other answer in a history would break; those that were asked and none would.

    ``known``: whether histories before, by requirement and machine, asked tellingly: what did is not looked at again.
    """

    def __init__(self, machine: str, known: Mapping[tuple[str, str], int]) -> None:
        self._machine, self._known = machine, known
        self._left: dict[str, int] = {}
        self._shown: set[str] = set()

    @property
    def counts(self) -> Counter[tuple[str, str]]:
        """Return by requirement and machine whether it was asked tellingly."""
        tried = [name for name, left in self._left.items() if 0 <= left < MOST_TRIES]
        return Counter({(name, self._machine): int(name in self._shown) for name in tried})

    def looks_at(self, check: Checker) -> bool:
        """Tell whether other answers are to be tried by a checker: of a MUST that none has broken, a few times."""
        left = self._left.get(check.requirement)
        if left is None:
            name = check.requirement
            is_open = REQUIREMENTS[name].strength == "MUST" and not self._known.get((name, self._machine))
            left = self._left[name] = MOST_TRIES if is_open else -1
        return left > 0

    def look(self, check: Checker, subject: object) -> None:
        """Try the other answers to a question by one checker."""
        name = check.requirement
        self._left[name] -= 1
        if any(_is_wrong(check, other) for other in other_answers(subject)):
            self._shown.add(name)
            self._left[name] = 0


def add_up(counts: Counter[Place], more: Mapping[Place, int]) -> None:
    """Note whether further histories asked tellingly, as 1; what none asked so stays at 0."""
    for place, number in more.items():
        counts[place] = max(counts[place], number)


def _is_wrong(check: Checker, subject: object) -> bool:
    """Tell whether an answer is judged wrong; one that no judge can read is none that a target would give."""
    try:
        return bool(check.judge(subject))
    except Exception:
        return False
