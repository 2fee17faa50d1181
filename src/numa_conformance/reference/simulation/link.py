"""The address of a question: a page in the browser answers it anew, and says where it answers otherwise by now.

The site's build reads this file by itself, without the package.
"""

import base64
import hashlib
import json
import zlib
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .answer import Answer

MOST = 1 << 20
"""Bytes of a question that the page reads."""
_DECIDED = ("pod", "result", "reason", "message", "containers")


def digest(answer: "Answer") -> str:
    """Return twelve hexadecimal digits of what is decided, whatever the words around it."""
    data, files = answer.data, dict(answer.state_files)
    pods = [[pod.get(name) for name in _DECIDED] for pod in data["pods"]]
    steps = [[step["step"], step["failure"], step["has"]] for step in data.get("steps", ())]
    return hashlib.sha256(json.dumps([pods, steps, files], sort_keys=True).encode()).hexdigest()[:12]


def link(base: str, question: Mapping[str, str | None]) -> str:
    """Return the address at which the page below ``base`` answers a question, all of it in the fragment."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = (
        packer.compress(
            json.dumps({name: text for name, text in question.items() if text}, ensure_ascii=False).encode()
        )
        + packer.flush()
    )
    return f"{base}#1.{base64.urlsafe_b64encode(packed).decode().rstrip('=')}"
