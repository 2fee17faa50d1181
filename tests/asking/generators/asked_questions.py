"""Every question that the groups ask: of a target that answers well, the questions do not depend on its answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any

from directly import Directly
from numa_conformance.asking.drive import drive
from numa_conformance.asking.groups import ALL, GROUPS
from numa_conformance.machine import Machine
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.wire.history.history import History

__all__ = ["ORDER", "driven", "lives", "questions"]

STATELESS = ("classes", "picks", "allocations", "hints", "merges", "scores", "starts")
LIVES = ("worlds", "lives", "relations")
ORDER = (*STATELESS, "damages", *LIVES, "plugins", "claims", "crashes")
"""The groups, those first that are asked fast."""
EVERY = 10
"""Of crashes every tenth is driven: they vary what stands in files, not what they ask."""


def questions(groups: Iterable[str] = ORDER) -> Iterator[tuple[Machine, str, Mapping[str, Any]]]:
    """Yield machine, method and parameters of each; of a resize the configuration of its node too."""
    for group in groups:
        if group in STATELESS:
            yield from _answered_alike(group)
            continue
        for history in driven(group, EVERY if group == "crashes" else 1):
            kubelet: Any = None
            for step in history.steps:
                kubelet = step.params.get("kubelet") or kubelet
                beside = {"kubelet": kubelet} if step.method == "node.resize" else {}
                yield history.head.machine, step.method, {**step.params, **beside}


def _answered_alike(group: str) -> Iterator[tuple[Machine, str, Mapping[str, Any]]]:
    for scenario in GROUPS[group].scenarios(ALL, 0):
        script = scenario.script()
        answer: dict[str, Any] | None = None
        while True:
            try:
                method, params = script.send(answer)  # type: ignore[arg-type]
            except StopIteration:
                break
            yield scenario.machine, method, params
            answer = {"result": "started"}


@cache
def lives() -> tuple[History, ...]:
    """Return the lives of nodes, as the reference leads them."""
    return tuple(history for group in LIVES for history in driven(group, 1))


def driven(group: str, every: int = 1) -> Iterator[History]:
    """Yield what a right target answers to a group, to every so many of its scenarios."""
    target = Directly(ReferenceTarget(level="documented"))
    for scenario in islice(GROUPS[group].scenarios(ALL, 0), 0, None, every):
        yield drive(scenario, target, target.description.kubernetes_version)[0]  # type: ignore[arg-type]
