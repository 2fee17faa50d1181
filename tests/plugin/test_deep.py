"""``--numa-deep``: further seeds until the time is over, and progress on a terminal."""

import io
from types import SimpleNamespace

import pytest

from asked_in_full import deep
from directly import Directly
from numa_conformance.asking.asking import Asking
from numa_conformance.asking.groups import GROUPS
from numa_conformance.asking.outcomes import MOST_BROKEN, GroupOutcome
from numa_conformance.judging.chapter import Violation
from numa_conformance.judging.verdicts import Broken, HistoryVerdicts
from numa_conformance.plugin.deep import LongSearch, terminal_of_a_person
from numa_conformance.reference.target import ReferenceTarget

REQUIREMENT = "qos/best-effort-has-none"
WRONG_LATE = """
from itertools import count
from msgspec import structs
from numa_conformance.reference.target import ReferenceTarget

NUMBER = count()

class WrongLate(ReferenceTarget):
    def classify(self, request):
        reply = super().classify(request)
        return structs.replace(reply, qos="Burstable") if next(NUMBER) >= {first} else reply

def make():
    return WrongLate(level="documented")
"""


def test_all_groups_are_asked_with_each_seed_until_the_time_is_over():
    search = LongSearch(6, clock=iter(range(100)).__next__)  # which ticks at each look
    assert list(search.rounds(["a", "b"])) == [("a", 1), ("b", 1), ("a", 2), ("b", 2), ("a", 3)]
    assert search.is_over()


def test_a_line_tells_seed_group_questions_and_time():
    terminal, times = io.StringIO(), iter([0, 0, 1, 65, 700])
    search = LongSearch(600, terminal, clock=times.__next__)
    search.notice(HistoryVerdicts(steps=1000))
    assert not terminal.getvalue()
    for _ in search.rounds(["worlds"]):
        search.notice(HistoryVerdicts(steps=500))
    assert terminal.getvalue().split("\x1b[K") == ["\n\r", "seed 1, worlds: 1,500 questions, 0:01:05 of 0:10:00\r", ""]


@pytest.mark.parametrize("name", ["CI", "PYTEST_XDIST_WORKER"])
def test_is_silent_in_ci_and_in_workers(monkeypatch, name):
    monkeypatch.setenv(name, "true")
    with terminal_of_a_person() as terminal:
        assert terminal is None


def test_what_is_broken_again_and_again_is_kept_so_often():
    def outcome(*requirements):
        broken = [Broken(each, SimpleNamespace(), 0, Violation("wrong")) for each in requirements]
        return GroupOutcome(HistoryVerdicts(broken=broken), driven=len(broken))

    first = outcome(*["a"] * MOST_BROKEN)
    first.add(outcome("a", "b", "a"))
    assert [each.requirement for each in first.verdicts.broken] == ["a"] * MOST_BROKEN + ["b"]
    assert first.driven == MOST_BROKEN + 3


@deep
def test_what_only_a_further_seed_finds_is_a_finding(suite, pytester, report):
    client = Directly(ReferenceTarget(level="documented"))
    scenarios = GROUPS["classes"].scenarios(frozenset(client.description.features), 0)
    questions = Asking(scenarios, client, "1.37").spend().verdicts.steps
    pytester.path.joinpath("late.py").write_text(WRONG_LATE.format(first=questions + 1))
    asked = ("--numa-target", "late:make", "--numa-requirement", REQUIREMENT, "--numa-report", "out")
    assert suite(*asked).ret == 0
    whole = report()["cases"][0]["histories"]
    result = suite(*asked, "--numa-deep", "--numa-budget", "10m")
    result.stdout.fnmatch_lines(["*further seeds for a time*", "VERDICT: NOT CONFORMANT*"])
    assert report()["cases"][0]["histories"] > whole
