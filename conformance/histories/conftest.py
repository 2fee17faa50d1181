"""Drives each group of scenarios once, for all requirements that its histories are judged by."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence

import pytest

from numa_conformance.asking.asking import Asking, ask_the_rest
from numa_conformance.asking.generators.scenario import Scenario
from numa_conformance.asking.groups import FIRST, GROUPS, groups_of, judged, requirements_in
from numa_conformance.asking.outcomes import GroupOutcome
from numa_conformance.asking.shares import Shares
from numa_conformance.chapters import REQUIREMENTS
from numa_conformance.judging.verdicts import HistoryVerdicts
from numa_conformance.plugin.deep import LongSearch, terminal_of_a_person
from numa_conformance.plugin.expectation import is_cheap
from numa_conformance.plugin.run import Run
from numa_conformance.plugin.spending import CONVERSATIONS
from numa_conformance.report.case import keep_group
from numa_conformance.wire import Client
from numa_conformance.wire.history.history import History

EARLY, EARLY_OF_FIRST = 0.06, 0.15
"""How much of a group that is not cheap is asked before the whole of any, and of the first group."""
Asked = Callable[[str], list[GroupOutcome]]


@pytest.fixture(scope="session")
def chosen(request: pytest.FixtureRequest) -> list[str]:
    """Return the requirements whose cases run."""
    cases = [item.callspec.params.get("name") for item in request.session.items if hasattr(item, "callspec")]
    return [name for name in judged() if name in cases]


@pytest.fixture(scope="session")
def beside(conformance: Run) -> Iterator[list[Client]]:
    """Yield more of the target, which take turns with the first."""
    with contextlib.ExitStack() as closed:
        others = range(conformance.at_once - 1)
        yield [closed.enter_context(contextlib.closing(conformance.another())) for _ in others]


@pytest.fixture(scope="session")
def asked(conformance: Run, target: Client, beside: list[Client], chosen: list[str]) -> Iterator[Asked]:
    """Return what came of the groups that may show a requirement."""
    with terminal_of_a_person() if conformance.deep else contextlib.nullcontext() as terminal:
        groups = _Groups(conformance, [target, *beside], chosen, LongSearch(conformance.search_seconds, terminal))
        yield groups.outcomes
    groups.close()


class _Groups:
    """The groups that a run asks; each is driven when it is first needed.

    Unless only some requirements are asked for, a part of each comes first, and small worlds before all others: nearly
    every fault shows there. Within a budget the groups of all requirements are driven at once, and go on for what none
    of them has asked. Where it is a time, they begin with what is known to show a requirement, and what one group
    leaves of it others spend. Where only some requirements are asked for, the first group in which one is not met is
    the last. A deep run drives the groups of all requirements at once, then again with further seeds.
    """

    def __init__(self, run: Run, clients: Sequence[Client], chosen: Sequence[str], search: LongSearch) -> None:
        self._run, self._clients, self._chosen, self._search = run, clients, chosen, search
        self._only = frozenset(chosen)
        self._wanted = self._only if run.selection.narrows else frozenset[str]()
        self._able = [group for group in GROUPS.values() if group.surface in run.surfaces]
        self._made: dict[str, Asking] = {}
        self._begun: dict[str, Asking] = {}
        self._driven: dict[str, list[History]] = {}
        self._is_prepared = False
        version, number = str(run.profile.version), run.processes
        self._shares = Shares(number, run.another, self._scenarios, version, self._judged_in) if number > 1 else None

    def outcomes(self, requirement: str) -> list[GroupOutcome]:
        """Return what came of the groups that may show a requirement."""
        if not self._is_prepared:
            self._is_prepared = True
            if not self._run.budget.is_whole:
                self._spend_the_budget()
            elif not self._wanted:
                self._ask_early()
            if self._run.deep:
                self._ask_further_seeds()
        return [group.outcome for group in self._showing(requirement)]

    def close(self) -> None:
        """End the processes that ask."""
        if self._shares is not None:
            self._shares.close()

    def _ask_early(self) -> None:
        groups = sorted(self._able, key=lambda group: group.name != FIRST)
        wanted = [each for each in groups if self._judged_in(each.name)]
        for asking in [self._asking(group.name) for group in wanted]:  # drawn before the run is copied
            asking.ask_early()

    def _spend_the_budget(self) -> None:
        run = self._run
        if run.budget.seconds is not None:
            for group in self._able:
                self._asking(group.name).spend_on_known(self._judged_in(group.name))
        shown = {name: self._showing(name) for name in self._chosen}
        claimed = [name for name in self._chosen if run.claimed.issuperset(REQUIREMENTS[name].features)]
        ask_the_rest({name: shown[name] for name in claimed})
        while unfinished := [each for each in self._begun.values() if each.is_unfinished and self._time_is_left]:
            for asking in unfinished:
                asking.spend_more(self._seconds_left / len(unfinished))
        for name in list(self._driven):
            self._put_away(name)

    def _ask_further_seeds(self) -> None:
        for requirement in self._chosen:
            self._showing(requirement)
        outcomes = {name: self._begun[name].outcome for name in GROUPS if name in self._begun}
        for name, seed in self._search.rounds(outcomes):
            if self._wanted and self._wanted <= set().union(*(each.verdicts.unmet for each in outcomes.values())):
                break
            outcomes[name].add(self._new(name, seed).spend())
            self._put_away(name, seed)

    def _showing(self, requirement: str) -> list[Asking]:
        if not self._wanted and any(group.name == FIRST for group in self._able):
            self._begin(FIRST)
        asked_here: list[Asking] = []
        for name in groups_of(requirement, self._run.surfaces, self._run.claimed):
            asked_here.append(self._begin(name))
            if self._wanted and requirement in asked_here[-1].outcome.verdicts.unmet:
                break
        return asked_here

    def _begin(self, name: str) -> Asking:
        if name not in self._begun:
            asking = self._begun[name] = self._asking(name)
            asking.spend(self._seconds_left / (len(self._able) - len(self._begun) + 1))
            if self._run.budget.is_whole:
                self._put_away(name)
        return self._begun[name]

    def _asking(self, name: str) -> Asking:
        if name not in self._made:
            self._made[name] = self._new(name)
        return self._made[name]

    def _new(self, name: str, seed: int = 0) -> Asking:
        run, judged_in = self._run, self._judged_in(name)
        return Asking(
            GROUPS[name].scenarios_on(run.machines, run.claimed, seed),
            self._clients[0],
            str(run.profile.version),
            more_clients=self._clients[1:],
            shares=self._shares,
            only=judged_in,
            notice=self._notice if run.deep else run.notice,
            budget=run.budget.of_group(cheap=is_cheap(name)),
            early=0.0 if seed or self._wanted or not run.budget.is_whole else _early_part(name),
            enough=self._wanted & judged_in,
            keep=self._driven.setdefault(name, []).append if run.keeps_histories else None,
            over=self._search.is_over if seed else lambda: not self._seconds_left,
            telling=run.telling,
            group=name,
            seed=seed,
        )

    def _judged_in(self, name: str) -> frozenset[str]:
        return self._only.intersection(requirements_in(GROUPS[name], self._run.claimed))

    def _scenarios(self, name: str, seed: int) -> Sequence[Scenario]:
        return (self._new(name, seed) if seed else self._asking(name)).scenarios

    def _notice(self, verdicts: HistoryVerdicts) -> None:
        self._run.notice(verdicts)
        self._search.notice(verdicts)

    def _put_away(self, name: str, seed: int = 0) -> None:
        if name in self._driven:
            keep_group(name, self._driven.pop(name), self._run.report, more=seed > 0)

    @property
    def _seconds_left(self) -> float:
        return self._run.spending.left(CONVERSATIONS)

    @property
    def _time_is_left(self) -> bool:
        return self._run.budget.seconds is not None and self._seconds_left > 0


def _early_part(group: str) -> float:
    return 1.0 if is_cheap(group) else EARLY_OF_FIRST if group == FIRST else EARLY
