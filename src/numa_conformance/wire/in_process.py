"""Targets in this process: an object with the claimed methods."""

import ctypes
import importlib
import os
import queue
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from time import monotonic
from typing import Any, NoReturn

import msgspec

from ..errors import Fault, UsageError
from .faults import Crashed, Exchange, NotClaimed, TargetFault, TimedOut, message_of
from .features import other_version
from .message import Message, R, Request, checked_reply
from .process_marks import Marked

_exit = os._exit
_guarded: dict[int, int] = {}
"""The process in which each thread that asks a target was started, by the thread's identifier."""


@contextmanager
def guarded() -> Iterator[None]:
    """Make ``os._exit`` an exception in this thread: a run that ended there with status 0 would look as if passed."""
    thread = threading.get_ident()
    _guarded[thread] = os.getpid()
    os._exit = _refused_exit
    try:
        yield
    finally:
        _guarded.pop(thread)  # a later thread, which may be of the target, gets the same identifier


def leave_a_copy() -> None:
    """End this process if it is a copy that the target has forked: nobody waits for its answer."""
    if _guarded.get(threading.get_ident()) != os.getpid():
        _exit(os.EX_SOFTWARE if hasattr(os, "EX_SOFTWARE") else 1)


def end_workers() -> None:
    """End what the target has started with ``multiprocessing``, which this process would wait for at its end."""
    multiprocessing = sys.modules.get("multiprocessing")
    for child in multiprocessing.active_children() if multiprocessing is not None else ():
        child.kill()
        child.join()


def _refused_exit(status: int) -> NoReturn:
    if _guarded.get(threading.get_ident()) == os.getpid():
        raise SystemExit(f"os._exit({status})")
    _exit(status)


Factory = Callable[[], object]


def load_factory(name: str) -> Factory:
    """Find ``package.module:factory``; modules of the working folder are found too. Raises ``UsageError``."""
    module_name, colon, attribute = name.partition(":")
    if not colon or not module_name or not attribute:
        raise UsageError(Fault("target", f"{name!r} does not name a factory", "package.module:factory"))
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        named: Any = importlib.import_module(module_name)
        for part in attribute.split("."):
            named = getattr(named, part)
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and str(error.name).startswith("numa_conformance.target"):
            raise UsageError(other_version("1")) from error
        raise UsageError(
            Fault("target", f"{name!r} cannot be loaded: {type(error).__name__}: {error}", "package.module:factory")
        ) from error
    if not callable(named):
        raise UsageError(Fault("target", f"{name!r} is not callable", "a function or a class without arguments"))
    factory: Factory = named
    return factory


_WAKES_SECONDS = 1.0


class _Stop(BaseException):
    """Raised inside a call that has used up its budget, to end its thread."""


class InProcess:
    """Calls the target in a worker thread, so that an endless loop costs its budget and not the run."""

    def __init__(self, factory: Factory, label: str, timeout: float, *, foreign: bool = False) -> None:
        """Take the factory; a target is made at the first request and after every fault.

        ``foreign``: not our own, so processes that it has started are looked for, and ended with it.
        """
        self._factory = factory
        self._timeout = timeout
        self._worker: _Worker | None = None
        self._target: object | None = None
        self._marked = Marked() if foreign else None
        self.label = label

    def request(self, message: Request[R]) -> R:
        """Ask and return the reply; raises ``TargetFault``."""
        shown = self._shown_later(message)
        try:
            with self._marked or nullcontext():
                answer = self._run(lambda: self._answer(message.method.attribute, message), shown)
            reply: R = checked_reply(message.method, answer)
            return reply
        except NotClaimed:
            raise
        except TargetFault as fault:
            self._drop()
            if not fault.exchange.sent:
                raise type(fault)(fault.message, Exchange(shown(), fault.exchange.received)) from fault
            raise

    def _shown_later(self, message: Message) -> Callable[[], str]:
        """Return what tells a question: as it is now, since the target may change it."""
        text = _shown(message)
        return lambda: text

    def _answer(self, attribute: str, question: Message) -> object:
        if self._target is None:
            self._target = _made(self._factory)
        answer = getattr(self._target, attribute, None)
        if answer is None:
            raise NotClaimed(f"the target has no method {attribute!r}")
        return answer(question)

    def _run(self, call: Callable[[], object], shown: Callable[[], str]) -> object:
        if self._worker is None:
            self._worker = _Worker()
        try:
            done, value = self._worker.run(call, self._timeout)
        except queue.Empty:
            self._worker.abandon()
            raise TimedOut(f"no answer within {self._timeout:g} s", Exchange(shown())) from None
        if done:
            return value
        assert isinstance(value, BaseException)
        raise _fault_of(value, shown())

    def _drop(self) -> None:
        if self._worker is not None:
            self._worker.end()
            if self._marked is not None:
                self._marked.kill()
                end_workers()
        self._worker = self._target = None

    def close(self) -> None:
        """Forget the target, and end the processes that it has started."""
        self._drop()


