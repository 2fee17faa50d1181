"""A factory's target in a copy of this process: whatever it does to its process is its own verdict."""

import atexit
import contextlib
import faulthandler
import logging
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable
from functools import cache, partial
from typing import Any, BinaryIO

import msgspec

from ..errors import Fault, UsageError
from .faults import SHOWN, BadReply, Crashed, Exchange, NotClaimed, TargetFault, TimedOut, Unsupported, message_of
from .in_process import Factory, answer_of, fault_of, load_factory
from .message import Method, R, Request, checked_reply, read_reply
from .messages import METHODS
from .process import Process, ProcessConnection

_LOADS_SECONDS = 120.0
"""Time in which the factory's module is imported, at least."""
_KINDS = {kind.__name__: kind for kind in (BadReply, Crashed, NotClaimed, TimedOut, Unsupported)}
_COPIES: list[object] = []
"""The streams of the process that was copied: they would write what they hold when they go."""


class InChild(ProcessConnection):
    """Asks the target in a child of this process, which has loaded what this one has, and keeps no file of it."""

    def __init__(
        self, name: str, timeout: float, *, load: Callable[[], Factory] | None = None, quiet: bool = False
    ) -> None:
        """Take the factory, ``package.module:factory``. The child loads it: what that changes is changed there."""
        _forms()
        super().__init__(partial(_serve, load or partial(load_factory, name)), name, timeout, quiet=quiet)

    def _started(self) -> Process:
        process = super()._started()
        line = process.exchange(b"", max(self._timeout, _LOADS_SECONDS))
        if line.startswith(b"?"):
            faults = msgspec.json.decode(line[1:], type=list[Fault])
            self.close()
            raise UsageError(faults)
        if line != b"=\n":
            raise _fault(line)
        return process

    def _line(self, message: Request[R]) -> bytes:
        return b"%s %s" % (message.method.name.encode(), msgspec.json.encode(message))

    def _reply(self, message: Request[R], line: bytes) -> R:
        if not line.startswith(b"="):
            raise _fault(line)
        reply: R = read_reply(message.method, line[1:])
        return reply


def _fault(line: bytes) -> TargetFault:
    """Return the fault that a line tells of; one that the target has written itself tells of none."""
    try:
        kind, text, received, wrong = msgspec.json.decode(line.removeprefix(b"!"), type=tuple[str, str, str, list[str]])
        fault = _KINDS[kind](text, Exchange(received=received))
    except (ValueError, KeyError, RecursionError) as error:
        shown = Exchange(received=line[:SHOWN].decode("utf-8", "replace"))
        return BadReply(f"the target has written in place of its answer: {error}", shown)
    fault.__cause__ = UsageError(Fault("", each) for each in wrong) if wrong else None
    return fault


def _leave_streams() -> tuple[BinaryIO, Callable[[bytes], object], Callable[[], object]]:
    """Return what reads questions, and what writes and sends an answer; the target's own is standard error alone."""
    lines, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        _COPIES.append(getattr(sys, name))
        stream = os.fdopen(number, "w" if number else "r", buffering=1, closefd=False, errors="backslashreplace")
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    if faulthandler.is_enabled():
        faulthandler.enable()
    logging.root.handlers.clear()  # pytest's own keep what is logged
    atexit._clear()
    warnings.simplefilter("ignore")  # pytest would make errors of them, or keep them all
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    return lines, answers.write, answers.flush


def _text(method: Method, answer: object, encode: Callable[[object], bytes]) -> bytes:
    """Write an answer; raises ``BadReply`` for what cannot be written."""
    try:
        return encode(answer)
    except Exception:
        checked_reply(method, answer)
        raise


def _show(error: BaseException) -> None:
    """Write where the target has raised something to its standard error."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None and at.tb_frame.f_globals.get("__package__") == __package__:
        at = at.tb_next
    with contextlib.suppress(Exception):
        traceback.print_exception(type(error), error, at)


@cache
def _forms() -> dict[bytes, tuple[Any, Callable[[bytes], Any]]]:
    """Return for each method the name on the wire, and what reads its question."""
    return {name.encode(): (method, msgspec.json.Decoder(method.request).decode) for name, method in METHODS.items()}


def _serve(load: Callable[[], Factory]) -> None:
    """Answer a line with a line until there is none.

    All that this needs is bound before the target's module is imported, which may patch whatever it likes.
    """
    lines, write, send = _leave_streams()
    forms, encode, getpid, end, show = _forms(), msgspec.json.encode, os.getpid, os._exit, _show
    process, factory, target = getpid(), None, None
    for line in lines:
        name, _, params = line.partition(b" ")
        try:
            if factory is None:
                factory, text = load(), b"="
            else:
                method, decode = forms[name]
                target = factory() if target is None else target
                text = b"=" + _text(method, answer_of(target, method, decode(params)), encode)
        except BaseException as error:
            if factory is None and isinstance(error, UsageError):
                text = b"?" + encode(error.faults)
            else:
                fault = fault_of(error)
                if fault is not error:
                    show(error)
                words = fault.reason if isinstance(fault, Unsupported) else fault.message
                wrong = map(message_of, error.faults) if isinstance(error, UsageError) else ()
                text = b"!" + encode((type(fault).__name__, words, fault.exchange.received, [*wrong]))
        if getpid() != process:  # a copy that the target has forked: nobody waits for its answer
            end(os.EX_SOFTWARE)
        write(text + b"\n")
        send()
    atexit._run_exitfuncs()
