"""Groups: scenarios that are driven together, for the requirements that their steps ask."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from .drive import Scenario
from .generators.allocations import allocation_sweep
from .generators.cells import cells
from .generators.hints import examples_of_hints, hint_sweep
from .generators.merges import CLOSEST, MOST_NODES, POLICIES, merge_sweep
from .generators.picks import OPTION_SETS, pick_sweep, swept_machines
from .generators.pods import examples_of_pods, pod_sweep
from .generators.scores import KINDS, examples_of_scores, score_sweep
from .generators.walks import walks

__all__ = ["GROUPS", "Group"]

Claimed = frozenset[str]
STRATEGIES = ("least-allocated", "most-allocated", "requested-to-capacity-ratio")


@dataclass(frozen=True, slots=True)
class Group:
    """Scenarios of one kind. ``surface`` is what a target must have; ``scenarios`` takes what it claims, and a seed.

    ``beside_node``: asks what a node is asked too, so that nothing is missed where a node has no such surface.
    """

    name: str
    surface: str
    scenarios: Callable[[Claimed, int], Iterator[Scenario]]
    beside_node: bool = False


def _picks(claimed: Claimed, seed: int) -> Iterator[Scenario]:
    possible = [frozenset(names) for names in OPTION_SETS if {f"cpu-manager/{name}" for name in names} <= claimed]
    return pick_sweep(swept_machines(), possible, counts=6, states=2, seed=seed)


def _classes(claimed: Claimed, seed: int) -> Iterator[Scenario]:
    yield from examples_of_pods()
    yield from pod_sweep(seed=seed)


def _scores(claimed: Claimed, seed: int) -> Iterator[Scenario]:
    kinds = [kind for kind, feature in zip(KINDS, STRATEGIES, strict=True) if f"scheduler/{feature}" in claimed]
    yield from examples_of_scores(kinds)
    yield from score_sweep(kinds, seed=seed)


def _merges(claimed: Claimed, seed: int) -> Iterator[Scenario]:
    policies = [policy for policy in POLICIES if f"topology-manager/{policy}" in claimed]
    closest, many = (f"topology-manager/{option}" in claimed for option in (CLOSEST, MOST_NODES))
    return merge_sweep(policies, closest=closest, many=many, seed=seed)


def _hints(claimed: Claimed, seed: int) -> Iterator[Scenario]:
    yield from examples_of_hints()
    yield from hint_sweep(claimed=claimed, seed=seed)


def _allocations(claimed: Claimed, seed: int) -> Iterator[Scenario]:
    return allocation_sweep(claimed=claimed, seed=seed)


def _lives(claimed: Claimed, seed: int) -> Iterator[Scenario]:
    return walks(cells(320, claimed, seed=seed), claimed, steps=22, seed=seed)


GROUPS: Mapping[str, Group] = MappingProxyType(
    {
        group.name: group
        for group in (
            Group("classes", "classify", _classes),
            Group("picks", "pick", _picks, beside_node=True),
            Group("allocations", "allocate", _allocations, beside_node=True),
            Group("hints", "hints", _hints),
            Group("merges", "merge", _merges),
            Group("scores", "score", _scores),
            Group("lives", "node", _lives),
        )
    }
)
"""Every group by name, in the order in which they are asked."""
