import multiprocessing
import os
import re
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable

import pytest

from numa_conformance.errors import UsageError
from numa_conformance.machine import load_machine, machine_to_dict
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.wire import (
    BadReply,
    Client,
    Crashed,
    InProcess,
    NotClaimed,
    TargetFault,
    TimedOut,
    in_process,
    load_factory,
)
from numa_conformance.wire.messages.classify import Classify
from numa_conformance.wire.messages.describe import Describe, Description
from numa_conformance.wire.messages.pick import Pick, Picked
from processes import PATIENCE, wait_until

GOOD = Description("fake", "1", "2", ["classify"], [])


class Fake:
    """Describes itself with ``describe``, which a test replaces for the first life."""

    def __init__(self, describe: Callable[[], object]) -> None:
        self._describe = describe

    def describe(self, request: Describe) -> object:
        return self._describe()


def _target(first: Callable[[], object], timeout: float = PATIENCE, born: list[Fake] | None = None) -> InProcess:
    """Return a connection whose first target misbehaves; all that are made are put into ``born``."""
    born = [] if born is None else born

    def make() -> Fake:
        born.append(Fake((lambda: GOOD) if born else first))
        return born[-1]

    return InProcess(make, "fake", timeout)


def _fault(target: InProcess) -> TargetFault:
    with pytest.raises(TargetFault) as caught:
        target.request(Describe())
    return caught.value


