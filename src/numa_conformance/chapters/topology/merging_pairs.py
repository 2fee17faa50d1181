"""Hints of providers on two NUMA nodes, merged wrongly by one sentence, and rightly. Sets of NUMA nodes are bits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...judging.merged import MergedHints
from . import merging as chapter


def merged(
    policy: str,
    *hints: Mapping[int, bool],
    to: int | None,
    preferred: bool = True,
    admit: bool = True,
    distances: Sequence[Sequence[int]] | None = None,
) -> MergedHints:
    """Describe what a policy makes of the hints of providers, each with whether it is preferred."""
    axes = tuple(tuple(of.items()) for of in hints)
    closest, nodes = distances is not None, tuple(range(len(distances or "01")))
    return MergedHints(policy, closest, nodes, distances, axes, to, preferred, admit)


BOTH_PREFERRED = {0b01: True, 0b11: True}
ON_0, ON_1 = {0b01: True, 0b11: False}, {0b10: True}

PAIRS = {
    chapter.takes_the_narrowest: (
        merged("best-effort", BOTH_PREFERRED, to=0b11),
        merged("best-effort", BOTH_PREFERRED, to=0b01),
    ),
    chapter.says_what_is_not_preferred: (
        merged("best-effort", ON_0, ON_1, to=0b10),
        merged("best-effort", ON_0, ON_1, to=0b10, preferred=False),
    ),
    chapter.names_nodes_of_the_machine: (merged("best-effort", ON_1, to=0b100), merged("best-effort", ON_1, to=0b10)),
    chapter.combines_one_hint_of_each: (
        merged("best-effort", ON_0, ON_1, to=0b01, preferred=False),
        merged("best-effort", ON_0, ON_1, to=0b10, preferred=False),
    ),
    chapter.restricted_admits_only_preferred: (
        merged("restricted", ON_0, ON_1, to=0b10, preferred=False),
        merged("restricted", ON_0, ON_1, to=0b10, preferred=False, admit=False),
    ),
    chapter.single_numa_node_admits_one: (
        merged("single-numa-node", ON_0, ON_1, to=0b10),
        merged("single-numa-node", ON_0, ON_0, to=0b01),
    ),
}
