"""A program's standard streams: a line to it, a line back, and its standard error passed on, all within bounds."""

import contextlib
import os
import select
import sys
import textwrap
import time
from abc import ABC, abstractmethod
from collections.abc import Callable

from ..errors import UsageError
from ..printable import printable
from .faults import BadReply, Crashed, Exchange, NotClaimed, TargetFault, TimedOut
from .message import R, Request
from .supervised import Supervised

A_QUESTION = 64 * 1024
A_RUN = 64 * 1024 * 1024


class PassedOn:
    """Passes on whole lines, so many bytes for each question and in all: who collects them keeps them in memory.

    Part of a line waits for its end: what no CI system should take for a command is seen in whole lines only.
    """

    def __init__(self, *, quiet: bool, question: int = A_QUESTION, run: int = A_RUN) -> None:
        """Take the bounds in bytes; ``quiet`` passes nothing on."""
        self._question = question
        self._left = 0 if quiet else run
        self._left_now = question
        self._begun = b""

    def next_question(self) -> None:
        """Count anew."""
        self._left_now = self._question

    def write(self, written: bytes) -> None:
        """Pass on the lines that the bounds leave; the first time that something is left out, say so."""
        room = min(self._left, self._left_now)
        if room <= 0:
            return
        self._left -= len(written)
        self._left_now -= len(written)
        lines, newline, self._begun = (self._begun + written[:room]).rpartition(b"\n")
        self._show(lines + newline)
        if len(written) > room:
            self.end_line()
            of = "this question" if self._left_now < 0 else "the whole run"
            self._show(f"(standard error goes on; no more of it is shown for {of})\n".encode())

    def end_line(self) -> None:
        """Pass on the line that was begun: there is no more of it."""
        if self._begun:
            self._show(self._begun + b"\n")
        self._begun = b""

    @staticmethod
    def _show(written: bytes) -> None:
        if written:
            sys.stderr.write(textwrap.indent(printable(written.decode("utf-8", "replace")), "  "))


MAX_LINE = 16 * 1024 * 1024
"""Longest reply accepted, in bytes: past it the target is killed rather than the memory filled."""
STDERR_LINES = 20
_CHUNK = 64 * 1024
_GLANCE = 0.2
"""Seconds after which it is looked whether a silent target has ended."""
_ENDS = 2.0
"""Seconds in which a process that has closed its output ends by itself."""


class _Ended(Crashed):
    """The process has ended; what remains to be said is how."""


