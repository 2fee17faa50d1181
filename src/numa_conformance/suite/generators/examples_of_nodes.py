"""Examples of the pages, on a node: the pods that they print, and the requests that they work out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ...machine import Machine, load_machine, machine_from_dict
from .pods import EXAMPLES
from .scenario import Question, Scenario, ask_all
from .workloads import guaranteed, static, static_memory

__all__ = ["examples_of_nodes"]


def examples_of_nodes(claimed: frozenset[str]) -> Iterator[Scenario]:
    """Yield the examples within what a target claims."""
    if "cpu-manager/static" not in claimed:
        return
    machine = load_machine("t1-one-socket-smt2")
    for number, (name, spec) in enumerate(EXAMPLES.items(), 1):
        uid = f"example-{number}"
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": uid, "uid": uid}, "spec": spec}
        yield _example(name, machine, static(), [pod])
    if {"memory-manager/static", "topology-manager/restricted"} <= claimed:
        wide = machine_from_dict({"name": "two-of-125Gi", "sockets": 2, "coresPerNuma": 2, "memory": "125Gi"})
        pods = [guaranteed("wide", 3, "150Gi")]
        yield _example("Troubleshooting, 150Gi of 125Gi on each of two", wide, static_memory("restricted"), pods)


def _example(name: str, machine: Machine, kubelet: Mapping[str, Any], pods: Sequence[Mapping[str, Any]]) -> Scenario:
    """Admit pods, run them, look at the node, and take them away."""
    uids = [pod["metadata"]["uid"] for pod in pods]
    questions: list[Question] = [("node.start", {"kubelet": kubelet}), *(("node.admit", {"pod": pod}) for pod in pods)]
    questions += [("node.run", {"uid": uid}) for uid in uids]
    questions.append(("node.state", {}))
    questions += [("node.remove", {"uid": uid}) for uid in uids]
    return Scenario("example", f"node, {name}", machine, partial(ask_all, questions))
