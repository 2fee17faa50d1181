"""Recorded answers in the names of today's messages, and what a target offers to be asked (``Caller``)."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Protocol

_RECORDERS_WORDS = re.compile(r"reserved cpus list (\S*) is not a subset of the online cpus (\S*)")


class Caller(Protocol):
    """A target to ask. ``call`` takes and returns plain JSON values; what the target lacks is not in ``features``."""

    @property
    def features(self) -> frozenset[str]:
        """The features the target claims."""

    def call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Ask one question; raises a target fault when no proper answer comes."""


def recorded_answer(method: str, answer: dict[str, Any]) -> dict[str, Any]:
    """Return a recorded answer in today's names, and with the kubelet's words on reserved CPUs that do not exist."""
    change = None if "result" in answer and method not in _RECONCILING else _CHANGES.get(method)
    translated = change(dict(answer)) if change else answer
    matched = _RECORDERS_WORDS.fullmatch(str(translated.get("message") or ""))
    if matched is None:
        return translated
    return {**translated, "message": f"reserved-cpus: {matched[1]} is not a subset of online-cpus: {matched[2]}"}


Answer = dict[str, Any]


def _choice(result: str, answer: Answer) -> Answer:
    """Return a choice of CPUs, or its error, as one object with a result."""
    error = answer.pop("error", None)
    if answer.get("cpus") is not None:
        return {**answer, "result": result}
    return {**answer, "result": "refused", **error} if error else answer


def _allocation(answer: Answer) -> Answer:
    if answer.get("construction_error") is not None:
        return {"result": "policy_refused", "message": answer["construction_error"]}
    choice = answer.pop("allocate", None) or {}
    return {**answer, **_choice("allocated", dict(choice))}


def _score(answer: Answer) -> Answer:
    if answer.get("construction_error") is not None:
        return {"result": "refused", "message": answer["construction_error"]}
    return {"result": "scored", **{name: value for name, value in answer.items() if name != "resources"}}


def _start(answer: Answer) -> Answer:
    message = answer.pop("construction_error", None)
    return {"result": "started", **answer} if message is None else {**answer, "result": "failed", "message": message}


def _reconcile(answer: Answer) -> Answer:
    skipped = [_renamed(container, "pod", "uid") for container in answer.get("skipped") or ()]
    return {**_renamed(answer, "ok", "handled"), "skipped": skipped}


def _renamed(answer: Answer, old: str, new: str) -> Answer:
    return {new if name == old else name: value for name, value in answer.items()}


_RECONCILING = frozenset({"node.reconcile", "host.reconcile"})
"""Methods whose answers have no result among several."""
_CHANGES: Mapping[str, Callable[[Answer], Answer]] = {
    "pick": lambda answer: _choice("picked", answer),
    "allocate": _allocation,
    "score": _score,
    "host.reconcile": _reconcile,
    "node.start": _start,
    "node.reconcile": _reconcile,
}
