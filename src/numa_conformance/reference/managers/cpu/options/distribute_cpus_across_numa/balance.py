"""How evenly free CPUs lie over NUMA nodes, and whether what remains can be spent (CPU-DIST-06, 07, 16)."""

from collections.abc import Sequence
from math import isqrt

from ......errors import KubeletHangs


class Balance:
    """The score of a distribution: the population standard deviation of what is left per node, in thousandths.

    All candidates of one request leave the same total, so the score grows with the sum of squares alone. The kubelet
    computes in floats and rounds to 3 decimals. Up to 16 nodes the exact value is never halfway between two roundings.
    So whole numbers give the same.
    """

    def __init__(self, nodes: int, total: int) -> None:
        """Prepare for ``nodes`` NUMA nodes that keep ``total`` CPUs together."""
        self._nodes = nodes
        mean = (2000 * total + nodes) // (2 * nodes)
        self._constant = nodes * mean * mean - 2000 * mean * total

    def score(self, squares: int) -> int:
        """Return the score for a sum of squares."""
        spread = 1_000_000 * squares + self._constant
        return (isqrt(4 * spread // self._nodes) + 1) // 2


def spend(left: Sequence[int], groups: int, size: int) -> list[int] | None:
    """Take ``groups`` groups of ``size`` CPUs from nodes in turn, one each, as long as a node has that many.

    Return what is left per node, or None when a whole turn takes nothing: the kubelet would go on for ever
    (CPU-DIST-16).
    """
    holds = [cpus // size for cpus in left]
    if sum(holds) < groups:
        return None
    taken = [0] * len(left)
    while groups > 0:
        open_nodes = [i for i, has in enumerate(holds) if has > taken[i]]
        rounds = min(groups // len(open_nodes), min(holds[i] - taken[i] for i in open_nodes))
        if rounds == 0:
            open_nodes, rounds = open_nodes[:groups], 1
        for i in open_nodes:
            taken[i] += rounds
        groups -= rounds * len(open_nodes)
    return [cpus - size * used for cpus, used in zip(left, taken, strict=True)]


def never_answered(count: int, group: int) -> KubeletHangs:
    """Return the error for a request of ``count`` CPUs in groups of ``group``."""
    return KubeletHangs(
        "distribution-hang",
        f"distributing {count} CPUs over NUMA nodes in groups of {group} comes to nodes that have no whole group left "
        "and goes round them for ever",
    )


def has_endless_choice(left: Sequence[int], group: int, groups: int) -> bool:
    """Tell whether some of the nodes with ``left`` CPUs have CPUs for ``groups`` groups, but not so many groups."""
    loose_by_held = {0: 0}
    for cpus in left:
        held, loose = divmod(cpus, group)
        if held < 1:
            continue
        for before, most in list(loose_by_held.items()):
            if before + held < groups:
                loose_by_held[before + held] = max(loose_by_held.get(before + held, 0), most + loose)
    return any(held * group + loose >= groups * group for held, loose in loose_by_held.items())


def remainder_may_hang(left: Sequence[int], group: int, size: int, groups: int) -> bool:
    """Tell whether any set of ``size`` nodes that is looked at has an endless choice among its nodes.

    ``left`` is what each node has after its even share; a node below 0, and a set that holds less than ``groups``
    groups, is passed over.
    """
    if all(cpus % group == 0 for cpus in left):
        return False
    # (nodes chosen, groups they hold up to the need, groups held by the remainder set) -> most loose CPUs in that set
    states = {(0, 0, 0): 0}
    for cpus in left:
        if cpus < 0:
            continue
        held, loose = divmod(cpus, group)
        for (nodes, holds, spent), most in list(states.items()):
            if nodes == size:
                continue
            chosen = nodes + 1, min(groups, holds + held)
            _raise(states, (*chosen, spent), most)
            if held and spent + held < groups:
                _raise(states, (*chosen, spent + held), most + loose)
    return any(
        nodes == size and holds >= groups and spent * group + most >= groups * group
        for (nodes, holds, spent), most in states.items()
    )


def _raise(states: dict[tuple[int, int, int], int], state: tuple[int, int, int], loose: int) -> None:
    if states.get(state, -1) < loose:
        states[state] = loose
