"""How often a conversation is asked again."""

from dataclasses import replace

import pytest

from numa_conformance.asking.drive import drive
from numa_conformance.asking.generators.scenario import Scenario, ask_all
from numa_conformance.asking.shrinking import LONGEST, times_seen
from numa_conformance.machine import load_machine
from numa_conformance.report.reference_answers import open_reference
from numa_conformance.wire.history.history import History

ASKED = ("pick", {"available": "0-3", "count": 2, "options": {}})


@pytest.mark.parametrize(
    ("seconds", "seen"), [(0.0, (1, 5)), (LONGEST / 2, (1, 3)), (LONGEST, (1, 2)), (LONGEST * 1.1, None)]
)
def test_what_takes_long_is_asked_less_often_and_once_at_least_unless_a_call_timed_out(seconds, seen):
    with open_reference("documented") as reference:
        scenario = Scenario("told", "", load_machine("t1-one-socket-smt2"), lambda: ask_all([ASKED]))
        history, _ = drive(scenario, reference, "1.37")
        slow = History(history.head, tuple(replace(step, seconds=seconds) for step in history.steps))
        assert times_seen(slow, "cpu-manager/static/packs-whole-cores", reference) == seen
