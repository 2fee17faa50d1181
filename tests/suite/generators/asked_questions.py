"""Every question that the groups ask: of a target that answers well, the questions do not depend on its answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from directly import Directly
from numa_conformance.machine import Machine
from numa_conformance.protocol import ReferenceTarget
from numa_conformance.suite.asking.drive import drive
from numa_conformance.suite.asking.groups import ALL, GROUPS
from numa_conformance.suite.history.history import History

__all__ = ["lives", "questions"]

STATELESS = ("classes", "picks", "allocations", "hints", "merges", "scores", "starts")
LIVES = ("lives", "relations")
EVERY = 10
"""Of crashes every tenth is driven: they vary what stands in files, not what they ask."""


def questions() -> Iterator[tuple[Machine, str, Mapping[str, Any]]]:
    """Yield machine, method and parameters of each."""
    for group in STATELESS:
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
    for history in (*lives(), *_driven(("damages",), 1), *_driven(("crashes",), EVERY)):
        for step in history.steps:
            yield history.head.machine, step.method, step.params


@cache
def lives() -> tuple[History, ...]:
    """Return the lives of nodes, as the reference leads them."""
    return _driven(LIVES, 1)


def _driven(groups: tuple[str, ...], every: int) -> tuple[History, ...]:
    target = Directly(ReferenceTarget(level="documented"))
    scenarios = [scenario for group in groups for scenario in GROUPS[group].scenarios(ALL, 0)][::every]
    version = target.description.kubernetes_version
    return tuple(drive(scenario, target, version)[0] for scenario in scenarios)  # type: ignore[arg-type]
