"""From a step of a history to what checkers judge: subjects, each with what was known before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ...cpuset import CpuSet
from ..history.history import History
from .allocated import allocated
from .choice import Choice
from .classified import classified
from .given import views
from .hinted import hinted
from .merged import merged
from .node_follower import NodeFollower
from .reading import read_bits
from .scored import scored
from .seen import SEEN, seen
from .start_subjects import GENERATOR, starts

__all__ = ["subjects"]


def subjects(history: History) -> Iterator[tuple[int, object]]:
    """Yield each subject with the number of its step, from 0. Raises ``UnreadableError`` for a text that is no set."""
    if history.head.generator == GENERATOR:
        yield from starts(history)
        return
    node = NodeFollower(history)
    for number, step in enumerate(history.steps):
        if step.answer is None:
            continue
        reader = _READERS.get(step.method)
        told = node.subjects(step, step.answer) if reader is None else reader(history, number)
        for subject in told:
            yield number, subject
            for view in views(subject):
                yield number, view


def _pick(history: History, number: int) -> Iterator[Choice]:
    step = history.steps[number]
    params, answer = step.params, step.answer or {}
    affinity = params.get("affinity") or {}
    nodes = affinity.get("nodes")
    machine = history.head.machine
    cpus = answer.get("cpus")
    yield Choice(
        machine,
        frozenset(name for name, on in params["options"].items() if on),
        CpuSet.parse(params["available"]).bits,
        params["count"],
        None if cpus is None else read_bits(cpus, "cpus"),
        None if nodes is None else sum(machine.numa_bits[node] for node in nodes),
        str(answer.get("message", "")),
    )


_READERS: Mapping[str, Callable[[History, int], Iterator[object]]] = {
    "pick": _pick,
    "classify": classified,
    "allocate": allocated,
    "hints": hinted,
    "merge": merged,
    "score": scored,
    SEEN: seen,
}
"""How steps are read that stand alone: from a history and the number of a step."""
