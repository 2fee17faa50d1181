"""One version decides as the next one: no page has pods placed or refused otherwise from some version on."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from asked_in_full import DEEP
from directly import Directly
from numa_conformance.asking.drive import drive
from numa_conformance.asking.generators.scenario import Scenario
from numa_conformance.asking.groups import ALL, GROUPS
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.sources.versions import SUPPORTED
from planted import mixed

VERSIONS = tuple(map(str, SUPPORTED))
DECIDED = ("result", "reason", "default_cpuset", "containers", "memory_state")
"""What an answer decides; how a refusal is worded, and which hints came before it, versions may change."""

KNOWN = "align-by-socket+distribute-cpus-across-numa"
"""Options with which 1.37 keeps to a socket where versions before did not (``distribution_keeps_to_sockets``)."""


@cache
def _lives() -> tuple[Scenario, ...]:
    walks = (
        scenario
        for scenario in mixed(GROUPS["lives"].scenarios(ALL - {"node/resize"}, 0))
        if scenario.generator == "walk" and not scenario.cell.startswith(KNOWN)
    )
    return tuple(walks)[: 150 if DEEP else 12]


@cache
def _decided(version: str) -> list[list[dict[str, Any]]]:
    """Return what a node of a version decided in each life that it came up in; nothing of others."""
    target = Directly(ReferenceTarget("documented"))
    histories = (drive(scenario, target, version)[0] for scenario in _lives())  # type: ignore[arg-type]
    answers = ([step.answer or {} for step in history.steps] for history in histories)
    return [
        [{name: _without_hints(answer.get(name)) for name in DECIDED} for answer in life]
        if life[0].get("result") == "started"
        else []
        for life in answers
    ]


def _without_hints(decided: Any) -> Any:
    """Leave out which hint a container keeps: from 1.36 on it is another one where nothing is preferred."""
    if not isinstance(decided, dict):
        return decided
    return {name: _without_hints(value) for name, value in decided.items() if name != "affinity"}


@pytest.mark.parametrize(("version", "following"), tuple(pairwise(VERSIONS)))
def test_a_version_decides_as_the_one_before(version: str, following: str) -> None:
    lives = [pair for pair in zip(_decided(version), _decided(following), strict=True) if all(pair)]
    assert [before == after for before, after in lives] == [True] * len(lives) != []
