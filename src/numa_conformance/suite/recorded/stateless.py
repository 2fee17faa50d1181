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
    if "construction_error" in body:
        recorded = {"construction_error": body["construction_error"]}
    else:
        recorded = {**_only(body, "reserved_cpus"), **body["expect"]}
    expected = recorded_answer("allocate", recorded)
    yield from compare(expected, record_cpu_static(target, body)["expect"], "", messages=messages)


def record_cpu_static(target: Caller, body: dict[str, Any]) -> dict[str, Any]:
    """Return the question with what this target answers as its record."""
    question = {"machine": reported(body["machine"]), "kubelet": body["kubelet"]}
    if "state" in body:
        question |= {key: body[key] for key in ("state", "pod", "container", "affinity")}
    else:
        question |= {"state": {"default": "", "assignments": {}}, "pod": _NO_POD, "container": "c", "affinity": None}
    return {**body, "expect": target.call("allocate", question)}


def _only(body: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: body[name] for name in names if name in body}


_NO_POD: dict[str, Any] = {"metadata": {"name": "p", "uid": "p"}, "spec": {"containers": [{"name": "c"}]}}


def replay_question(target: Caller, body: dict[str, Any], messages: bool) -> Iterator[Difference]:
    """Ask any one question of the protocol."""
    expected = recorded_answer(body["method"], body["expect"])
    yield from compare(expected, target.call(body["method"], body["params"]), "", messages=messages)


def record_question(target: Caller, body: dict[str, Any]) -> dict[str, Any]:
    """Return the question with what this target answers as its record; likewise below."""
    return {**body, "expect": target.call(body["method"], body["params"])}


def replay_merge(target: Caller, body: dict[str, Any], messages: bool) -> Iterator[Difference]:
    """Ask for one merge of provider hints."""
    yield from compare(body["expect"], record_merge(target, body)["expect"], "", messages=messages)


def record_merge(target: Caller, body: dict[str, Any]) -> dict[str, Any]:
    """Ask for one merge."""
    question = {key: body.get(key) for key in ("policy", "options", "nodes", "distances", "providers")}
    question["options"] = question["options"] or {}
    return {**body, "expect": target.call("merge", question)}


def replay_qos(target: Caller, body: dict[str, Any], messages: bool) -> Iterator[Difference]:
    """Ask for a pod's class and the exclusive CPUs its containers would ask for."""
    yield from compare(body["expect"], record_qos(target, body)["expect"], "", messages=messages)


def record_qos(target: Caller, body: dict[str, Any]) -> dict[str, Any]:
    """Ask for one pod's class."""
    return {**body, "expect": target.call("classify", {"pod": body["pod"]})}


def replay_score(target: Caller, body: dict[str, Any], messages: bool) -> Iterator[Difference]:
    """Ask for the score of one node."""
    answer = record_score(target, body)["expect"]
    recorded = body["expect"] if "expect" in body else {"construction_error": body["construction_error"]}
    expected = recorded_answer("score", recorded)
    for score in (expected, answer):
        score["insufficient"] = sorted(score.get("insufficient") or ())
    yield from compare(expected, answer, "", messages=messages)


def record_score(target: Caller, body: dict[str, Any]) -> dict[str, Any]:
    """Ask for one node's score."""
    answer = target.call("score", {key: body[key] for key in ("strategy", "allocatable", "pods", "pod")})
    answer.pop("scores", None)
    return {**body, "expect": answer}
