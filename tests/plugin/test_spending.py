"""``--numa-budget`` with a time: the whole run holds it, waiting counts, and what was spent is said."""

import pytest

from asked_in_full import DEEP, deep
from measured import questions
from numa_conformance.plugin.expectation import JUDGING, QUESTIONS, STARTS, seconds_of_a_run
from numa_conformance.plugin.spending import BY_HAND, CONVERSATIONS, TELLING, Spending
from numa_conformance.wire.history.history import Step

SLOW = """
import time
import msgspec
from numa_conformance.reference.target import ReferenceTarget

class Slow(ReferenceTarget):
    def node_start(self, request):
        time.sleep(0.3)
        return super().node_start(request)

    def node_admit(self, request):
        time.sleep(0.1)
        return msgspec.structs.replace(super().node_admit(request), default_cpuset="0")

    def pick(self, request):
        time.sleep(0.05)
        return super().pick(request)

def make():
    return Slow(level="documented")
"""
BUDGET = 30


def test_what_is_kept_for_later_is_not_left():
    now = iter([0.0, 0.0, 70.0, 70.0, 130.0])
    spending = Spending(100.0, clock=lambda: next(now))
    assert spending.left(CONVERSATIONS) == 65.0
    assert spending.left(CONVERSATIONS) == 0.0
    assert spending.left(TELLING) == pytest.approx(10.0)
    assert spending.left() == 0.0
    assert CONVERSATIONS > TELLING > BY_HAND > 0


def test_without_a_time_there_is_no_end():
    assert Spending(None).left(0.9) == float("inf")


@pytest.mark.skipif(not DEEP, reason="it waits half a minute; the deep profile asks it")
def test_a_slow_target_is_asked_within_a_fifth_of_the_budget_and_what_was_spent_is_told(suite, pytester, report):
    pytester.path.joinpath("slow.py").write_text(SLOW)
    result = suite("--numa-target", "slow:make", "--numa-budget", f"{BUDGET}s", "--numa-report", "out")
    result.stdout.fnmatch_lines([f"*this run takes about {BUDGET} s*", f"budget: * s spent of {BUDGET} s; *"])
    (line,) = (line for line in result.outlines if line.startswith("budget: "))
    assert float(line.split()[1]) <= BUDGET * 1.2
    unmet = [case for case in report()["cases"] if case["verdict"] == "failed"]
    assert len(unmet) > 5
    assert all(case.get("history") or case.get("scenario") for case in unmet)
    assert len([case for case in report()["cases"] if case.get("asked")]) > 20


def steps(method, *seconds):
    return [Step(method, {}, {}, None, each) for each in seconds]


def test_how_long_a_run_takes_follows_from_a_few_answers():
    pick = seconds_of_a_run(steps("pick", 0.01, 0.03), frozenset({"pick"}), 1.0)
    assert pick == pytest.approx(JUDGING + 0.02 * QUESTIONS["pick"])
    asked = [*steps("node.start", 2.0), *steps("node.admit", 0.5)]
    node = seconds_of_a_run(asked, frozenset({"node"}), 0.1)
    assert node == pytest.approx((JUDGING + 2.0 * STARTS["node"] + 0.5 * QUESTIONS["node"]) / 10)
    asked = [*steps("claims.start", 1.5), *steps("claims.prepare", 0.1)]
    driver = seconds_of_a_run(asked, frozenset({"claims"}), 1.0, at_once=4)
    assert driver == pytest.approx(JUDGING + (1.5 * STARTS["claims"] + 0.1 * QUESTIONS["claims"]) / 4)


@deep
def test_what_a_whole_run_asks_is_told():
    now, kept = questions(), {"questions": QUESTIONS, "starts": STARTS}
    for kind, told in kept.items():
        assert now[kind] == pytest.approx(dict(told), rel=0.25), "cd tests && python -m measured questions"
