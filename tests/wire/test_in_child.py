"""A target in a child: its faults, its streams, its end, and that of what it has started."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from numa_conformance.errors import Fault, UsageError
from numa_conformance.wire import BadReply, Client, Crashed, InChild, NotClaimed, TargetFault, TimedOut, Unsupported
from numa_conformance.wire.messages.classify import Classify
from numa_conformance.wire.messages.describe import Describe, Description
from processes import PATIENCE, runs, wait_until

GOOD = Description("fake", "1", "2", ["classify"], [])


class Fake:
    def __init__(self, describe: Callable[[], object]) -> None:
        self._describe = describe

    def describe(self, request: Describe) -> object:
        return self._describe()


def _raise(error: BaseException) -> object:
    raise error


class _TextlessError(Exception):
    def __str__(self) -> str:
        return str(1 // 0)


@pytest.fixture
def first_time(tmp_path: Path):
    """Make a connection whose target misbehaves in its first life."""
    connections = []

    def connection(first: Callable[[], object], timeout: float = PATIENCE) -> InChild:
        def describe():
            with open(tmp_path / "lived", "a") as lives:
                lives.write(".")
            return first() if (tmp_path / "lived").stat().st_size == 1 else GOOD

        connections.append(InChild("fake", timeout, load=lambda: lambda: Fake(describe)))
        return connections[-1]

    yield connection
    for one in connections:
        one.close()


def _fault(target: InChild) -> TargetFault:
    with pytest.raises(TargetFault) as caught:
        target.request(Describe())
    return caught.value


def _loop() -> None:
    while True:
        pass


@pytest.mark.parametrize(
    ("behaviour", "kind", "words"),
    [
        (lambda: 1 // 0, Crashed, "raised ZeroDivisionError"),
        (lambda: sys.exit(3), Crashed, "raised SystemExit: 3"),
        (lambda: _raise(KeyboardInterrupt()), Crashed, "raised KeyboardInterrupt"),
        (lambda: _raise(_TextlessError()), Crashed, "raised _TextlessError: (no text: ZeroDivisionError"),
        (lambda: _raise(ValueError("\ud800")), Crashed, r"raised ValueError: \ud800"),
        (lambda: _raise(UsageError(Fault("cpus", "are none"))), Crashed, "refused the question: cpus: are none"),
        (lambda: _raise(BadReply("of its own")), BadReply, "of its own"),
        (lambda: _raise(Unsupported("too\nlarge")), Unsupported, "supports: too large"),
        (lambda: None, BadReply, "not a Description"),
        (lambda: {"name": "fake"}, BadReply, "missing required field `version`"),
        (lambda: Description("fake", 1, "2", None, []), BadReply, "Expected `str`, got `int` - at `$.version`"),
        (lambda: Description("\ud800", "1", "2", [], []), BadReply, "surrogates not allowed"),
        (lambda: Fake, BadReply, "is unsupported"),
        (lambda: os._exit(0), Crashed, "ended without an answer, exit status 0"),
        (lambda: ctypes.CDLL(None)._exit(7), Crashed, "ended without an answer, exit status 7"),
        (lambda: os.execv("/bin/true", ["true"]), Crashed, "ended without an answer, exit status 0"),
        (lambda: os.kill(os.getpid(), signal.SIGSEGV), Crashed, "ended without an answer, exit status -11"),
        (lambda: os.kill(os.getppid(), signal.SIGKILL) or _loop(), Crashed, "ended without an answer"),
        (lambda: os.closerange(0, 1000) or _loop(), Crashed, "closed its output without an answer, ran on, and"),
    ],
)
def test_what_is_no_answer_is_a_fault_and_a_new_target_answers_next(first_time, behaviour, kind, words):
    target = first_time(behaviour)
    fault = _fault(target)
    assert type(fault) is kind
    assert words in fault.message
    assert kind is Unsupported or 'sent:     describe {"protocol":"2"}' in str(fault)
    assert target.request(Describe()) == GOOD


def test_an_endless_loop_costs_its_budget_and_the_run_goes_on(first_time):
    target = first_time(_loop, 0.3)
    assert type(_fault(target)) is TimedOut
    target._timeout = PATIENCE
    assert target.request(Describe()) == GOOD


def test_a_loaded_factory_is_told_where_it_raises():
    def broken() -> object:
        raise RuntimeError("no hardware")

    line = broken.__code__.co_firstlineno + 1
    with pytest.raises(Crashed, match="raised RuntimeError: no hardware") as told:
        InChild("broken", PATIENCE, load=lambda: broken).request(Describe())
    assert f'File "{__file__}", line {line}, in broken' in told.value.exchange.stderr


@pytest.mark.parametrize("name", ["no_colon", "no_such_module_at_all:factory", "json:__name__"])
def test_a_name_that_leads_to_no_factory_is_refused(name: str):
    with pytest.raises(UsageError, match=r"target: .*accepted: "):
        InChild(name, PATIENCE).request(Describe())


def test_a_method_that_is_not_there_is_not_claimed_and_the_target_lives_on():
    target = InChild(
        "fake", PATIENCE, load=lambda: lambda: Fake(lambda: Description("fake", str(os.getpid()), "2", [], []))
    )
    before = target.request(Describe())
    with pytest.raises(NotClaimed, match="'classify'"):
        target.request(Classify({}))
    assert target.request(Describe()) == before
    target.close()


def test_what_it_prints_is_passed_on_and_is_no_answer(capfd: pytest.CaptureFixture[str]):
    def describe():
        sys.stdout.write("printed\n")
        os.write(1, b"::error::written\n")
        sys.__stdout__.write("by another name\n")
        return GOOD

    target = InChild("fake", PATIENCE, load=lambda: lambda: Fake(describe))
    assert Client(target).description == GOOD
    target.close()
    assert capfd.readouterr() == ("", "  printed\n  \\u003a:error::written\n  by another name\n")


def test_it_has_no_file_of_the_process_that_asks(tmp_path: Path):
    def describe():
        links = [f"/proc/self/fd/{name}" for name in os.listdir("/proc/self/fd")]
        names = [os.readlink(link) for link in links if os.path.exists(link)]
        return Description("fake", f"{str(tmp_path / 'open') in names} {len(names) > 4}", "2", [], [])

    with (tmp_path / "open").open("w"):
        target = InChild("fake", PATIENCE, load=lambda: lambda: Fake(describe))
        assert target.request(Describe()).version == "False True"
        target.close()


def _double_fork(pid_file: Path) -> None:
    if not os.fork():
        os.setsid()
        if not os.fork():
            pid_file.write_text(str(os.getpid()))
            pid_file.rename(pid_file.with_suffix(".done"))
            threading.Event().wait()
        os._exit(0)
    os.wait()


def _start(pid_file: Path, *command: str, **options: object) -> None:
    pid_file.with_suffix(".done").write_text(str(subprocess.Popen(command, **options).pid))


LEAVES = {
    "a copy": _double_fork,
    "a program of a session of its own": lambda file: _start(file, "sleep", "1000", start_new_session=True),
    "a program without environment": lambda file: _start(file, "sleep", "1000", env={}, start_new_session=True),
    "a copy, and ends": lambda file: _double_fork(file) or wait_until(file.with_suffix(".done").exists) or os._exit(0),
    "a program, and stops who watches it": lambda file: (
        _start(file, "sleep", "1000", env={}, start_new_session=True),
        os.kill(os.getppid(), signal.SIGSTOP),
    ),
}


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone gives orphans to who asks for them")
@pytest.mark.parametrize("leaves", LEAVES.values(), ids=LEAVES.keys())
def test_what_it_has_started_ends_with_it(leaves, tmp_path: Path):
    def describe():
        leaves(tmp_path / "pid")
        wait_until((tmp_path / "pid.done").exists)
        return GOOD

    target = InChild("fake", PATIENCE, load=lambda: lambda: Fake(describe))
    with contextlib.suppress(Crashed):
        target.request(Describe())
    target.close()
    assert not runs(int((tmp_path / "pid.done").read_text()))
