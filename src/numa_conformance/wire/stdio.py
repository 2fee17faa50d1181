"""Targets in any language: JSON-RPC 2.0 over the standard streams of a process, one message a line."""

import contextlib
import os
import selectors
import shlex
import signal
import sys
import time
from typing import IO

import msgspec

from ..errors import Fault, UsageError
from ..printable import printable
from .faults import UNSUPPORTED, BadReply, Crashed, Exchange, NotClaimed, TargetFault, TimedOut, Unsupported
from .message import R, Request, checked_reply
from .process_marks import Marked

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
            sys.stderr.write(printable(written.decode("utf-8", "replace")))


MAX_LINE = 16 * 1024 * 1024
"""Longest reply accepted, in bytes: past it the target is killed rather than the memory filled."""
STDERR_LINES = 20
METHOD_NOT_FOUND = -32601
_CHUNK = 64 * 1024
_GLANCE = 0.2
"""Seconds after which it is looked whether a silent target has ended."""


class Stdio:
    """Starts the command at the first request, and again after every fault."""

    def __init__(self, command: str, timeout: float, *, max_line: int = MAX_LINE, quiet: bool = False) -> None:
        """Take the command as a shell would split it; ``quiet`` keeps its standard error out of ours."""
        try:
            self._argv = shlex.split(command)
        except ValueError as error:
            raise UsageError(Fault("target command", f"cannot be split: {error}")) from error
        if not self._argv:
            raise UsageError(Fault("target command", "is empty", "a command, such as ./my-allocator --stdio"))
        self._timeout = timeout
        self._max_line = max_line
        self._passed_on = PassedOn(quiet=quiet)
        self._process: _Process | None = None
        self._next_id = 1
        self.label = command

    def request(self, message: Request[R]) -> R:
        """Ask and return the reply; raises ``TargetFault``."""
        name = message.method.name
        if self._process is None:
            self._process = _Process(self._argv, self._max_line, self._passed_on)
        number = self._next_id
        self._next_id += 1
        sent = msgspec.json.encode({"jsonrpc": "2.0", "id": number, "method": name, "params": message})
        try:
            return self._reply(message, self._process.exchange(sent, self._timeout), number)
        except NotClaimed:
            raise
        except TargetFault as fault:
            kind, text, received = type(fault), fault.message, fault.exchange.received
        # Raised anew, outside: what led here holds all that was received, and faults are kept until the run's end.
        exchange, status = self._process.stop(sent, received)
        self._process = None
        raise kind(text + (f", exit status {status}" if kind is Crashed else ""), exchange)

    def _reply(self, message: Request[R], line: bytes, number: int) -> R:
        shown = Exchange(received=line[:2000].decode("utf-8", "replace"))
        result = _result(line, number, message.method.name, shown)
        try:
            reply: R = checked_reply(message.method, result)
            return reply
        except BadReply as fault:
            raise BadReply(fault.message, shown) from fault

    def close(self) -> None:
        """Tell the target to shut down, and end it."""
        if self._process is not None:
            self._process.shut_down()
            self._process = None


def _result(line: bytes, number: int, name: str, shown: Exchange) -> object:
    """Return the result in a reply line; raises ``BadReply`` saying what is wrong with it."""
    try:
        reply = msgspec.json.decode(line)
    except (ValueError, RecursionError) as error:  # UnicodeDecodeError is not a DecodeError
        raise BadReply(f"the reply is not JSON: {error}", shown) from error
    if not isinstance(reply, dict) or reply.get("jsonrpc") != "2.0":
        raise BadReply('the reply is not a JSON-RPC 2.0 object with "jsonrpc": "2.0"', shown)
    if reply.get("id") != number or isinstance(reply.get("id"), bool):
        raise BadReply(f"the reply has the id {reply.get('id')!r}, the request had {number}", shown)
    failure = reply.get("error")
    if failure is not None:
        if isinstance(failure, dict) and failure.get("code") == METHOD_NOT_FOUND:
            raise NotClaimed(f"the target has no method {name!r}", shown)
        if isinstance(failure, dict) and failure.get("code") == UNSUPPORTED:
            raise Unsupported(str(failure.get("message") or ""), shown)
        raise BadReply(f"the target answered {name} with an error: {failure}", shown)
    if "result" not in reply:
        raise BadReply("the reply has neither result nor error", shown)
    return reply["result"]


