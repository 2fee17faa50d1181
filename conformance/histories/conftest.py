"""Drives each group of scenarios once, for all requirements that its histories are judged by."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator

import pytest

from numa_conformance.asking.asking import Asking, ask_the_rest
from numa_conformance.asking.groups import FIRST, GROUPS, groups_of, judged, requirements_in
from numa_conformance.asking.outcomes import GroupOutcome
from numa_conformance.asking.shares import Shares
from numa_conformance.chapters import REQUIREMENTS
from numa_conformance.plugin.expectation import is_cheap
from numa_conformance.plugin.run import Run
from numa_conformance.plugin.spending import CONVERSATIONS
from numa_conformance.report.case import keep_group
from numa_conformance.wire import Client
from numa_conformance.wire.history.history import History

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
    """Return what came of the groups that may show a requirement; each is driven when it is first needed.

    Small worlds come first, unless only some requirements are asked for: nearly every fault shows there. Within a
    budget the groups of all requirements are driven at once, and go on for what none of them has asked. Where it is a
    time, they begin with what is known to show a requirement, and what one group leaves of it others spend. Where only
    some requirements are asked for, the first group in which one is not met is the last.
    """
    groups: dict[str, Asking] = {}
    spending = conformance.spending
    able = [group for group in GROUPS.values() if group.surface in conformance.surfaces]
    claimed = conformance.claimed
    wanted = frozenset(chosen) if conformance.selection.narrows else frozenset[str]()
    driven: dict[str, list[History]] = {}

    @functools.cache
    def made(name: str) -> Asking:
        return Asking(
            GROUPS[name].scenarios_on(conformance.machines, claimed),
            target,
            str(conformance.profile.version),
            more_clients=beside,
            shares=shares,
            notice=conformance.notice,
            budget=conformance.budget.of_group(cheap=is_cheap(name)),
            enough=wanted.intersection(requirements_in(GROUPS[name], claimed)),
            keep=driven.setdefault(name, []).append if conformance.keeps_histories else None,
            over=lambda: not spending.left(CONVERSATIONS),
            group=name,
        )

    def begun(name: str) -> Asking:
        if name not in groups:
            groups[name] = made(name)
            groups[name].spend(spending.left(CONVERSATIONS) / (len(able) - len(groups) + 1))
            if conformance.budget.is_whole:
                put_away(name)
        return groups[name]

    def put_away(name: str) -> None:
        if name in driven:
            keep_group(name, driven.pop(name), conformance.report)

    def showing(requirement: str) -> list[Asking]:
        if not wanted and any(group.name == FIRST for group in able):
            begun(FIRST)
        asked_here: list[Asking] = []
        for name in groups_of(requirement, conformance.surfaces, claimed):
            asked_here.append(begun(name))
            if wanted and requirement in asked_here[-1].outcome.verdicts.unmet:
                break
        return asked_here

    @functools.cache
    def settle() -> None:
        if conformance.budget.seconds is not None:
            for group in able:
                made(group.name).spend_on_known(set(chosen).intersection(requirements_in(group, claimed)))
        shown = {name: showing(name) for name in chosen}
        ask_the_rest({name: shown[name] for name in chosen if claimed.issuperset(REQUIREMENTS[name].features)})
        while unfinished := [asking for asking in groups.values() if asking.is_unfinished and time_is_left()]:
            for asking in unfinished:
                asking.spend_more(spending.left(CONVERSATIONS) / len(unfinished))
        for name in list(driven):
            put_away(name)

    def time_is_left() -> bool:
        return conformance.budget.seconds is not None and spending.left(CONVERSATIONS) > 0

    def of(requirement: str) -> list[GroupOutcome]:
        if not conformance.budget.is_whole:
            settle()
        return [group.outcome for group in showing(requirement)]

    version, number = str(conformance.profile.version), conformance.processes
    shares = Shares(number, conformance.another, lambda name: made(name).scenarios, version) if number > 1 else None
    yield of
    if shares is not None:
        shares.close()
