"""From a step of a history to what checkers judge: subjects, each with what was known before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...cpuset import CpuSet
from ...errors import CpuSetSyntaxError
from ..history import History, Step
from .choice import Choice

__all__ = ["UnreadableError", "read_bits", "subjects"]


class UnreadableError(ValueError):
    """An answer of the right shape whose texts say nothing: no set of CPUs, say."""


def subjects(history: History) -> Iterator[tuple[int, object]]:
    """Yield each subject with the number of its step, from 0. Raises ``UnreadableError`` for a text that is no set."""
    for number, step in enumerate(history.steps):
        if step.answer is not None and step.method == "pick":
            yield number, _pick(history, step, step.answer)


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


def read_bits(text: str, field: str) -> int:
    """Read a set of CPUs that a target answered; raises ``UnreadableError``."""
    try:
        return CpuSet.parse(text).bits
    except CpuSetSyntaxError as error:
        raise UnreadableError(f"{field}: {error}") from error
