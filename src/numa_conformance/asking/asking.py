"""Asking a target a group of scenarios, and judging all that comes of it."""

import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import ceil

from ..errors import Fault, UsageError
from ..judging.telling import add_up
from ..judging.verdicts import HistoryVerdicts, judge
from ..wire import Client
from ..wire.faults import TargetFault, Unsupported
from ..wire.history.history import History
from .drive import drive
from .generators.scenario import Scenario
from .outcomes import GroupOutcome
from .rarest import Place, from_all_over, places_of, rarest_first
from .shares import Shares

MOST_FAULTS = 3
"""Faults of a target after which no more of a group's scenarios of that kind are asked: each may cost a call's time."""
PATIENCE = 3.0
"""How many times its share of the time a group may take where it goes on for what no group asked."""
MIXED = 0.5
"""How much of a part is spent all over a group, before the rest is spent on what was asked least."""
_WRITTEN = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,3})?)([smh%]?)")


@dataclass(frozen=True, slots=True)
class Budget:
    """How much of each group is asked: all of it, a part of its scenarios, or as many as so many seconds allow.

    A part of the scenarios is the same in every run; what seconds allow is not.
    """

    seconds: float | None = None
    part: float = 1.0

    @classmethod
    def parse(cls, text: str, option: str = "--numa-budget") -> "Budget":
        """Read ``90``, ``90s``, ``10m``, ``1h`` or ``5%``; nothing is all. Raises ``UsageError``."""
        match = _WRITTEN.fullmatch(text or "100%")
        number, unit = (float(match[1]), match[2]) if match else (0.0, "")
        if not number or (unit == "%" and number > 100):
            accepted = "a time or a part of all, such as 90s, 10m or 5%"
            raise UsageError(Fault(option, f"{text!r} is no budget", accepted))
        if unit == "%":
            return cls(part=number / 100)
        return cls(seconds=number * {"": 1, "s": 1, "m": 60, "h": 3600}[unit])

    @property
    def is_whole(self) -> bool:
        """Whether everything is asked."""
        return self.seconds is None and self.part == 1.0

    def of_time(self, seconds: float) -> "Budget":
        """Return so many seconds in place of those that it gives; a part of all stays one."""
        return self if self.seconds is None else Budget(seconds)

    def of_group(self, *, cheap: bool) -> "Budget":
        """Return what a group may spend: all of a cheap one is asked, unless the budget is a time."""
        return Budget() if cheap and self.seconds is None else self

    def among(self, groups: int) -> "Budget":
        """Return what one of so many groups may spend."""
        return self if self.seconds is None else Budget(self.seconds / max(groups, 1))

    def __str__(self) -> str:
        return f"{self.part:.3g} of all" if self.seconds is None else f"{self.seconds:g} s"


