"""How long a run is going to take, said before it begins; and how much of its time it has spent, said at its end."""

import json
import math
from collections.abc import Iterator, Mapping
from contextlib import closing
from functools import partial
from itertools import count, islice
from pathlib import Path

from ..asking.drive import drive
from ..asking.groups import GROUPS
from ..files import text_of
from ..wire import Client, Connection
from ..wire.history.history import Step
from .run import Run
from .spending import Spending

FILE = Path(__file__).with_suffix(".json")
_MEASURED: Mapping[str, Mapping[str, int]] = json.loads(text_of(__package__, FILE.name))
"""What conversations of a whole run ask: ``python -m measured questions`` writes it, in the folder ``tests``."""
QUESTIONS = _MEASURED["questions"]
"""Questions of a whole run by surface, beside those that bring up what is asked."""
STARTS = _MEASURED["starts"]
"""Starts and restarts in a whole run, of a node, a DRA driver, a device plugin."""
_COMES_UP = {"node": "a node", "claims": "the driver", "plugin": "the plugin"}
JUDGING = _MEASURED["seconds"]["judging"]
"""Seconds of a whole run in which no target is asked."""
GROUPS_COST = _MEASURED["groups"]
"""Milliseconds of the processor that each group takes, driven in process and judged."""
CHEAP = 0.025
"""The part of a whole run up to which a group is cheap."""
LOOK = 1.0
"""Seconds of asking on each surface, after which how long an answer takes is taken for known."""
FEWEST = 5
"""Answers that are waited for in any case: a start alone may take longer, and tells nothing of the rest."""
LONG = 300.0
"""Seconds beyond which a run is told to be shortened."""


def is_cheap(group: str) -> bool:
    """Tell whether a group costs so little that a part of a run asks all of it."""
    return GROUPS_COST.get(group, math.inf) <= CHEAP * sum(GROUPS_COST.values())


def expected_line(run: Run, connection: Connection) -> str:
    """Return how long the run will take; "" where that is not known. The connection is closed."""
    if run.spending.seconds is not None:
        return f"this run takes about {_duration(run.spending.seconds)}, and asks what there is time for"
    if run.deep or run.is_narrowed:
        return ""
    with closing(Client(connection)) as client:
        steps = probed(client, run.claimed)
    each = "".join(
        f"{what} comes up in {_duration(sum(starts) / len(starts))}; "
        for surface, what in _COMES_UP.items()
        if (starts := [step.seconds for step in steps if _surface(step) == surface and is_start(step)])
    )
    seconds = seconds_of_a_run(steps, run.surfaces, run.budget.part / run.processes, run.at_once)
    shorter = "; --numa-budget 5m asks for less" if seconds > LONG and run.budget.is_whole else ""
    return f"{each}this run will take about {_duration(seconds)}{shorter}"


def probed(client: Client, claimed: frozenset[str]) -> list[Step]:
    """Ask the beginning of one conversation on each surface, and return what was asked."""
    steps: list[Step] = []
    for surface in QUESTIONS.keys() & client.surfaces:
        group = next(group for group in GROUPS.values() if group.surface == surface)
        for scenario in islice(group.scenarios(claimed, 0), 1):
            over = partial(_knows_enough, Spending(LOOK), count(1))
            steps += drive(scenario, client, client.description.kubernetes_version, over)[0].steps
    return steps


def _knows_enough(look: Spending, answers: Iterator[int]) -> bool:
    return next(answers) >= FEWEST and not look.left()


def seconds_of_a_run(steps: list[Step], surfaces: frozenset[str], part: float, at_once: int = 1) -> float:
    """Estimate the seconds of a part of the suite by these steps, with ``at_once`` targets side by side."""
    seconds = 0.0
    for surface in QUESTIONS.keys() & surfaces:
        steps_there = [step for step in steps if _surface(step) == surface]
        for starting, times in ((False, QUESTIONS[surface]), (True, STARTS.get(surface, 0))):
            took = [step.seconds for step in steps_there if is_start(step) is starting]
            seconds += times * sum(took) / max(len(took), 1)
    return (JUDGING + seconds / at_once) * part


def _surface(step: Step) -> str:
    return step.method.partition(".")[0]


def is_start(step: Step) -> bool:
    """Tell whether a question brings up what is asked."""
    return step.method.endswith((".start", ".restart"))


def budget_line(spending: Spending, omitted: int) -> str:
    """Return what was spent of a budget that is a time; "" without one."""
    if spending.seconds is None:
        return ""
    rest = f"; for {omitted} of the cases that are not claimed there was no time" if omitted else ""
    return f"budget: {_duration(spending.spent)} spent of {_duration(spending.seconds)}{rest}"


def _duration(seconds: float) -> str:
    if seconds < 1:
        return f"{seconds * 1000:.2g} ms"
    if seconds < 100:
        return f"{seconds:.2g} s"
    return f"{seconds / 60:.2g} min" if seconds < 6000 else f"{seconds / 3600:.2g} h"
