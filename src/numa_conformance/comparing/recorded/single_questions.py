"""Recorded decisions that are one question each: cpu-static, merge, qos, noderesourcesfit, and any other."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .differences import Difference, compare
from .recorded_names import Caller, recorded_answer

Body = dict[str, Any]
_NO_POD: Body = {"metadata": {"name": "p", "uid": "p"}, "spec": {"containers": [{"name": "c"}]}}
_NO_STATE: Body = {"state": {"default": "", "assignments": {}}, "pod": _NO_POD, "container": "c", "affinity": None}


def reported(machine: Body) -> Body:
    """Return a recorded machine with the mark that its cache ids are already a node agent's view."""
    return machine if "uncoreSource" in machine else {**machine, "uncoreSource": "reported"}


def _allocation(body: Body) -> tuple[str, Body]:
    state = {key: body[key] for key in _NO_STATE} if "state" in body else _NO_STATE
    return "allocate", {"machine": reported(body["machine"]), "kubelet": body["kubelet"], **state}


def _merge(body: Body) -> tuple[str, Body]:
    fields = {key: body.get(key) for key in ("policy", "nodes", "distances", "providers")}
    return "merge", {**fields, "options": body.get("options") or {}}


QUESTIONS: Mapping[str, Callable[[Body], tuple[str, Body]]] = {
    "cpu-static": _allocation,
    "merge": _merge,
    "noderesourcesfit": lambda body: ("score", {key: body[key] for key in ("strategy", "allocatable", "pods", "pod")}),
    "qos": lambda body: ("classify", {"pod": body["pod"]}),
    "question": lambda body: (body["method"], body["params"]),
}
"""By kind the method, and the parameters of the question."""


def replay(target: Caller, body: Body, messages: bool) -> Iterator[Difference]:
    """Ask the question, and yield where the answer is not the recorded one."""
    method, _ = QUESTIONS[body["kind"]](body)
    expected, answer = recorded_answer(method, _recorded(body)), record(target, body)["expect"]
    if method == "score":
        expected, answer = (
            {**answer_of, "insufficient": sorted(answer_of.get("insufficient") or ())}
            for answer_of in (expected, answer)
        )
    yield from compare(expected, answer, "", messages=messages)


def _recorded(body: Body) -> Body:
    if "construction_error" in body:
        return {"construction_error": body["construction_error"]}
    return {**({"reserved_cpus": body["reserved_cpus"]} if "reserved_cpus" in body else {}), **body["expect"]}


def record(target: Caller, body: Body) -> Body:
    """Return the question with what this target answers as its record; scores of single resources are none of it."""
    method, params = QUESTIONS[body["kind"]](body)
    answer = target.call(method, params)
    if body["kind"] == "noderesourcesfit":
        answer.pop("scores", None)
    return {**body, "expect": answer}
