"""Golden scores: what kube-scheduler gives a row of nodes under each strategy, as a table that a person can read."""

from __future__ import annotations

from typing import Any

import pytest

from numa_conformance.asking.examples.goldens import Golden
from numa_conformance.asking.findings.findings import Finding
from numa_conformance.asking.generators.workloads import container, pod
from numa_conformance.wire import Client
from numa_conformance.wire.messages.score import Score, Scored, ScoreRefused

pytestmark = [pytest.mark.exact, pytest.mark.surfaces("score")]

FOO = "intel.com/foo"
WEIGHTS = [{"name": FOO, "weight": 5}, {"name": "memory", "weight": 1}, {"name": "cpu", "weight": 3}]
SHAPES = {"rising": ((0, 0), (100, 10)), "falling": ((0, 10), (100, 0)), "tent": ((0, 0), (60, 10), (90, 1))}
STRATEGIES: dict[str, dict[str, Any]] = {
    "default": {"type": "LeastAllocated"},
    "least": {"type": "LeastAllocated", "resources": WEIGHTS},
    "most": {"type": "MostAllocated", "resources": WEIGHTS},
    **{
        name: {
            "type": "RequestedToCapacityRatio",
            "resources": WEIGHTS,
            "requestedToCapacityRatio": {"shape": [{"utilization": at, "score": score} for at, score in shape]},
        }
        for name, shape in SHAPES.items()
    },
}
USED = (
    {FOO: "1", "memory": "1Gi", "cpu": "1"},
    {FOO: "2", "memory": "2Gi", "cpu": "6"},
    {FOO: "0", "memory": "3Gi", "cpu": "5500m"},
    {"cpu": "1"},
    {FOO: "4", "memory": "4Gi", "cpu": "8"},
    {FOO: "9", "memory": "5Gi", "cpu": "9"},
)
"""What is requested on each node; the last one is overcommitted."""
WANTED = {
    "example": {FOO: "2", "memory": "1Gi", "cpu": "2"},
    "no foo": {"cpu": "500m"},
    "zeros": {FOO: "0", "memory": "0", "cpu": "0"},
    "nothing": {},
}


@pytest.mark.requirement("exact/scores")
@pytest.mark.parametrize("wanted", sorted(WANTED))
def test_nodes_score_as_kube_scheduler_scores_them(
    target: Client, golden: Golden, requirements: tuple[str, ...], wanted: str
) -> None:
    difference = golden.difference(table(target, pod("p", [container("c", requests=WANTED[wanted])])))
    if difference:
        raise Finding(requirements, f"the scores differ from {golden.named}:\n{difference}")


def table(target: Client, asking: dict[str, Any]) -> str:
    """Score every node by every strategy: a line per node, a column per strategy, what does not fit at the end."""
    allocatable = {FOO: "8", "memory": "4Gi", "cpu": "8", "pods": "110"}
    lines = [" ".join(f"{name:>8}" for name in STRATEGIES) + "  requested on the node"]
    for used in USED:
        there = [pod("there", [container("c", requests=used)])]
        replies = [target.ask(Score(strategy, allocatable, there, asking)) for strategy in STRATEGIES.values()]
        amounts = ", ".join(f"{name} {amount}" for name, amount in used.items())
        missing = "; ".join(_insufficient(replies[0]))
        lines.append(
            " ".join(f"{_score(reply):>8}" for reply in replies) + f"  {amounts}" + (f" ({missing})" if missing else "")
        )
    return "\n".join([*lines, ""])


def _score(reply: Scored | ScoreRefused) -> str:
    return str(reply.score) if isinstance(reply, Scored) else "refused"


def _insufficient(reply: Scored | ScoreRefused) -> list[str]:
    return reply.insufficient if isinstance(reply, Scored) else []