def _made(factory: Factory) -> object:
    """Return a target; of what its factory raises, the place in the user's own file is told."""
    try:
        return factory()
    except (TargetFault, UsageError):
        raise
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)[1:]
        where = [f", {frame.filename}:{frame.lineno}" for frame in frames if frame.filename == frames[0].filename]
        traceback.clear_frames(error.__traceback__)
        text = f"the target raised {type(error).__name__}: {message_of(error)}"
        raise Crashed(f"{text} (when it was made{where[-1] if where else ''})") from error


def _fault_of(error: BaseException, shown: str) -> TargetFault:
    """Return the fault of a target that raised something."""
    if isinstance(error, TargetFault):
        return error
    # Faults are kept until the run's end; what the target held when it failed is not.
    traceback.clear_frames(error.__traceback__)
    does = "refused the question" if isinstance(error, UsageError) else f"raised {type(error).__name__}"
    fault = Crashed(f"the target {does}: {message_of(error)}", Exchange(shown))
    fault.__cause__ = error
    return fault


def _shown(message: Any) -> str:
    return f"{message.method.name} {msgspec.json.encode(message).decode()}"


class Bundled(InProcess):
    """Calls a target of our own in this thread: it comes back, and does not end the process."""

    def _shown_later(self, message: Message) -> Callable[[], str]:
        return lambda: _shown(message)

    def _run(self, call: Callable[[], object], shown: Callable[[], str]) -> object:
        try:
            return call()
        except Exception as error:
            raise _fault_of(error, shown())  # noqa: B904  (it names its cause)


class _Worker:
    """A thread that runs one call after the other."""

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[Callable[[], object] | None] = queue.SimpleQueue()
        self._results: queue.SimpleQueue[tuple[bool, object]] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._loop, name="target", daemon=True)
        self._thread.start()

    def run(self, call: Callable[[], object], timeout: float) -> tuple[bool, object]:
        """Return (True, value) or (False, exception); raises ``queue.Empty`` past the budget."""
        self._calls.put(call)
        until = monotonic() + timeout
        while True:
            left = until - monotonic()
            try:
                # A signal may reach another thread. This one handles it when it wakes.
                return self._results.get(timeout=min(max(left, 0), _WAKES_SECONDS))
            except queue.Empty:
                if left <= _WAKES_SECONDS:
                    raise

    def end(self) -> None:
        """Let the thread end when it is idle."""
        self._calls.put(None)

    def abandon(self) -> None:
        """Ask the thread to stop inside its call; one that is stuck outside Python is left behind."""
        if self._thread.ident is not None:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread.ident), ctypes.py_object(_Stop))
        self.end()

    def _loop(self) -> None:
        with suppress(_Stop), guarded():
            while (call := self._calls.get()) is not None:
                try:
                    result: tuple[bool, object] = (True, call())
                except _Stop:
                    return
                except BaseException as error:
                    result = (False, error)
                leave_a_copy()
                self._results.put(result)