class _TextlessError(Exception):
    def __str__(self) -> str:
        return str(1 // 0)


def _raise(error: BaseException) -> object:
    raise error


def test_an_endless_loop_costs_its_budget_and_the_run_goes_on():
    born: list[Fake] = []
    threads: list[threading.Thread] = []

    def loop_for_ever() -> object:
        threads.append(threading.current_thread())
        while True:
            pass

    target = _target(loop_for_ever, 0.3, born)
    fault = _fault(target)
    assert type(fault) is TimedOut
    wait_until(lambda: not any(thread.is_alive() for thread in threads))
    target._timeout = PATIENCE
    assert 'describe {"protocol":"2"}' in str(fault)
    assert target.request(Describe()) == GOOD
    assert len(born) == 2


@pytest.mark.parametrize(
    ("behaviour", "kind", "said"),
    [
        (lambda: 1 // 0, Crashed, "raised ZeroDivisionError"),
        (lambda: sys.exit(3), Crashed, "raised SystemExit: 3"),
        (lambda: None, BadReply, "not a Description"),
        (lambda: {"name": "fake"}, BadReply, "missing required field `version`"),
        (lambda: Picked("0-1"), BadReply, "not a Description"),
        (lambda: Description("fake", 1, "2", None, []), BadReply, "Expected `str`, got `int` - at `$.version`"),
        (lambda: Description("\ud800", "1", "2", [], []), BadReply, "surrogates not allowed"),
        (lambda: _raise(KeyboardInterrupt()), Crashed, "raised KeyboardInterrupt"),
        (lambda: _raise(_TextlessError()), Crashed, "raised _TextlessError: (no text: ZeroDivisionError"),
        (lambda: _raise(ValueError("\ud800")), Crashed, r"raised ValueError: \ud800"),
        (lambda: os._exit(0), Crashed, "raised SystemExit: os._exit(0)"),
    ],
)
def test_what_is_no_answer_is_a_fault_and_a_new_target_answers_next(
    behaviour: Callable[[], object], kind: type[TargetFault], said: str
):
    born: list[Fake] = []
    target = _target(behaviour, born=born)
    fault = _fault(target)
    assert type(fault) is kind
    assert said in fault.message
    assert "sent:     describe" in str(fault)
    assert target.request(Describe()) == GOOD
    assert len(born) == 2


def test_a_fault_keeps_nothing_of_what_the_target_held():
    class Big:
        pass

    held: list[weakref.ref[Big]] = []

    def fail() -> object:
        big = Big()
        held.append(weakref.ref(big))
        raise ValueError

    fault = _fault(_target(fail))
    assert (fault.message, held[0]()) == ("the target raised ValueError: ", None)


def test_a_thread_that_gets_the_identifier_of_an_ended_one_ends_the_process(monkeypatch: pytest.MonkeyPatch):
    ended: list[int] = []
    workers: list[threading.Thread] = []
    monkeypatch.setattr(in_process, "_exit", ended.append)
    target = _target(lambda: workers.append(threading.current_thread()) or GOOD)
    target.request(Describe())
    target.close()
    workers[0].join(PATIENCE)
    monkeypatch.setattr(threading, "get_ident", lambda: workers[0].ident)
    os._exit(7)
    assert ended == [7]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_copy_of_the_run_ends_where_the_target_forked_it():
    forked: list[int] = []

    def fork() -> object:
        forked.append(os.fork())
        return GOOD

    assert _target(fork).request(Describe()) == GOOD
    assert os.waitstatus_to_exitcode(os.waitpid(forked[0], 0)[1]) == os.EX_SOFTWARE


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found by way of /proc")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_what_a_foreign_target_has_started_ends_with_it():
    started: list[subprocess.Popen[bytes]] = []
    worker = multiprocessing.get_context("fork").Process(target=time.sleep, args=(1000,))

    def start() -> object:
        started.append(subprocess.Popen(["sleep", "1000"], start_new_session=True))
        worker.start()
        return GOOD

    target = InProcess(lambda: Fake(start), "fake", PATIENCE, foreign=True)
    target.request(Describe())
    target.close()
    assert started[0].wait(PATIENCE) == -9
    assert worker.exitcode == -9


def test_plain_values_are_as_good_as_the_classes():
    plain = {"name": "fake", "version": "1", "protocol": "2", "surfaces": ["classify"], "features": []}
    assert _target(lambda: plain).request(Describe()) == GOOD


def test_a_method_that_is_not_there_is_not_claimed_and_the_target_lives_on():
    born: list[Fake] = []
    target = _target(lambda: GOOD, born=born)
    target.request(Describe())
    with pytest.raises(NotClaimed, match="'classify'"):
        target.request(Classify({}))
    assert len(born) == 1


def test_a_method_that_was_answered_is_claimed_from_then_on():
    class Shrinks(ReferenceTarget):
        def classify(self, request):
            type(self).classify = None
            return super().classify(request)

    client = Client(InProcess(Shrinks, "shrinks", PATIENCE))
    question = Classify({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}})
    assert client.ask(question).qos == "BestEffort"
    with pytest.raises(BadReply, match="has answered classify before"):
        client.ask(question)


@pytest.mark.parametrize(
    ("answer", "received"),
    [
        ("picked", '"picked"'),
        ({"result": "picked"}, '{"result":"picked"}'),
        ({1}, "[1]"),
        (Fake, "an object of the class type"),
    ],
)
def test_a_bad_reply_is_shown(answer: object, received: str):
    class Answers(ReferenceTarget):
        def pick(self, request):
            return answer

    machine = machine_to_dict(load_machine("one-cpu"))
    with pytest.raises(BadReply, match="the reply is not a Picked or a PickRefused: ") as fault:
        InProcess(Answers, "answers", PATIENCE).request(Pick(machine, "0", 1))
    assert fault.value.exchange.sent.startswith("pick {")
    assert fault.value.exchange.received == received


def test_a_factory_that_raises_is_a_crash():
    def broken() -> object:
        raise RuntimeError("no hardware")

    line = broken.__code__.co_firstlineno + 1
    told = f"the target raised RuntimeError: no hardware (when it was made, {__file__}:{line})"
    with pytest.raises(Crashed, match=re.escape(told)):
        InProcess(broken, "broken", PATIENCE).request(Describe())


def test_unknown_methods_and_wrong_fields_are_errors_of_the_user():
    client = Client(InProcess(ReferenceTarget, "reference", PATIENCE))
    with pytest.raises(UsageError, match="no method 'guess'"):
        client.call("guess", {})
    with pytest.raises(UsageError, match="colour"):
        client.call("describe", {"colour": "blue"})


@pytest.mark.parametrize("name", ["a\nVERDICT: CONFORMANT", "\x1b[31m", "a" * 201])
def test_a_name_that_would_change_what_is_printed_is_refused(name: str):
    with pytest.raises(UsageError, match=r"describe: name: is '.*one line of at most 200 printable characters"):
        Client(_target(lambda: Description(name, "1", "2", ["classify"], [])))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("no_colon", "does not name a factory"),
        (":factory", "does not name a factory"),
        ("json:", "does not name a factory"),
        ("no_such_module_at_all:factory", "cannot be loaded"),
        ("json:no_such_name", "cannot be loaded"),
        ("json:__name__", "is not callable"),
    ],
)
def test_a_name_that_leads_to_no_factory_is_refused(name: str, said: str):
    with pytest.raises(UsageError, match=said):
        load_factory(name)


def test_a_factory_is_found_by_name():
    assert load_factory("numa_conformance.reference.target:ReferenceTarget") is ReferenceTarget


def test_a_signal_that_reaches_the_thread_of_the_target_ends_the_wait():
    def interrupt(number, frame):
        raise KeyboardInterrupt

    def signals_its_own_thread():
        signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)
        released.wait(PATIENCE)

    released, before = threading.Event(), signal.signal(signal.SIGUSR1, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            _target(signals_its_own_thread).request(Describe())
    finally:
        released.set()
        signal.signal(signal.SIGUSR1, before)
