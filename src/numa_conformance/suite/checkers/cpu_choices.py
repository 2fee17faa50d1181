"""Which CPUs are chosen by the static policy without options, on whatever machine and in whatever state.

The sentences are on the page Node Resource Managers, section Static policy.
"""

from __future__ import annotations

from ...cpuset import format_bits
from ..judge.checker import Judgement, checker, violated
from ..judge.choice import (
    BY_SOCKET,
    STRICT,
    WHOLE_CORES,
    Choice,
    fewest,
    touched,
)
from .choice_guards import (
    a_hint_narrows,
    among_all,
    even,
    hinted_cpus,
    in_use,
    in_whole_cores,
    nodes_are_alike,
    only,
    room_of,
    took_its_number,
    untouched,
    was_served,
)


@checker("cpu-manager/static/gives-free-cpus-only", Choice, when=(was_served,))
def gives_free_cpus_only(choice: Choice) -> Judgement:
    """None but free CPUs: none of another pod, none reserved, none that is not online."""
    given = choice.given or 0
    stolen = given & ~choice.available
    return violated(
        not stolen,
        f"CPUs {format_bits(stolen)} are given that are not free",
        got=format_bits(given),
        allowed=f"some of {format_bits(choice.available)}",
        stolen=stolen,
    )


@checker(
    "cpu-manager/static/packs-whole-cores",
    Choice,
    when=(took_its_number, only(WHOLE_CORES, BY_SOCKET, STRICT), untouched, even, among_all),
)
def packs_whole_cores(choice: Choice) -> Judgement:
    """Packed onto as few physical cores as possible, where every NUMA node is free as a whole or taken."""
    return _few_cores(choice)


@checker("cpu-manager/static/packs-few-cores-in-use", Choice, when=(took_its_number, only(), in_use, among_all))
def packs_few_cores_in_use(choice: Choice) -> Judgement:
    """The same on a machine in use: the page says that CPUs tend to be packed."""
    return _few_cores(choice)


def _few_cores(choice: Choice) -> Judgement:
    taken = choice.took or 0
    cores = len(touched(choice.machine.core_bits, taken))
    return violated(
        cores <= choice.fewest_cores,
        f"{choice.count} CPUs come from {cores} cores where {choice.fewest_cores} can give them",
        got=format_bits(taken),
        allowed=f"{choice.fewest_cores} cores",
    )


@checker(
    "cpu-manager/static/packs-few-numa-nodes",
    Choice,
    when=(
        took_its_number,
        only(WHOLE_CORES),
        untouched,
        even,
        nodes_are_alike,
        among_all,
    ),
)
def packs_few_numa_nodes(choice: Choice) -> Judgement:
    """One NUMA node is filled before the next is begun, or the fewest are used, where each is whole or taken."""
    taken = choice.took or 0
    begun = [node for node in touched(choice.numa, taken) if node & choice.whole_core_cpus & ~taken]
    return () if len(begun) <= 1 else few_groups(choice, choice.numa, "NUMA nodes")


@checker(
    "cpu-manager/static/packs-few-numa-nodes-in-use",
    Choice,
    when=(took_its_number, only(), in_use, among_all, even, in_whole_cores),
)
def packs_few_numa_nodes_in_use(choice: Choice) -> Judgement:
    """On a machine in use the kubelet tries to use the fewest NUMA nodes; asked where no core need be split for it."""
    taken = choice.took or 0
    whole = [(node & choice.whole_core_cpus).bit_count() for node in choice.numa]
    least, nodes = fewest(whole, choice.count), len(touched(choice.numa, taken))
    return violated(
        nodes <= least,
        f"{choice.count} CPUs come from {nodes} NUMA nodes where {least} can give them",
        got=format_bits(taken),
        allowed=f"{least} NUMA nodes",
    )


@checker("topology-manager/best-effort/aligns-when-possible", Choice, when=(took_its_number, a_hint_narrows))
def follows_the_hint(choice: Choice) -> Judgement:
    """The hint that was chosen is used: CPUs come from its NUMA nodes (sockets under align-by-socket) if these can."""
    taken, scope = choice.took or 0, hinted_cpus(choice) or 0
    return violated(
        not taken & ~scope,
        f"CPUs {format_bits(taken & ~scope)} are not of the NUMA nodes of the hint, which can give all",
        got=format_bits(taken),
        allowed=f"some of {format_bits(scope)}",
        hinted=scope,
    )


def few_groups(choice: Choice, groups: tuple[int, ...], name: str) -> Judgement:
    """Judge that a choice touches as few of some groups as can give so many."""
    room, taken = room_of(choice, choice.available), choice.took or 0
    least = fewest(((group & room).bit_count() for group in groups), choice.count)
    number = len(touched(groups, taken))
    return violated(
        number <= least,
        f"{choice.count} CPUs come from {number} {name} where {least} can give them",
        got=format_bits(taken),
        allowed=f"{least} {name}",
    )
