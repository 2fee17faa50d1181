"""Recorded decisions that need one question each: cpu-static, merge, qos, noderesourcesfit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .caller import Caller, recorded_answer
from .differences import Difference, compare

__all__ = ["replay_cpu_static", "replay_merge", "replay_qos", "replay_question", "replay_score", "reported"]


def reported(machine: dict[str, Any]) -> dict[str, Any]:
    """Return a recorded machine with the mark that its cache ids are already a node agent's view."""
    return machine if "uncoreSource" in machine else {**machine, "uncoreSource": "reported"}


def replay_cpu_static(target: Caller, body: dict[str, Any], messages: bool) -> Iterator[Difference]:
    """Ask for one allocation of the static policy in a given state."""
    question = {"machine": reported(body["machine"]), "kubelet": body["kubelet"]}
    if "construction_error" in body:
        question |= {"state": {"default": "", "assignments": {}}, "pod": _NO_POD, "container": "c", "affinity": None}
        recorded = {"construction_error": body["construction_error"]}
    else:
        question |= {key: body[key] for key in ("state", "pod", "container", "affinity")}
        recorded = {"reserved_cpus": body["reserved_cpus"], **body["expect"]}
    expected = recorded_answer("allocate", recorded)
    yield from compare(expected, target.call("allocate", question), "", messages=messages)


_NO_POD: dict[str, Any] = {"metadata": {"name": "p", "uid": "p"}, "spec": {"containers": [{"name": "c"}]}}


def replay_question(target: Caller, body: dict[str, Any], messages: bool) -> Iterator[Difference]:
    """Ask any one question of the protocol."""
    expected = recorded_answer(body["method"], body["expect"])
    yield from compare(expected, target.call(body["method"], body["params"]), "", messages=messages)


def replay_merge(target: Caller, body: dict[str, Any], messages: bool) -> Iterator[Difference]:
    """Ask for one merge of provider hints."""
    question = {key: body.get(key) for key in ("policy", "options", "nodes", "distances", "providers")}
    question["options"] = question["options"] or {}
    yield from compare(body["expect"], target.call("merge", question), "", messages=messages)


def replay_qos(target: Caller, body: dict[str, Any], messages: bool) -> Iterator[Difference]:
    """Ask for a pod's class and the exclusive CPUs its containers would ask for."""
    yield from compare(body["expect"], target.call("classify", {"pod": body["pod"]}), "", messages=messages)


def replay_score(target: Caller, body: dict[str, Any], messages: bool) -> Iterator[Difference]:
    """Ask for the score of one node."""
    question = {key: body[key] for key in ("strategy", "allocatable", "pods", "pod")}
    answer = target.call("score", question)
    answer.pop("scores", None)
    recorded = body["expect"] if "expect" in body else {"construction_error": body["construction_error"]}
    expected = recorded_answer("score", recorded)
    for told in (expected, answer):
        told["insufficient"] = sorted(told.get("insufficient") or ())
    yield from compare(expected, answer, "", messages=messages)
