"""A shim between your allocator and numa-conformance, over stdio: one JSON-RPC 2.0 message a line, in and out.

    numa-conformance smoke --target-command "python3 numa_target.py"
    pytest --numa-conformance --numa-target-command "python3 numa_target.py"

It needs nothing but the standard library, so that it reads like what you would write in any other language. It claims
policy none, which gives no exclusive CPUs. Next: ask your allocator in ``admit``, add "cpu-manager/static" to FEATURES,
and read what the suite says. Every message is in docs/protocol.md of numa-conformance.
"""

import json
import sys
from typing import Any

SURFACES = ["node"]
FEATURES = ["cpu-manager/none"]

Json = dict[str, Any]
pods: dict[str, Json] = {}


def describe(params: Json) -> Json:
    """Say who this is and what it claims; only that is tested."""
    return {"name": "my-allocator", "version": "0.1.0", "protocol": "2", "surfaces": SURFACES, "features": FEATURES}


def start(params: Json) -> Json:
    """Come up on params["machine"], under the KubeletConfiguration params["kubelet"]. Sets are texts: "0-3,8"."""
    pods.clear()
    return {"result": "started", "default_cpuset": ""}


def admit(params: Json) -> Json:
    """Place params["pod"], a v1 Pod, or refuse it: {"result": "rejected", "reason": ..., "message": ...}."""
    spec = params["pod"]["spec"]
    names = [container["name"] for container in [*spec.get("initContainers", []), *spec["containers"]]]
    containers = {name: {"cpus": ""} for name in names}
    pods[params["pod"]["metadata"]["uid"]] = containers
    return {"result": "admitted", "default_cpuset": "", "containers": containers}


def run(params: Json) -> Json:
    """Start the containers of a pod; one that was refused is not here."""
    if params["uid"] not in pods:
        return {"result": "unknown", "default_cpuset": ""}
    return {"result": "started", "default_cpuset": "", "containers": pods[params["uid"]]}


def remove(params: Json) -> Json:
    """Forget a pod; what it held is free again."""
    pods.pop(params["uid"], None)
    return {"result": "removed", "default_cpuset": ""}


def state(params: Json) -> Json:
    """Tell what everybody holds."""
    return {"default_cpuset": "", "containers": pods}


METHODS = {
    "describe": describe,
    "node.start": start,
    "node.admit": admit,
    "node.run": run,
    "node.remove": remove,
    "node.state": state,
}


def answer(message: Json) -> Json:
    """Answer one message; -32601 says that a method is not there."""
    method = METHODS.get(message["method"])
    if method is None:
        return {"error": {"code": -32601, "message": f"no method {message['method']}"}}
    return {"result": method(message.get("params") or {})}


for line in sys.stdin:
    message = json.loads(line)
    if message["method"] == "shutdown":
        break
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer(message)}), flush=True)