class _Process:
    """One process and its standard streams, read and written only while a question waits for its answer.

    What it says unasked stays in its pipes, which are bounded; what it writes to its standard error between two
    questions is read with the next one.
    """

    def __init__(self, argv: list[str], max_line: int, passed_on: PassedOn) -> None:
        import subprocess  # who serves, or asks nobody, does not pay for it

        self._marked = Marked()
        self._late = subprocess.TimeoutExpired
        try:
            self._child = subprocess.Popen(
                argv,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                env=self._marked.environment(),
            )
        except OSError as error:
            raise Crashed(f"the command cannot be started: {error}") from error
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        assert self._child.stderr is not None
        self._stdin, self._stdout, self._stderr = (
            stream.fileno() for stream in (self._child.stdin, self._child.stdout, self._child.stderr)
        )
        self._received = bytearray()
        self._errors = bytearray()
        self._max_line = max_line
        self._passed_on = passed_on
        self._selector = selectors.DefaultSelector()
        for stream in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(stream, False)
        for stream in (self._stdout, self._stderr):
            self._selector.register(stream, selectors.EVENT_READ)

    def exchange(self, sent: bytes, timeout: float) -> bytes:
        """Send a line and return the next one; raises ``TargetFault``."""
        deadline = time.monotonic() + timeout
        self._passed_on.next_question()
        unsent = self._send(memoryview(sent + b"\n"))
        ended = False
        while (line := self._line(ended=ended)) is None:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimedOut(f"no answer within {timeout:g} s")
            ready = [key.fd for key, _ in self._selector.select(min(left, _GLANCE))]
            if self._stdin in ready:
                unsent = self._send(unsent)
            if self._stderr in ready:
                self._read_errors()
            # A process of the target's own may hold the pipe open after the target has ended.
            ended = self._read_reply() if self._stdout in ready else not ready and self._child.poll() is not None
        return line

    def _send(self, unsent: memoryview) -> memoryview:
        """Write what the pipe takes; return the rest, for which the selector then waits."""
        watched = self._stdin in self._selector.get_map()
        try:
            while unsent:
                unsent = unsent[os.write(self._stdin, unsent) :]
        except BlockingIOError:
            if not watched:
                self._selector.register(self._stdin, selectors.EVENT_WRITE)
            return unsent
        except OSError:
            unsent = unsent[len(unsent) :]
        if watched:
            self._selector.unregister(self._stdin)
        return unsent

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
            raise Crashed("the target ended in the middle of a line", self._exchange())
        if ended:
            raise Crashed("the target ended without an answer")
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
            if not written and self._stderr in self._selector.get_map():
                self._selector.unregister(self._stderr)
            self._errors += written
            del self._errors[:-_CHUNK]
            self._passed_on.write(written)

    def stop(self, sent: bytes, received: str) -> tuple[Exchange, int]:
        """Kill the process and what it started; return the exchange that ended it and the exit status."""
        with contextlib.suppress(self._late):
            self._child.wait(timeout=0.2)
        self._kill()
        lines = self._errors.decode("utf-8", "replace").splitlines(keepends=True)[-STDERR_LINES:]
        return Exchange(sent.decode("utf-8", "replace"), received, "".join(lines)), self._child.returncode

    def shut_down(self) -> None:
        """Ask the process to end, and kill it when it does not."""
        with contextlib.suppress(OSError):
            os.write(self._stdin, b'{"jsonrpc":"2.0","method":"shutdown"}\n')
        self._close(self._child.stdin)
        with contextlib.suppress(self._late):
            self._child.wait(timeout=1)
        self._kill()

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._child.pid, signal.SIGKILL)
        self._child.wait()
        self._marked.kill()
        self._read_errors()
        self._passed_on.end_line()
        self._selector.close()
        for stream in (self._child.stdin, self._child.stdout, self._child.stderr):
            self._close(stream)

    @staticmethod
    def _close(stream: IO[bytes] | None) -> None:
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
