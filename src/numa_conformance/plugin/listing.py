"""``--numa-list``: what a run would ask, and nothing asked but who the target is."""

import sys
import textwrap
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from ..asking.examples.index import asked_by
from ..asking.groups import GROUPS, groups_of
from ..asking.profiles import Profile
from ..chapters import REQUIREMENTS
from ..judging.reasons import reasons_of
from ..machine import Machine
from ..printable import listed, printable
from ..wire.messages.describe import Description
from .cases import CASE, case_id, requirements_of
from .choice import missing_of
from .run import RUN, Run

MOST_MACHINES = 6
WIDTH = 120


class ListedCase(msgspec.Struct, frozen=True):
    """A case: what it checks, what it needs and the target does not claim, where it asks.

    ``machines`` are those it is run on one by one; ``conversations`` the groups of generated ones that it judges.
    """

    id: str
    requirements: list[str]
    missing: list[str]
    machines: list[str]
    conversations: list[str]


class ListedGroup(msgspec.Struct, frozen=True):
    """Generated conversations of one kind: on which surface, how many, on which machines."""

    name: str
    surface: str
    conversations: int
    machines: list[str]


class ListedRequirement(msgspec.Struct, frozen=True):
    """A requirement that would be asked, whether the target claims what one of its cases needs, and what is missing."""

    id: str
    text: str
    strength: str
    address: str
    features: list[str]
    claimed: bool
    missing: list[str]
    machines: list[str]
    cases: list[str]
    held_back: list[str]
    """Where conversations do not ask it."""
    asked_by: list[str]


class Listing(msgspec.Struct, frozen=True):
    """All that would be asked of a target."""

    target: str
    level: str
    profile: str
    requirements: list[ListedRequirement]
    cases: list[ListedCase]
    conversations: list[ListedGroup]

    @classmethod
    def of(
        cls, described: Description, level: str, profile: Profile, cases: list[ListedCase], groups: list[ListedGroup]
    ) -> "Listing":
        """Put the cases under their requirements, in the order of the registry."""
        on = {group.name: group.machines for group in groups}
        of = {name: [case for case in cases if name in case.requirements] for name in REQUIREMENTS}
        return cls(
            f"{described.name} {described.version}",
            level,
            str(profile),
            [_requirement(name, cases_of_it, on) for name, cases_of_it in of.items() if cases_of_it],
            cases,
            groups,
        )

    def to_json(self) -> str:
        """Return it for programs."""
        return msgspec.json.format(msgspec.json.encode(self), indent=2).decode()

    def lines(self) -> list[str]:
        """Return it for people."""
        lines = [f"{self.target}: level {self.level}, profile {self.profile}", ""]
        for each in self.requirements:
            lines += [*_requirement_lines(each), *(f"  - {name}" for name in each.cases), ""]
        for group in self.conversations:
            lines += _wrapped(
                f"histories {group.name}: {group.conversations} on {len(group.machines)} machines "
                f"(surface {group.surface}): {'; '.join(group.machines)}"
            )
        claimed = sum(each.claimed for each in self.requirements)
        return [
            *lines,
            f"{len(self.requirements)} requirements, {claimed} of them claimed; {len(self.cases)} cases; "
            f"{sum(group.conversations for group in self.conversations)} histories. Nothing was asked.",
        ]


def _requirement(name: str, cases: list[ListedCase], machines_of: dict[str, list[str]]) -> ListedRequirement:
    known = REQUIREMENTS[name]
    machines = {machine for case in cases for machine in case.machines}
    machines.update(machine for case in cases for group in case.conversations for machine in machines_of.get(group, ()))
    claimed = [case for case in cases if not case.missing]
    return ListedRequirement(
        name,
        known.text,
        known.strength,
        known.address,
        list(known.features),
        bool(claimed),
        [] if claimed else sorted({feature for case in cases for feature in case.missing}),
        sorted(machines),
        [case.id for case in cases],
        reasons_of(name),
        list(asked_by(name)),
    )


def _requirement_lines(each: ListedRequirement) -> list[str]:
    lines = [f"{each.id} ({each.strength})", *_wrapped(each.text, "  "), f"  {each.address}"]
    if not each.claimed:
        lines += _wrapped(f"not claimed: {', '.join(each.missing)}", "  ")
    if each.held_back:
        lines += _wrapped(f"in histories not where {'; '.join(each.held_back)}", "  ")
    lines.append(f"  asked by: {', '.join(each.asked_by)}")
    if each.machines:
        lines += _wrapped(f"machines: {listed(each.machines, MOST_MACHINES, sign='; ')}", "  ")
    return lines


def _wrapped(text: str, indent: str = "") -> list[str]:
    further = f"{indent}  "
    return textwrap.wrap(
        text, WIDTH, initial_indent=indent, subsequent_indent=further, break_on_hyphens=False, break_long_words=False
    )


class Lister:
    """Collects, and prints what is collected in place of running it."""

    def __init__(self, form: str) -> None:
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
            cases = [_case(item, run) for item in self._items]
            shown = {name for case in cases for name in case.conversations}
            groups = [group for name in GROUPS if name in shown and (group := _group(name, run)).conversations]
            listing = Listing.of(run.client.description, run.measure, run.profile, cases, groups)
            text = listing.to_json() if self._form == "json" else "\n".join(listing.lines())
            sys.stdout.write(f"{printable(text)}\n")


def _case(item: pytest.Item, run: Run) -> ListedCase:
    params: Mapping[str, Any] = item.callspec.params if hasattr(item, "callspec") else {}
    names = requirements_of(item)
    on_conversations = item.get_closest_marker("generated") is not None
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
