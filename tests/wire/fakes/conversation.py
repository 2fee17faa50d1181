"""A target that answers ``describe``, and misbehaves only in its first life: a marker file tells later ones apart."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

Request = dict[str, Any]

DESCRIPTION = {"name": "fake", "version": "1", "protocol": "2", "surfaces": ["pick"], "features": []}


def send(value: object) -> None:
    """Write one line."""
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def reply(request: Request, **other: object) -> None:
    """Answer a request properly, except for the ``other`` members."""
    send({"jsonrpc": "2.0", "id": request["id"], "result": DESCRIPTION} | other)


def converse(misbehave: Callable[[Request], None]) -> None:
    """Answer every line of the input: with ``misbehave`` in the first life, properly afterwards."""
    marker = Path(sys.argv[1])
    first = not marker.exists()
    with marker.open("a") as lived:
        lived.write("+")
    sys.stderr.write("the fake complains\n")
    sys.stderr.flush()
    for line in sys.stdin:
        request = json.loads(line)
        if request["method"] == "shutdown":
            return
        (misbehave if first else reply)(request)
