"""Drives each group of scenarios once, for all requirements that its histories are judged by."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from numa_conformance.protocol import Client
from numa_conformance.pytest_plugin.run import Run
from numa_conformance.report.histories import keep_group
from numa_conformance.suite.asking import Outcome, ask
from numa_conformance.suite.groups import GROUPS, asked_in, groups_of
from numa_conformance.suite.history import History
from numa_conformance.suite.requirements import REQUIREMENTS

Asked = Callable[[str], list[Outcome]]


@pytest.fixture(scope="session")
def asked(conformance: Run, target: Client, request: pytest.FixtureRequest) -> Asked:
    """Return what came of the groups that may show a requirement; each is driven when it is first needed.

    Where only some requirements are asked for, the first group in which one is not met is the last.
    """
    outcomes: dict[str, Outcome] = {}
    names = [item.callspec.params.get("name") for item in request.session.items if hasattr(item, "callspec")]
    able = [group for group in GROUPS.values() if group.surface in conformance.surfaces]
    budget = conformance.budget.among(len(able))
    claimed = conformance.claimed
    wanted = frozenset(filter(None, names)) if conformance.is_narrowed else frozenset[str]()

    def outcome(name: str) -> Outcome:
        if name not in outcomes:
            shown = frozenset(asked_in(GROUPS[name], claimed))
            askable = frozenset(each for each in shown if claimed.issuperset(REQUIREMENTS[each].features))
            driven: list[History] = []
            outcomes[name] = ask(
                GROUPS[name].scenarios(claimed, 0),
                target,
                str(conformance.profile.version),
                budget=budget,
                wanted=askable & wanted if wanted else askable,
                enough=shown & wanted,
                keep=driven.append if conformance.keeps_histories else None,
            )
            if conformance.keeps_histories:
                keep_group(name, driven, conformance.report)
        return outcomes[name]

    def of(requirement: str) -> list[Outcome]:
        told: list[Outcome] = []
        for group in groups_of(requirement, conformance.surfaces, claimed):
            told.append(outcome(group))
            if wanted and requirement in told[-1].verdicts.unmet:
                break
        return told

    return of
