"""Recorded decisions that drive one node through steps: admission and lifecycle."""

from collections.abc import Iterator
from typing import Any

from ...judging.files import DEVICE_FILE
from ...sources.policies import TOPOLOGY_POLICIES, TOPOLOGY_SCOPES
from .differences import Difference, comparable_device_file, compare
from .recorded_names import Caller, recorded_answer
from .single_questions import reported

FAILURE = ("stage", "construction_error")
"""What is recorded of a node that did not come up."""


def replay(target: Caller, body: dict[str, Any], messages: bool) -> Iterator[Difference]:
    """Start the node and compare answer by answer, until one differs: later ones would differ because of it."""
    answer = target.call("node.start", {"machine": reported(body["machine"]), "kubelet": body["kubelet"]})
    expected = recorded_answer("node.start", body.get("initial") or {key: body[key] for key in FAILURE})
    if _validated(body["kubelet"], answer):
        return
    differences = list(compare(expected, answer, "start: ", messages=messages))
    yield from differences
    if expected["result"] == "failed":
        return
    steps = _Steps(target, body)
    for index, (step, expected) in enumerate(zip(body["steps"], body["expect"], strict=True)):
        if differences:
            return
        differences = list(compare(*steps.take(step, expected), f"{_label(index, step)}: ", messages=messages))
        yield from differences


def _validated(kubelet: dict[str, Any], answer: dict[str, Any]) -> bool:
    """Tell whether the kubelet's validation refuses the start; recorders had none for policies and scopes."""
    if (answer.get("result"), answer.get("stage")) != ("failed", "kubelet"):
        return False
    policy, scope = kubelet.get("topologyManagerPolicy", "none"), kubelet.get("topologyManagerScope", "container")
    return policy not in TOPOLOGY_POLICIES or scope not in TOPOLOGY_SCOPES


def record(target: Caller, body: dict[str, Any]) -> dict[str, Any]:
    """Return the conversation with this target's answers as its record; ``unordered`` devices as their number."""
    answer = target.call("node.start", {"machine": reported(body["machine"]), "kubelet": body["kubelet"]})
    if answer["result"] == "failed":
        return {**body, "initial": answer}
    steps, operations = _Steps(target, body), body.get("steps", [])
    return {**body, "initial": answer, "steps": operations, "expect": [steps.take(step, {})[1] for step in operations]}


def _label(index: int, step: dict[str, Any]) -> str:
    uid = step.get("uid") or step.get("pod", {}).get("metadata", {}).get("uid")
    return f"step {index + 1} ({step['op']}{f' {uid}' if uid else ''})"


class _Steps:
    """Takes steps; keeps the state files that were replaced while the node was down until the restart reads them."""

    def __init__(self, target: Caller, body: dict[str, Any]) -> None:
        self._target = target
        self._unordered = body.get("device_ids") == "unordered"
        self._files: dict[str, str | None] = {}

    def take(self, step: dict[str, Any], expected: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what was recorded and what the target answered, both in the form in which they compare."""
        call = self._target.call
        match step["op"]:
            case "admit":
                got = call("node.admit", {"pod": step["pod"]})
            case "start":
                got = call("node.run", {"uid": step["uid"]})
            case "remove":
                got = call("node.remove", {"uid": step["uid"]})
            case "reconcile":
                got = call("node.reconcile", {})
                expected = recorded_answer("node.reconcile", expected)
            case "write":
                self._files |= step["files"]
                return {}, {}
            case "restart":
                question: dict[str, Any] = {"files": self._files} if self._files else {}
                if "kubelet" in step:
                    question["kubelet"] = step["kubelet"]
                self._files = {}
                got = call("node.restart", question)
            case "checkpoints":
                got = call("node.checkpoints", {})
                return _comparable_files(expected), _comparable_files(got)
            case other:
                return {"op": "a step that recorded decisions have"}, {"op": other}
        if self._unordered:
            got = _count_devices(got)
        return expected, got


def _count_devices(answer: Any) -> Any:
    """Return an answer with the number of devices in place of their ids, wherever containers are told of."""
    if isinstance(answer, list):
        return [_count_devices(item) for item in answer]
    if not isinstance(answer, dict):
        return answer
    counted = {name: _count_devices(value) for name, value in answer.items()}
    if isinstance(answer.get("devices"), dict):
        counted["devices"] = {resource: len(ids) for resource, ids in answer["devices"].items()}
    return counted


def _comparable_files(answer: dict[str, Any]) -> dict[str, Any]:
    """Bring the device checkpoint, which has no fixed order, into the parsed and sorted form of the record."""
    files = dict(answer.get("checkpoints") or {})
    text = files.get(DEVICE_FILE)
    if isinstance(text, str):
        files[DEVICE_FILE] = comparable_device_file(text)
    return {**answer, "checkpoints": files}
