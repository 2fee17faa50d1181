"""A shim between your allocator and numa-conformance, over stdio, for an allocator that only chooses CPUs.

    numa-conformance smoke --target-command "python3 numa_target.py"
    pytest --numa-conformance --numa-target-command "python3 numa_target.py"

It needs nothing but the standard library, so that it reads like what you would write in any other language. It takes
the lowest ids, and the suite says why that is not enough. Next: ask your allocator in ``pick``, and add the options
that it knows to FEATURES. Every message is in docs/protocol.md of numa-conformance.
"""

import json
import sys
from typing import Any

FEATURES = ["cpu-manager/static"]

Json = dict[str, Any]


def describe(params: Json) -> Json:
    """Say who this is and what it claims; only that is tested. "wants": ["host_root"]: machines come as trees too."""
    return {"name": "my-allocator", "version": "0.1.0", "protocol": "2", "surfaces": ["pick"], "features": FEATURES}


def pick(params: Json) -> Json:
    """Choose params["count"] of the CPUs params["available"] of params["machine"]. Sets are texts: "0-3,8"."""
    available = [cpu for part in params["available"].split(",") if part for cpu in span(part)]
    if params["count"] > len(available):
        return {"result": "refused", "message": f"{len(available)} CPUs are free"}
    return {"result": "picked", "cpus": ",".join(map(str, available[: params["count"]]))}


def span(part: str) -> range:
    """Return the CPUs of "8" or "0-3"."""
    first, _, last = part.partition("-")
    return range(int(first), int(last or first) + 1)


METHODS = {"describe": describe, "pick": pick}


def answer(message: Json) -> Json:
    """Answer one message; -32601 says that a method is not there, -32001 that a machine is not supported, and why."""
    method = METHODS.get(message["method"])
    if method is None:
        return {"error": {"code": -32601, "message": f"no method {message['method']}"}}
    return {"result": method(message.get("params") or {})}


for line in sys.stdin:
    message = json.loads(line)
    if message["method"] == "shutdown":
        break
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer(message)}), flush=True)
