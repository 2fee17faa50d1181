"""Drives each group of scenarios once, for all requirements that its histories are judged by."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from numa_conformance.protocol import Client
from numa_conformance.pytest_plugin.run import RUN, Run
from numa_conformance.suite.asking import Outcome, ask, broken_in
from numa_conformance.suite.groups import GROUPS, asked_in
from numa_conformance.suite.requirements import REQUIREMENTS

Asked = Callable[[str], list[Outcome]]


@pytest.fixture(scope="session")
def asked(conformance: Run, target: Client, request: pytest.FixtureRequest) -> Asked:
    """Return what came of the groups that may show a requirement; each is driven when it is first needed.

    Where only some requirements are asked for, the first group in which one is not met is the last.
    """
    outcomes: dict[str, Outcome] = {}
    names = [item.callspec.params.get("name") for item in request.session.items if hasattr(item, "callspec")]
    able = [group for group in GROUPS.values() if group.surface in target.surfaces]
    budget = conformance.budget.among(len(able))
    claimed = conformance.features & conformance.profile.offered
    wanted = frozenset(filter(None, names)) if conformance.is_narrowed else frozenset[str]()

    def outcome(name: str) -> Outcome:
        if name not in outcomes:
            shown = frozenset(asked_in(GROUPS[name], claimed))
            askable = frozenset(each for each in shown if claimed.issuperset(REQUIREMENTS[each].features))
            outcomes[name] = ask(
                GROUPS[name].scenarios(claimed, 0),
                target,
                str(conformance.profile.version),
                budget=budget,
                wanted=askable & wanted if wanted else askable,
                enough=shown & wanted,
            )
        return outcomes[name]

    def of(requirement: str) -> list[Outcome]:
        told: list[Outcome] = []
        for group in able:
            if requirement in asked_in(group, claimed):
                told.append(outcome(group.name))
                if wanted and broken_in(told, requirement):
                    break
        return told

    return of


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what only narrow surfaces show, where a node has none of them: its own conversations say the rest."""
    run = config.stash[RUN]
    surfaces = run.client.surfaces
    if "node" not in surfaces:
        return
    shown = {name for group in GROUPS.values() if group.surface in surfaces for name in asked_in(group, run.features)}
    beside = [item for item in items if _judged_by(item) not in {None, *shown}]
    config.hook.pytest_deselected(items=beside)
    items[:] = [item for item in items if item not in beside]


def _judged_by(item: pytest.Item) -> str | None:
    """Return the requirement of a case of this folder."""
    params = getattr(item, "callspec", None)
    return str(params.params["name"]) if params is not None and item.path.parent.name == "histories" else None
