"""One exchange or more of every method, with every reply it can have.

They are shipped as ``fixtures/schemas/protocol.examples.jsonl``, for authors of targets, and written by
``PYTHONPATH=tests python tests/wire/examples.py``.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from numa_conformance.asking.generators.workloads import best_effort, guaranteed, kubelet, static, static_memory
from numa_conformance.files import data_folder
from numa_conformance.machine import load_machine, machine_to_dict
from numa_conformance.machine.hostfs import write_cgroup_tree, write_tree
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.wire import METHODS, Client, InProcess

FILE = data_folder("fixtures") / "schemas" / "protocol.examples.jsonl"
MACHINE = load_machine("t1-one-socket-smt2")


def questions() -> Iterator[tuple[str, dict[str, Any]]]:
    """Methods and parameters, in an order that a node can follow."""
    machine = machine_to_dict(MACHINE)
    pod, many, near = guaranteed("a", 2), guaranteed("many", 9), {"nodes": [0], "preferred": True}
    state = {"machine": machine, "kubelet": static(), "state": {"default": "0-7"}}
    yield "describe", {"protocol": "2"}
    yield "pick", {"machine": machine, "available": "1-7", "count": 2, "affinity": near}
    yield "pick", {"machine": machine, "available": "1-7", "count": 9}
    yield "allocate", {**state, "pod": pod, "container": "c", "affinity": near}
    yield "allocate", {**state, "pod": many, "container": "c"}
    yield "allocate", {**state, "kubelet": kubelet(cpuManagerPolicy="static"), "pod": pod, "container": "c"}
    yield "hints", {**state, "pod": pod, "container": "c"}
    hints: dict[str, Any] = {"distances": None, "providers": [{"cpu": [near]}]}
    yield "merge", {"policy": "restricted", "options": {}, "nodes": [0], **hints}
    yield "classify", {"pod": pod}
    score = {"allocatable": {"cpu": "8", "memory": "8Gi", "pods": "110"}, "pods": [], "pod": pod}
    yield "score", {"strategy": {"type": "LeastAllocated"}, **score}
    yield "score", {"strategy": {"type": "LeastAllocated", "resources": [{"name": "cpu", "weight": -1}]}, **score}
    yield "host.discover", {"root": "host"}
    yield "plugin.start", {"machine": machine_to_dict(load_machine("two-nodes-devices"))}
    yield (
        "plugin.prefer",
        {"available": [f"0000:0{n}:00.0" for n in (1, 2, 3)], "included": ["0000:03:00.0"], "size": 2},
    )
    yield "plugin.prefer", {"available": ["0000:01:00.0"], "included": [], "size": 2}
    yield "plugin.allocate", {"devices": ["0000:01:00.0"]}
    yield "plugin.allocate", {"devices": ["nobody's"]}
    yield "plugin.restart", {}
    yield "claims.start", {"machine": machine, "reserved_cpus": "0"}
    yield "claims.prepare", {"claim": _claim("a", 2)}
    yield "claims.prepare", {"claim": _claim("b", 1000)}
    yield "claims.run", {"name": "beside"}
    yield "claims.end", {"name": "beside"}
    yield "claims.restart", {}
    yield "claims.unprepare", {"uid": "a", "namespace": "default", "name": "a"}
    yield "node.start", {"machine": machine, "kubelet": kubelet(cpuManagerPolicy="static")}
    yield "node.start", {"machine": machine, "kubelet": static_memory("single-numa-node"), "kubernetes_version": "1.32"}
    yield "node.admit", {"pod": best_effort("b")}
    yield "node.run", {"uid": "b"}
    yield "node.admit", {"pod": pod}
    yield "node.admit", {"pod": many}
    yield "node.run", {"uid": "a"}
    yield "node.run", {"uid": "nobody"}
    yield "node.resize", {"pod": guaranteed("a", 3)}
    yield "node.resize", {"pod": guaranteed("nobody", 2)}
    yield "host.reconcile", {"root": "cgroup"}
    yield "node.remove", {"uid": "b"}
    yield "node.remove", {"uid": "b"}
    yield "node.reconcile", {}
    yield "node.state", {}
    yield "node.checkpoints", {}
    yield "node.restart", {}
    yield "node.restart", {"kubelet": static(), "files": {"cpu_manager_state": "{}"}}
    gone = {"cpu_manager_state": None, "memory_manager_state": None}
    yield "node.restart", {"kubelet": static(reserved="0-6"), "files": gone}
    yield "node.start", {"machine": machine, "kubelet": kubelet(kubeReserved={"cpu": "1"})}
    yield "node.admit", {"pod": pod}
    yield "node.resize", {"pod": guaranteed("a", 3)}


def examples(folder: Path) -> list[dict[str, Any]]:
    """What the reference answers, where ``folder`` holds the trees that the surface ``host`` reads and writes."""
    write_tree(MACHINE, folder / "host")
    write_cgroup_tree(MACHINE, folder / "cgroup", {"a": ["c"], "b": ["c"]})
    target = Client(InProcess(lambda: ReferenceTarget("documented"), "the reference"))
    lines = []
    for method, params in questions():
        request = msgspec.convert(params, METHODS[method].request)
        lines.append({"method": method, "params": msgspec.to_builtins(request), "result": target.call(method, params)})
    return lines


def _claim(uid: str, count: int) -> dict[str, Any]:
    """Return a claim of CPUs of the device that the reference publishes for NUMA node 0."""
    named = {"driver": "cpu.example.com", "pool": "node", "device": "numa-0", "request": "cpus"}
    result = {**named, "consumedCapacity": {"cpu.example.com/cpu": str(count)}}
    return {
        "metadata": {"name": uid, "namespace": "default", "uid": uid},
        "status": {"allocation": {"devices": {"results": [result]}}},
    }


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        FILE.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in examples(Path(folder))))
    sys.stdout.write(f"{FILE}\n")
