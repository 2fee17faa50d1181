"""Several processes that ask one target find what one finds, in the same order."""

import os
import signal
import sys
from functools import partial
from math import ceil

import pytest

from numa_conformance import chapters as chapters
from numa_conformance.asking.asking import MOST_FAULTS, Asking
from numa_conformance.asking.groups import GROUPS
from numa_conformance.asking.shares import Shares, idle_cpus
from numa_conformance.judging.verdicts import ANSWERED, WELL_FORMED
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.wire import Client, Crashed, InProcess, Unsupported
from numa_conformance.wire.messages.plugin import Preferred

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has what ends a process with its parent")
GROUP, SCENARIOS, VERSION = "plugins", 9, "1.37"


@pytest.fixture(autouse=True)
def beside_the_threads_of_xdist(monkeypatch):
    monkeypatch.setattr("numa_conformance.asking.shares._foreign_threads", lambda: False)


class Right(ReferenceTarget):
    def __init__(self):
        super().__init__("documented")


class Wrong(Right):
    def plugin_prefer(self, request):
        return Preferred([]) if request.size == 2 else super().plugin_prefer(request)


class Raises(Right):
    def plugin_prefer(self, request):
        raise ValueError("none is preferred")


class Refuses(Right):
    def plugin_start(self, request):
        raise Unsupported("no machine of this kind")


def client(target):
    return Client(InProcess(target, target.__name__))


def asking(target, shares=None, **more):
    scenarios = list(GROUPS[GROUP].scenarios(frozenset(client(target).features), 0))[:SCENARIOS]
    return Asking(scenarios, client(target), VERSION, shares=shares, group=GROUP, **more)


def shares_of(target, another=None, number=2, early=0.0, only=None):
    def scenarios(group, seed):
        return asking(target, early=early).scenarios

    return Shares(number, another or partial(client, target), scenarios, VERSION, lambda group: only)


def told(outcome):
    verdicts = outcome.verdicts
    broken = [(each.requirement, each.history.id, each.step, each.violation) for each in verdicts.broken]
    ended = [(history.id, history.steps[-1].fault, str(fault), type(fault)) for history, fault in outcome.ended]
    counts = [list(each.items()) for each in (verdicts.tests, verdicts.histories, verdicts.held_back)]
    return counts, broken, ended, verdicts.steps, outcome.driven


@pytest.mark.parametrize("target", [Right, Wrong, Raises, Refuses])
@pytest.mark.parametrize(("number", "early"), [(2, 0.0), (3, 0.0), (2, 0.3)])
def test_find_the_same_in_the_same_order(target, number, early):
    shares = shares_of(target, number=number, early=early)
    alone, beside = (asking(target, each, early=early) for each in (None, shares))
    for each in (alone, beside):
        each.ask_early()
    assert alone.outcome.driven == beside.outcome.driven == ceil(early * SCENARIOS)
    assert told(beside.spend()) == told(alone.spend())
    assert shares.can_ask()
    assert beside.outcome.driven
    assert beside._clients[0].outside == alone._clients[0].outside
    shares.close()


def test_only_what_is_wanted_is_judged_beside_the_form_of_answers():
    wanted = "device-plugin/registration/again-after-a-restart"
    only = frozenset({wanted})
    shares = shares_of(Wrong, only=only)
    alone, beside = (asking(Wrong, each, only=only).spend().verdicts for each in (None, shares))
    assert asking(Wrong).spend().verdicts.broken
    assert not alone.broken
    assert not beside.broken
    assert set(alone.tests) == set(beside.tests) == {wanted, ANSWERED, WELL_FORMED}
    shares.close()


def test_a_finding_keeps_its_history_with_replies():
    found = asking(Wrong, shares := shares_of(Wrong)).spend().verdicts.broken
    assert found
    assert all(each.history.steps[each.step].reply is not None for each in found)
    shares.close()


def test_each_history_is_kept_and_noticed_at_once():
    kept, noticed = [], []
    asking(Right, shares := shares_of(Right), keep=kept.append, notice=noticed.append).spend()
    assert len(kept) == len(noticed) == SCENARIOS
    assert all(history.steps for history in kept)
    shares.close()


def test_after_some_faults_no_more_of_a_kind_count():
    outcome = asking(Raises, shares := shares_of(Raises)).spend()
    assert len(outcome.ended) == MOST_FAULTS
    shares.close()


def test_a_target_that_starts_once_is_asked_here():
    def another():
        raise Crashed("the port is taken")

    shares = shares_of(Right, another)
    assert not shares.can_ask()
    assert asking(Right, shares).spend().driven == SCENARIOS


def test_an_error_of_the_suite_is_raised_here(monkeypatch):
    def judge(history, telling, only):
        raise ZeroDivisionError("a judge is wrong")

    monkeypatch.setattr("numa_conformance.asking.shares.judge", judge)
    shares = shares_of(Right)
    with pytest.raises(ZeroDivisionError, match="a judge is wrong"):
        asking(Right, shares).spend()
    shares.close()


def test_at_least_one_cpu_counts_as_idle():
    assert idle_cpus() >= 1


def test_a_signal_at_the_last_instruction_ends_a_process(monkeypatch, tmp_path):
    here, end = os.getpid(), os._exit

    def exits(status):
        if os.getpid() != here:
            os.kill(os.getpid(), signal.SIGTERM)
        end(status)

    monkeypatch.setattr(os, "_exit", exits)
    shares = shares_of(Right)
    try:
        assert shares.can_ask()
        shares.close()
    except SystemExit:  # a copy that goes on as the run
        (tmp_path / "copy").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    assert not list(tmp_path.iterdir())
