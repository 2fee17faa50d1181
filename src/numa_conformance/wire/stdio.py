"""Targets in any language: JSON-RPC 2.0 over the standard streams of a process, one message a line."""

import json
import os
import shlex
import signal
from functools import partial

import msgspec

from ..errors import Fault, UsageError
from ..fields import object_once
from .faults import UNSUPPORTED, BadReply, Crashed, Exchange, NotClaimed, Unsupported
from .message import R, Request, checked_reply
from .process import MAX_LINE, ProcessConnection

METHOD_NOT_FOUND = -32601
_NOT_STARTED = b"the command cannot be started: "


class Stdio(ProcessConnection):
    """Starts the command at the first request, and again after every fault."""

    _farewell = b'{"jsonrpc":"2.0","method":"shutdown"}\n'

    def __init__(self, command: str, timeout: float, *, max_line: int = MAX_LINE, quiet: bool = False) -> None:
        """Take the command as a shell would split it; ``quiet`` keeps its standard error out of ours."""
        try:
            argv = shlex.split(command)
        except ValueError as error:
            raise UsageError(Fault("target command", f"cannot be split: {error}")) from error
        if not argv:
            raise UsageError(Fault("target command", "is empty", "a command, such as ./my-allocator --stdio"))
        super().__init__(partial(_become, argv), command, timeout, max_line=max_line, quiet=quiet)
        self._number = 0

    def _line(self, message: Request[R]) -> bytes:
        self._number += 1
        question = {"jsonrpc": "2.0", "id": self._number, "method": message.method.name, "params": message}
        return msgspec.json.encode(question)

    def _reply(self, message: Request[R], line: bytes) -> R:
        if line.startswith(_NOT_STARTED):
            raise Crashed(line.decode().rstrip())
        shown = Exchange(received=line[:2000].decode("utf-8", "replace"))
        try:
            reply: R = checked_reply(message.method, _result(line, self._number, message.method.name, shown))
            return reply
        except BadReply as fault:
            raise BadReply(fault.message, shown) from fault


def _become(argv: list[str]) -> None:
    """Become the command, or say in its place why that cannot be."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it, and what is ignored stays so
    try:
        os.execvp(argv[0], argv)
    except OSError as error:
        os.write(1, _NOT_STARTED + f"{argv[0]!r}: {error.strerror}\n".encode("utf-8", "backslashreplace"))
        os._exit(os.EX_UNAVAILABLE)


def _result(line: bytes, number: int, name: str, shown: Exchange) -> object:
    """Return the result in a reply line; raises ``BadReply`` saying what is wrong with it."""
    try:
        reply = msgspec.json.decode(line)
        if len(msgspec.json.encode(reply)) != len(line.rstrip()):  # else no key was lost, and no time is
            json.loads(line, object_pairs_hook=object_once)
    except (ValueError, RecursionError) as error:  # UnicodeDecodeError is not a DecodeError
        raise BadReply(f"the reply is not JSON: {error}", shown) from error
    if not isinstance(reply, dict) or reply.get("jsonrpc") != "2.0":
        raise BadReply('the reply is not a JSON-RPC 2.0 object with "jsonrpc": "2.0"', shown)
    if reply.get("id") != number or isinstance(reply.get("id"), bool):
        raise BadReply(f"the reply has the id {reply.get('id')!r}, the request had {number}", shown)
    if (failure := reply.get("error")) is not None:
        if isinstance(failure, dict) and failure.get("code") == METHOD_NOT_FOUND:
            raise NotClaimed(f"the target has no method {name!r}", shown)
        if isinstance(failure, dict) and failure.get("code") == UNSUPPORTED:
            raise Unsupported(str(failure.get("message") or ""), shown)
        raise BadReply(f"the target answered {name} with an error: {failure}", shown)
    if "result" not in reply:
        raise BadReply("the reply has neither result nor error", shown)
    return reply["result"]
