"""Whether the kubelet's remainder search comes upon nodes it can never spend (CPU-DIST-16).

A remainder set is judged by its CPUs but spent by whole groups. It hangs when its CPUs suffice and its groups do not.
"""

from __future__ import annotations

from collections.abc import Sequence

from ......errors import KubeletHangs


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
