"""``--numa-list``: what a run would ask, and nothing asked but who the target is."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from ..asking.groups import GROUPS, groups_of
from ..machine import Machine
from ..printable import printable
from ..report.listing import ListedCase, ListedGroup, Listing
from .cases import CASE, case_id, requirements_of
from .choice import missing_of
from .run import RUN, Run


class Lister:
    """Collects, and prints what is collected in place of running it."""

    def __init__(self, form: str) -> None:
        """Take the form: text or json."""
        self._form = form
        self._items: list[pytest.Item] = []

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Say what cannot be collected."""
        if report.failed:
            sys.stderr.write(f"{report.longreprtext}\n")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Take what would be run."""
        self._items = [item for item in session.items if CASE in item.stash]

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Print it."""
        run = session.config.stash[RUN]
        run.client.close()
        if exitstatus == 0:
            listing = _listing(self._items, run)
            text = listing.to_json() if self._form == "json" else "\n".join(listing.lines())
            sys.stdout.write(f"{printable(text)}\n")


def _listing(items: Iterable[pytest.Item], run: Run) -> Listing:
    cases = [_case(item, run) for item in items]
    shown = {name for case in cases for name in case.conversations}
    groups = [group for name in GROUPS if name in shown and (group := _group(name, run)).conversations]
    return Listing.of(run.client.description, run.measure, run.profile, cases, groups)


def _case(item: pytest.Item, run: Run) -> ListedCase:
    params: Mapping[str, Any] = item.callspec.params if hasattr(item, "callspec") else {}
    names = requirements_of(item)
    on_conversations = item.get_closest_marker("conversations") is not None
    return ListedCase(
        id=case_id(item),
        requirements=names,
        missing=missing_of(item, run),
        machines=[value.name for value in params.values() if isinstance(value, Machine)],
        conversations=list(groups_of(names[0], run.surfaces, run.claimed)) if on_conversations else [],
    )


def _group(name: str, run: Run) -> ListedGroup:
    machines = [scenario.machine.name for scenario in GROUPS[name].scenarios_on(run.machines, run.claimed)]
    return ListedGroup(name, GROUPS[name].surface, len(machines), sorted(set(machines)))
