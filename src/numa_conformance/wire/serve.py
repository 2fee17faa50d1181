"""Serving a target over the standard streams, for any Python object with the claimed methods."""

import contextlib
import os
import sys
from typing import Any, BinaryIO

import msgspec

from ..errors import UsageError
from .faults import UNSUPPORTED, BadReply, Unsupported
from .message import Message, Method, checked_reply
from .messages import METHODS

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603


def serve(target: object) -> None:
    """Answer JSON-RPC 2.0 requests, one a line, until ``shutdown`` or the end of the input.

    Standard output belongs to the protocol: what the target prints goes to standard error.
    """
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    with contextlib.redirect_stdout(sys.stderr), replies:
        for line in iter(sys.stdin.buffer.readline, b""):
            if not line.strip():
                continue
            if not _answer(target, line, replies):
                return


def _answer(target: object, line: bytes, replies: BinaryIO) -> bool:
    """Answer one line; False when it was the request to shut down."""
    try:
        request = msgspec.json.decode(line)
    except (ValueError, RecursionError) as error:  # UnicodeDecodeError is not a DecodeError
        _send(replies, None, error=(PARSE_ERROR, f"not JSON: {error}"))
        return True
    if not isinstance(request, dict) or request.get("jsonrpc") != "2.0" or not isinstance(request.get("method"), str):
        _send(replies, None, error=(INVALID_REQUEST, 'not a JSON-RPC 2.0 request with "jsonrpc" and "method"'))
        return True
    if request["method"] == "shutdown":
        return False
    number = request.get("id")
    try:
        result = _call(target, METHODS.get(request["method"]), request["method"], request.get("params") or {})
    except _RpcError as error:
        _send(replies, number, error=error.args)
    else:
        _send(replies, number, result=result)
    return True


class _RpcError(Exception):
    """What a call is answered with in place of a result: a code and a message."""


def _call(target: object, method: Method | None, name: str, params: Any) -> Message:
    answer = getattr(target, method.attribute, None) if method else None
    if method is None or answer is None:
        raise _RpcError(METHOD_NOT_FOUND, f"no method {name!r}")
    try:
        message = msgspec.convert(params, method.request)
    except msgspec.ValidationError as error:
        raise _RpcError(INVALID_PARAMS, f"{name}: {error}") from error
    try:
        reply: Message = checked_reply(method, answer(message))
    except UsageError as error:
        raise _RpcError(INVALID_PARAMS, f"{name}: {error}") from error
    except Unsupported as error:
        raise _RpcError(UNSUPPORTED, error.reason) from error
    except BadReply as error:
        raise _RpcError(INTERNAL_ERROR, f"{name}: {error}") from error
    except Exception as error:
        raise _RpcError(INTERNAL_ERROR, f"{name}: {type(error).__name__}: {error}") from error
    return reply


def _send(
    replies: BinaryIO, number: object, *, result: Message | None = None, error: tuple[Any, ...] | None = None
) -> None:
    reply: dict[str, Any] = {"jsonrpc": "2.0", "id": number}
    if error is not None:
        reply["error"] = {"code": error[0], "message": error[1]}
    else:
        reply["result"] = result
    replies.write(msgspec.json.encode(reply) + b"\n")
