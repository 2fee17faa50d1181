"""Drives each group of scenarios once, for all requirements that its histories are judged by."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from numa_conformance.protocol import Client
from numa_conformance.pytest_plugin.run import Run
from numa_conformance.suite.asking import Outcome, ask
from numa_conformance.suite.groups import GROUPS, asked_in

Asked = Callable[[str], list[Outcome]]


@pytest.fixture(scope="session")
def asked(conformance: Run, target: Client, request: pytest.FixtureRequest) -> Asked:
    """Return what came of the groups that may show a requirement; each is driven when it is first needed."""
    outcomes: dict[str, Outcome] = {}
    names = [item.callspec.params.get("name") for item in request.session.items if hasattr(item, "callspec")]
    able = [group for group in GROUPS.values() if group.surface in target.surfaces]
    share = None if conformance.budget is None else conformance.budget / max(len(able), 1)
    wanted = frozenset(filter(None, names)) if conformance.is_narrowed else frozenset[str]()

    def outcome(name: str) -> Outcome:
        if name not in outcomes:
            scenarios = GROUPS[name].scenarios(conformance.features & conformance.profile.features, 0)
            shown = frozenset(asked_in(GROUPS[name]))
            version = str(conformance.profile.version)
            outcomes[name] = ask(
                scenarios, target, version, enough=wanted & shown, seconds=share, wanted=wanted & shown or shown
            )
        return outcomes[name]

    def of(requirement: str) -> list[Outcome]:
        return [outcome(group.name) for group in able if requirement in asked_in(group)]

    return of
