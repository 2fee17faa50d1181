"""How long a run is going to take, said before it begins; and how much of its time it has spent, said at its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from ..protocol import Client, Connection
from ..suite.asking.drive import drive
from ..suite.asking.groups import GROUPS, Group
from ..suite.history.history import Step
from .run import Run
from .spending import Spending

QUESTIONS: Mapping[str, int] = MappingProxyType(
    {"pick": 36_000, "node": 16_300, "merge": 14_000, "allocate": 5_400, "hints": 4_800, "classify": 850, "score": 720}
)
"""Questions of a whole run by surface, beside those that bring up a node: a test counts them."""
STARTS = 6_300
"""Starts and restarts of a node in a whole run."""
_STARTING = ("node.start", "node.restart")
JUDGING = 25.0
"""Seconds of a whole run in which no target is asked."""
LOOK = 1.0
"""Seconds of asking on each surface, after which how long an answer takes is taken for known."""
LONG = 300.0
"""Seconds beyond which a run is told to be shortened."""


def expected_line(run: Run, connection: Connection) -> str:
    """Return how long the run will take; "" where that is not known. The connection is closed."""
    if run.spending.seconds is not None:
        return f"this run takes about {_told(run.spending.seconds)}, and asks what there is time for"
    if run.deep or run.is_narrowed:
        return ""
    client = Client(connection)
    try:
        steps = probed(client, run.claimed)
    finally:
        client.close()
    starts = [step.seconds for step in steps if step.method in _STARTING]
    each = f"a node comes up in {_told(sum(starts) / len(starts))}; " if starts else ""
    seconds = seconds_of_a_run(steps, run.surfaces, run.budget.part)
    shorter = "; --numa-budget 5m asks for less" if seconds > LONG and run.budget.is_whole else ""
    return f"{each}this run will take about {_told(seconds)}{shorter}"


def probed(client: Client, claimed: frozenset[str]) -> list[Step]:
    """Ask the beginning of one conversation on each surface, and return what was asked."""
    steps: list[Step] = []
    for surface in QUESTIONS.keys() & client.surfaces:
        group = next(group for group in GROUPS.values() if group.surface == surface)
        steps += _begun(client, group, claimed)
    return steps


def _begun(client: Client, group: Group, claimed: frozenset[str]) -> Sequence[Step]:
    first, look = next(group.scenarios(claimed, 0), None), Spending(LOOK)
    if first is None:
        return ()
    return drive(first, client, client.description.kubernetes_version, lambda: not look.left())[0].steps


def seconds_of_a_run(steps: list[Step], surfaces: frozenset[str], part: float) -> float:
    """Return about how long a part of the suite takes on these surfaces, where answers take what they took."""
    seconds = JUDGING
    for surface in QUESTIONS.keys() & surfaces:
        asked = [step for step in steps if step.method.partition(".")[0] == surface]
        for starting, times in ((False, QUESTIONS[surface]), (True, STARTS if surface == "node" else 0)):
            took = [step.seconds for step in asked if (step.method in _STARTING) is starting]
            seconds += times * sum(took) / max(len(took), 1)
    return seconds * part


def budget_line(spending: Spending, not_asked: int) -> str:
    """Return what was spent of a budget that is a time; "" without one."""
    if spending.seconds is None:
        return ""
    rest = f"; for {not_asked} of the cases that are not claimed there was no time" if not_asked else ""
    return f"budget: {_told(spending.spent)} spent of {_told(spending.seconds)}{rest}"


def _told(seconds: float) -> str:
    if seconds < 1:
        return f"{seconds * 1000:.2g} ms"
    if seconds < 100:
        return f"{seconds:.2g} s"
    return f"{seconds / 60:.2g} min" if seconds < 6000 else f"{seconds / 3600:.2g} h"