class Asking:
    """A group that a target is being asked, scenario by scenario, each history judged at once.

    Within a ``budget`` scenarios come from all parts of the group; without one the ``early`` part does, and is first.
    ``enough``: the requirements to test; once all of them are broken, asking ends. ``keep`` receives each history.
    After ``over()`` returns true, no further question is sent, not even in a started conversation. A generator whose
    scenarios ended in ``MOST_FAULTS`` faults is dropped. ``more_clients`` of the same target take turns with the first,
    each in a thread: their answers are independent. ``shares``: processes that ask a whole ``group``, of a ``seed``, in
    place of these. ``only``: the requirements to judge by; all by default. ``notice`` receives what came of each
    history. ``telling``: what other groups have tellingly asked, which is not looked at again; these add to it.
    """

    def __init__(
        self,
        scenarios: Iterable[Scenario],
        client: Client,
        version: str,
        *,
        more_clients: Sequence[Client] = (),
        shares: Shares | None = None,
        group: str = "",
        seed: int = 0,
        only: frozenset[str] | None = None,
        notice: Callable[[HistoryVerdicts], None] | None = None,
        budget: Budget = Budget(),
        early: float = 0.0,
        enough: frozenset[str] = frozenset(),
        keep: Callable[[History], None] | None = None,
        over: Callable[[], bool] = lambda: False,
        telling: Counter[tuple[str, str]] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._left = list(scenarios)
        self._early = ceil(early * len(self._left))
        if early or not budget.is_whole:
            self._left = from_all_over(self._left, self._early or None)
        self.outcome = GroupOutcome(group=group, whole=len(self._left))
        self._driven: list[tuple[Scenario, Counter[str]]] = []
        self._begun = 0
        self._clients, self._version = (client, *more_clients), version
        self._budget, self._enough, self._keep, self._over, self._clock = budget, enough, keep, over, clock
        self._shares, self._group, self._only, self._notice = shares, (group, seed), only, notice
        self._telling = Counter[tuple[str, str]]() if telling is None else telling
        self._seconds = 0.0
        self._is_interrupted = False
        self._faults = Counter[str]()
        self._one_at_a_time = threading.Lock()

    def spend(self, seconds: float | None = None) -> GroupOutcome:
        """Ask what the budget gives, at least one scenario while there is time; return what came of it.

        Where the budget is a time, ``seconds`` takes its place.
        """
        self._budget = self._budget if seconds is None else self._budget.of_time(seconds)
        self._take_from_shares(self.outcome.whole)
        if self._budget.seconds is None and not self._budget.is_whole:
            self._take_turns(lambda: self._begun >= self._share * MIXED)
            self._left = rarest_first(self._left, self._driven, ceil(self._share) - self._begun)
        seconds = self._budget.seconds
        self._take_turns(
            lambda: self._begun > 0 and (self._begun >= self._share if seconds is None else self._seconds >= seconds)
        )
        return self.outcome

    def ask_early(self) -> None:
        """Ask the early part of the group, so that what is wrong in it shows before others are asked as a whole."""
        self._take_from_shares(self._early)
        self._take_turns(lambda: self._begun >= self._early)

    def spend_on_known(self, requirements: Iterable[str]) -> None:
        """Ask what is known to show these requirements, most of them first; it takes nothing of the group's budget."""
        shown = Counter(place for name in requirements for place in places_of(name))
        self._left.sort(key=lambda scenario: shown[_place(scenario)], reverse=True)
        last = self._begun + sum(_place(scenario) in shown for scenario in self._left)
        self._take_turns(lambda: self._begun >= last)
        self._seconds = 0.0

    @property
    def scenarios(self) -> Sequence[Scenario]:
        """What is left to ask, in its order."""
        return self._left

    @property
    def is_unfinished(self) -> bool:
        """Whether there is more to ask, and sense in it."""
        return bool(self._left) and not self._is_done

    def spend_more(self, seconds: float) -> None:
        """Ask for so many seconds more, at least one scenario while there is time."""
        self.spend(self._seconds + seconds)

    def _take_turns(self, ended: Callable[[], bool]) -> None:
        def ask_one_after_the_other(client: Client) -> None:
            while scenario := self._next(ended):
                self._ask(scenario, client)

        if len(self._clients) == 1:
            ask_one_after_the_other(*self._clients)
        else:
            with ThreadPoolExecutor(len(self._clients)) as threads:
                try:
                    list(threads.map(ask_one_after_the_other, self._clients))
                except BaseException:
                    self._is_interrupted = True  # else the others are waited for until the budget is spent
                    raise

    def _take_from_shares(self, end: int) -> None:
        """Take what other processes find, up to so many scenarios, as if they had been asked here in their order."""
        shares, begun = self._shares, self._begun
        if shares is None or not self._budget.is_whole or self._enough or not shares.can_ask():
            return
        scenarios, self._left = self._left[: end - begun], self._left[end - begun :]
        self._begun += len(scenarios)
        record, part = self._clients[0].record, slice(begun, self._begun)
        results = shares.results(self._group, part, record, MOST_FAULTS, whole=self._keep is not None)
        for scenario, driven in zip(scenarios, results, strict=True):
            if self._is_over():
                shares.close()
                break
            if driven is not None and self._faults[scenario.generator] < MOST_FAULTS:
                self._take(scenario, *driven)

    def _next(self, ended: Callable[[], bool]) -> Scenario | None:
        with self._one_at_a_time:
            if not self._left or self._is_done or ended():
                return None
            self._begun += 1
            return self._left.pop(0)

    @property
    def _share(self) -> float:
        return self._budget.part * self.outcome.whole

    def one_more(self, requirement: str) -> bool:
        """Ask beyond the budget the scenario that is known to show a requirement; tell whether one was left.

        If none is known, the cell tells most of what it is about. Where the budget is a time there is an end to that:
        three times as long.
        """
        seconds = self._budget.seconds
        if not self._left or self._is_done or (seconds is not None and self._seconds >= PATIENCE * seconds):
            return False
        known, words = self._known(requirement), requirement.split("/")[1:]
        closest = max(self._left, key=lambda scenario: sum(word in scenario.cell for word in words))
        self._left.remove(known or closest)
        self._ask(known or closest, self._clients[0])
        return True

    def knows(self, requirement: str) -> bool:
        """Whether a scenario that was not asked yet is known to show a requirement."""
        return self._known(requirement) is not None

    def _known(self, requirement: str) -> Scenario | None:
        places = places_of(requirement)
        return next((scenario for scenario in self._left if _place(scenario) in places), None) if places else None

    @property
    def _is_done(self) -> bool:
        known_enough = self._enough and self._enough <= self.outcome.verdicts.unmet
        return bool(known_enough) or self._is_over()

    def _is_over(self) -> bool:
        return self._is_interrupted or self._over()

    def _ask(self, scenario: Scenario, client: Client) -> None:
        began = self._clock()
        history, fault = drive(scenario, client, self._version, self._is_over)
        verdicts = judge(history, self._telling, self._only)
        with self._one_at_a_time:
            self._take(scenario, history, verdicts, fault)
            self._seconds += (self._clock() - began) / len(self._clients)

    def _take(
        self, scenario: Scenario, history: History | None, verdicts: HistoryVerdicts, fault: TargetFault | None
    ) -> None:
        outside = isinstance(fault, Unsupported)
        self.outcome.driven += 1
        self._driven.append((scenario, verdicts.tests))
        if self._keep is not None and history is not None and not outside:
            self._keep(history)
        self.outcome.verdicts.add(verdicts)
        add_up(self._telling, verdicts.telling)
        if self._notice is not None:
            self._notice(verdicts)
        if fault is not None and history is not None and not outside:
            self.outcome.ended.append((history, fault))
            self._faults[scenario.generator] += 1
            if self._faults[scenario.generator] >= MOST_FAULTS:
                self._left = [other for other in self._left if other.generator != scenario.generator]


def ask_the_rest(wanted: Mapping[str, Sequence[Asking]]) -> None:
    """Go on for requirements that none of the groups asked which may show them, one scenario of each in turn.

    The group that is known to show one is asked alone, first.
    """
    for requirement, groups in wanted.items():
        while not any(group.outcome.verdicts.tests[requirement] for group in groups):
            knowing = [group for group in groups if group.knows(requirement)]
            went_on = [group.one_more(requirement) for group in knowing or groups]
            if not any(went_on):
                break


def part_of(
    scenarios: Iterable[Scenario], budget: Budget, clock: Callable[[], float] = time.monotonic
) -> Iterator[Scenario]:
    """Yield what a budget leaves of a group, at least one: from all over it, until the budget is spent."""
    began = clock()
    ordered = list(scenarios) if budget.is_whole else from_all_over(scenarios)
    for number, scenario in enumerate(ordered):
        spent = number / len(ordered) >= budget.part if budget.seconds is None else clock() - began >= budget.seconds
        if spent and number:
            return
        yield scenario


def _place(scenario: Scenario) -> Place:
    return scenario.generator, scenario.cell, scenario.machine.name