class Process:
    """One process and its standard streams, read and written only while a question waits for its answer.

    What it says unasked stays in its pipes, which are bounded; what it writes to its standard error between two
    questions is read with the next one.
    """

    def __init__(self, program: Callable[[], object], max_line: int, passed_on: PassedOn) -> None:
        self._program = Supervised(program)
        self._stdin, self._stdout, self._stderr = self._program.stdin, self._program.stdout, self._program.stderr
        self._received = bytearray()
        self._errors, self._has_errors = bytearray(), True
        self._max_line = max_line
        self._passed_on = passed_on
        self._unsent = memoryview(b"")
        for stream in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(stream, False)

    def exchange(self, sent: bytes, timeout: float) -> bytes:
        """Send a line and return the next one; raises ``TargetFault``."""
        deadline = time.monotonic() + timeout
        self._passed_on.next_question()
        self._unsent = memoryview(sent + b"\n")
        ended = False
        while (line := self._line(ended=ended)) is None:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimedOut(f"no answer within {timeout:g} s")
            self._send()
            ready = self._ready(min(left, _GLANCE))
            if self._stderr in ready:
                self._read_errors()
            # A process of the target's own may hold the pipe open after the target has ended.
            ended = self._read_reply() if self._stdout in ready else not ready and self._program.status() is not None
        return line

    def _ready(self, seconds: float) -> list[int]:
        """Wait until a stream can be read, or written where something is unsent; return those that can."""
        poll = select.poll()
        poll.register(self._stdout, select.POLLIN)
        if self._has_errors:
            poll.register(self._stderr, select.POLLIN)
        if self._unsent:
            poll.register(self._stdin, select.POLLOUT)
        return [stream for stream, _ in poll.poll(seconds * 1000)]

    def _send(self) -> None:
        """Write what the pipe takes of what is unsent; nobody reads what is sent to a process that has ended."""
        try:
            while self._unsent:
                self._unsent = self._unsent[os.write(self._stdin, self._unsent) :]
        except BlockingIOError:
            return
        except OSError:
            self._unsent = memoryview(b"")

    def _line(self, *, ended: bool) -> bytes | None:
        """Take a whole line out of what was received; None while there is none. Raises ``TargetFault``."""
        end = self._received.find(b"\n") + 1
        if (end or len(self._received)) > self._max_line:
            raise BadReply(f"the reply is longer than {self._max_line} bytes", self._exchange())
        if end:
            line = bytes(self._received[:end])
            del self._received[:end]
            return line
        if ended and self._received:
            raise _Ended("the target ended in the middle of a line", self._exchange())
        if ended:
            raise _Ended("the target ended without an answer")
        return None

    def _exchange(self) -> Exchange:
        return Exchange(received=self._received[:2000].decode("utf-8", "replace"))

    def _read_reply(self) -> bool:
        """Read what there is; tell whether the target has closed its output."""
        with contextlib.suppress(BlockingIOError):
            received = os.read(self._stdout, _CHUNK)
            self._received += received
            return not received
        return False

    def _read_errors(self) -> None:
        """Read what there is of the standard error, pass it on, and keep its end."""
        with contextlib.suppress(BlockingIOError):
            written = os.read(self._stderr, _CHUNK)
            self._has_errors = bool(written)
            self._errors += written
            del self._errors[:-_CHUNK]
            self._passed_on.write(written)

    def stop(self, sent: bytes, received: str, seconds: float) -> tuple[Exchange, int | None]:
        """Kill it and what it started; return its last words and its status, None if it ran on for so many seconds."""
        status = self._program.status(seconds)
        self._end()
        lines = self._errors.decode("utf-8", "replace").splitlines(keepends=True)[-STDERR_LINES:]
        return Exchange(sent.decode("utf-8", "replace"), received, "".join(lines)), status

    def shut_down(self, farewell: bytes) -> None:
        """Ask the process to end, and kill it when it does not."""
        with contextlib.suppress(OSError):
            os.write(self._stdin, farewell)
        self._program.hang_up()
        self._program.status(1)
        self._end()

    def _end(self) -> None:
        self._program.end()
        self._read_errors()
        self._passed_on.end_line()
        self._program.close()


class ProcessConnection(ABC):
    """Starts the program at the first request, and again after every fault."""

    _farewell = b""
    """What tells the program that nothing more is asked."""

    def __init__(
        self, program: Callable[[], object], label: str, timeout: float, *, max_line: int = MAX_LINE, quiet: bool
    ) -> None:
        """Take what runs in a process of its own; ``quiet`` keeps its standard error out of ours."""
        self._program = program
        self._timeout = timeout
        self._max_line = max_line
        self._passed_on = PassedOn(quiet=quiet)
        self._process: Process | None = None
        self.label = label

    @abstractmethod
    def _line(self, message: Request[R]) -> bytes:
        """Return the line that asks."""

    @abstractmethod
    def _reply(self, message: Request[R], line: bytes) -> R:
        """Read the line that answers; raises ``TargetFault``."""

    def _started(self) -> Process:
        """Start the program; raises ``TargetFault``, and ``UsageError``."""
        self._process = Process(self._program, self._max_line, self._passed_on)
        return self._process

    def request(self, message: Request[R]) -> R:
        """Ask and return the reply; raises ``TargetFault``."""
        sent = self._line(message)
        try:
            return self._reply(message, (self._process or self._started()).exchange(sent, self._timeout))
        except NotClaimed:
            raise
        except TargetFault as fault:
            kind, text, received, cause = type(fault), fault.message, fault.exchange.received, fault.__cause__
        # Raised anew, outside: what led here holds all that was received, and faults are kept until the run's end.
        process, self._process = self._process, None
        assert process is not None
        exchange, status = process.stop(sent, received, _ENDS if kind is _Ended else 0)
        if kind is _Ended:
            closed = f"{text.replace('ended', 'closed its output')}, ran on, and was killed"
            raise Crashed(closed if status is None else f"{text}, exit status {status}", exchange)
        raise kind(text, exchange) from (cause if isinstance(cause, UsageError) else None)

    def close(self) -> None:
        """Tell the program to shut down, and end it."""
        if self._process is not None:
            self._process.shut_down(self._farewell)
            self._process = None
