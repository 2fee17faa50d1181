"""Serving a target over the standard streams, for any Python object with the claimed methods."""

import contextlib
import os
import sys
from typing import Any

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
        for line in filter(bytes.strip, iter(sys.stdin.buffer.readline, b"")):
            reply = _answer(target, line)
            if reply is None:
                return
            replies.write(msgspec.json.encode({"jsonrpc": "2.0", **reply}) + b"\n")


def _answer(target: object, line: bytes) -> dict[str, Any] | None:
    """Answer one line; None when it was the request to shut down."""
    number = None
    try:
        request = _read(line)
        if request["method"] == "shutdown":
            return None
        number = request.get("id")
        result = _call(target, METHODS.get(request["method"]), request["method"], request.get("params") or {})
    except _RpcError as error:
        return {"id": number, "error": dict(zip(("code", "message"), error.args, strict=True))}
    return {"id": number, "result": result}


def _read(line: bytes) -> dict[str, Any]:
    try:
        request = msgspec.json.decode(line)
    except (ValueError, RecursionError) as error:  # UnicodeDecodeError is not a DecodeError
        raise _RpcError(PARSE_ERROR, f"not JSON: {error}") from error
    if not isinstance(request, dict) or request.get("jsonrpc") != "2.0" or not isinstance(request.get("method"), str):
        raise _RpcError(INVALID_REQUEST, 'not a JSON-RPC 2.0 request with "jsonrpc" and "method"')
    return request


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
