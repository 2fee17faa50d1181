"""From a step of a history to what checkers judge: subjects, each with what was known before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...cpuset import CpuSet
from ..history import History, Step
from .choice import Choice
from .lives import NodeFollower
from .reading import read_bits

__all__ = ["subjects"]


def subjects(history: History) -> Iterator[tuple[int, object]]:
    """Yield each subject with the number of its step, from 0. Raises ``UnreadableError`` for a text that is no set."""
    node = NodeFollower(history)
    for number, step in enumerate(history.steps):
        if step.answer is None:
            continue
        if step.method == "pick":
            yield number, _pick(history, step, step.answer)
        else:
            for subject in node.subjects(step, step.answer):
                yield number, subject


def _pick(history: History, step: Step, answer: Mapping[str, Any]) -> Choice:
    params = step.params
    affinity = params.get("affinity") or {}
    nodes = affinity.get("nodes")
    machine = history.head.machine
    cpus = answer.get("cpus")
    return Choice(
        machine,
        frozenset(name for name, on in params["options"].items() if on),
        CpuSet.parse(params["available"]).bits,
        params["count"],
        None if cpus is None else read_bits(cpus, "cpus"),
        None if nodes is None else sum(machine.numa_bits[node] for node in nodes),
        str(answer.get("message") or (answer.get("error") or {}).get("message", "")),
    )
