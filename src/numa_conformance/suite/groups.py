"""Groups: scenarios that are driven together, for the requirements that their steps ask."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from .drive import Scenario
from .generators.cells import cells
from .generators.picks import OPTION_SETS, pick_sweep, swept_machines
from .generators.walks import walks

__all__ = ["GROUPS", "Group"]

Claimed = frozenset[str]


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


def _lives(claimed: Claimed, seed: int) -> Iterator[Scenario]:
    return walks(cells(320, claimed, seed=seed), claimed, steps=22, seed=seed)


GROUPS: Mapping[str, Group] = MappingProxyType(
    {
        group.name: group
        for group in (
            Group("picks", "pick", _picks, beside_node=True),
            Group("lives", "node", _lives),
        )
    }
)
"""Every group by name, in the order in which they are asked."""
