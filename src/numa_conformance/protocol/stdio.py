"""Targets in any language: JSON-RPC 2.0 over the standard streams of a process, one message a line."""

from __future__ import annotations

import contextlib
import os
import queue
import shlex
import signal
import subprocess
import sys
import threading
from collections import deque
from typing import BinaryIO

import msgspec

from ..errors import Fault, UsageError
from .dialect import TODAY
from .faults import BadReply, Crashed, Exchange, NotClaimed, TargetFault, TimedOut
from .message import R, Request

__all__ = ["MAX_LINE", "Stdio"]

MAX_LINE = 16 * 1024 * 1024
"""Longest reply accepted, in bytes: past it the target is killed rather than the memory filled."""
STDERR_LINES = 20
METHOD_NOT_FOUND = -32601


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
        self._quiet = quiet
        self._process: _Process | None = None
        self._next_id = 1
        self.label = command
        self.dialect = TODAY

    def request(self, message: Request[R]) -> R:
        """Ask and return the reply; raises ``TargetFault``."""
        name = message.method.name
        if self._process is None:
            self._process = _Process(self._argv, self._max_line, quiet=self._quiet)
        number = self._next_id
        self._next_id += 1
        params = self.dialect.question(message)
        sent = msgspec.json.encode({"jsonrpc": "2.0", "id": number, "method": name, "params": params})
        try:
            line = self._process.exchange(sent, self._timeout)
            return self._reply(message, line, number)
        except NotClaimed:
            raise
        except TargetFault as fault:
            exchange, status = self._process.stop(sent, fault.exchange.received)
            self._process = None
            ended = f", exit status {status}" if isinstance(fault, Crashed) else ""
            raise type(fault)(fault.message + ended, exchange) from fault

    def _reply(self, message: Request[R], line: bytes, number: int) -> R:
        shown = Exchange(received=line[:2000].decode("utf-8", "replace"))
        result = _result(line, number, message.method.name, shown)
        try:
            return self.dialect.reply(message, result)
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
    except msgspec.DecodeError as error:
        raise BadReply(f"the reply is not JSON: {error}", shown) from error
    if not isinstance(reply, dict) or reply.get("jsonrpc") != "2.0":
        raise BadReply('the reply is not a JSON-RPC 2.0 object with "jsonrpc": "2.0"', shown)
    if reply.get("id") != number or isinstance(reply.get("id"), bool):
        raise BadReply(f"the reply has the id {reply.get('id')!r}, the request had {number}", shown)
    failure = reply.get("error")
    if failure is not None:
        if isinstance(failure, dict) and failure.get("code") == METHOD_NOT_FOUND:
            raise NotClaimed(f"the target has no method {name!r}", shown)
        raise BadReply(f"the target answered {name} with an error: {failure}", shown)
    if "result" not in reply:
        raise BadReply("the reply has neither result nor error", shown)
    return reply["result"]


class _Process:
    """One process with a thread that reads its replies and one that reads its standard error."""

    def __init__(self, argv: list[str], max_line: int, *, quiet: bool) -> None:
        try:
            self._child = subprocess.Popen(
                argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise Crashed(f"the command cannot be started: {error}") from error
        assert self._child.stdout is not None
        assert self._child.stderr is not None
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._errors: deque[str] = deque(maxlen=STDERR_LINES)
        self._max_line = max_line
        self._quiet = quiet
        self._readers = [
            threading.Thread(target=self._read_replies, args=(self._child.stdout,), daemon=True),
            threading.Thread(target=self._read_errors, args=(self._child.stderr,), daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    def exchange(self, sent: bytes, timeout: float) -> bytes:
        """Send a line and return the next one; raises ``TargetFault``."""
        writer = threading.Thread(target=self._write, args=(sent + b"\n",), daemon=True)
        writer.start()
        try:
            line = self._lines.get(timeout=timeout)
        except queue.Empty:
            raise TimedOut(f"no answer within {timeout:g} s") from None
        if not line:
            raise Crashed("the target ended without an answer")
        if len(line) > self._max_line:
            raise BadReply(f"the reply is longer than {self._max_line} bytes")
        if not line.endswith(b"\n"):
            received = line[:2000].decode("utf-8", "replace")
            raise Crashed("the target ended in the middle of a line", Exchange(received=received))
        return line

    def _write(self, data: bytes) -> None:
        assert self._child.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            self._child.stdin.write(data)
            self._child.stdin.flush()

    def _read_replies(self, stream: BinaryIO) -> None:
        with contextlib.suppress(OSError, ValueError):
            while line := stream.readline(self._max_line + 1):
                self._lines.put(line)
                if len(line) > self._max_line:
                    return
        self._lines.put(b"")

    def _read_errors(self, stream: BinaryIO) -> None:
        with contextlib.suppress(OSError, ValueError):
            for raw in iter(lambda: stream.readline(4096), b""):
                line = raw.decode("utf-8", "replace")
                self._errors.append(line)
                if not self._quiet:
                    sys.stderr.write(line)

    def stop(self, sent: bytes, received: str) -> tuple[Exchange, int]:
        """Kill the process and what it started; return the exchange that ended it and the exit status."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(timeout=0.2)
        self._kill()
        return Exchange(sent.decode("utf-8", "replace"), received, "".join(self._errors)), self._child.returncode

    def shut_down(self) -> None:
        """Ask the process to end, and kill it when it does not."""
        self._write(b'{"jsonrpc":"2.0","method":"shutdown"}\n')
        assert self._child.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            self._child.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(timeout=1)
        self._kill()

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._child.pid, signal.SIGKILL)
        self._child.wait()
        for reader in self._readers:
            reader.join(timeout=1)
        for stream in (self._child.stdin, self._child.stdout, self._child.stderr):
            if stream is not None:
                with contextlib.suppress(OSError, ValueError):
                    stream.close()
