"""The bounded search for NUMA nodes against looking at every subset."""

import time
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.errors import KubeletFails
from numa_conformance.reference.managers.cpu.options.distribute_cpus_across_numa.balance import Balance, spend
from numa_conformance.reference.managers.cpu.options.distribute_cpus_across_numa.search import NodeSearch
from numa_conformance.reference.managers.cpu.options.distribute_cpus_across_numa.shares import (
    can_choose_by_socket,
    choose_nodes_by_socket,
)
from numa_conformance.reference.managers.cpu.options.distribute_cpus_across_numa.subset_by_subset import (
    choose_repeated_nodes,
)
from numa_conformance.sources.quirks.areas import CpuQuirks
from numa_conformance.sources.versions import DEFAULT
from reference.managers.cpu.literal_allocator import EndlessError, deviation, search

AS_THE_KUBELET = NodeSearch.of(CpuQuirks.of(DEFAULT))()
Chosen = tuple[tuple[int, ...], int, tuple[int, ...]]


def every_subset(free: list[int], count: int, group: int, smallest: int) -> Chosen | str | None:
    nodes = dict(enumerate(free))
    try:
        for size in range(smallest, min(-(-count // group), len(free)) + 1):
            kept = search(list(nodes), nodes, count, group, size)
            if kept is not None:
                return tuple(kept[0]), count // size // group * group, tuple(kept[1])
    except EndlessError:
        return "never ends"
    return None


@st.composite
def requests(draw: st.DrawFn) -> tuple[list[int], int, int, int]:
    """Draw free CPUs per node, a count, a group size and the least number of nodes."""
    few = draw(st.lists(st.integers(1, 40), min_size=1, max_size=7), label="values")
    free = draw(st.lists(st.sampled_from(few), min_size=1, max_size=7), label="free")
    group = draw(st.sampled_from([1, 1, 2, 4]), label="group")
    groups = draw(st.integers(1, max(sum(free) // group, 1)), label="groups")
    smallest = draw(st.integers(1, len(free)), label="smallest")
    return (sorted(free) if draw(st.booleans()) else free), groups * group, group, smallest


@given(requests())
def test_finds_what_looking_at_every_subset_finds(request_: tuple[list[int], int, int, int]) -> None:
    free, count, group, smallest = request_
    expected = every_subset(free, count, group, smallest) if count <= sum(free) else None
    for choose in (
        lambda: AS_THE_KUBELET.choose(free, count, group, smallest),
        lambda: choose_repeated_nodes(
            list(range(len(free))), dict(enumerate(free)), count, group, smallest, AS_THE_KUBELET
        ),
    ):
        try:
            found: object = choose()
        except KubeletFails:
            found = "never ends"
        assert found == expected


@given(requests())
def test_without_quirks_every_request_is_answered_by_a_set_that_can_serve_it(
    request_: tuple[list[int], int, int, int],
) -> None:
    free, count, group, smallest = request_
    choice = NodeSearch().choose(free, count, group, smallest)
    if choice is None:
        return
    left = [free[node] - choice.share for node in choice.nodes]
    assert min(left) >= 0
    rest = (count - choice.share * len(choice.nodes)) // group
    giving = [free[node] - choice.share for node in choice.remainder]
    assert spend(giving, rest, group) is not None


@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 2)), min_size=1, max_size=8),
    st.sampled_from([1, 2, 4]),
    st.integers(1, 24),
    st.integers(1, 8),
    st.sampled_from([AS_THE_KUBELET, NodeSearch()]),
)
def test_by_socket_it_finds_what_looking_at_every_subset_finds(
    nodes: list[tuple[int, int]], group: int, groups: int, smallest: int, how: NodeSearch
) -> None:
    free, count = [held * group for held, _ in nodes], groups * group
    if count > sum(free):
        return
    sockets = [[at for at, (_, own) in enumerate(nodes) if own == socket] for socket in range(3)]

    def in_one_socket(chosen: Iterable[int]) -> bool:
        return len({nodes[at][1] for at in chosen}) <= 1

    order = list(range(len(free)))
    expected = choose_repeated_nodes(order, dict(enumerate(free)), count, group, smallest, how, in_one_socket)
    assert can_choose_by_socket(free, group)
    assert choose_nodes_by_socket(free, sockets, count, group, smallest, how) == expected


def test_forty_nodes_are_chosen_from_as_soon_as_four() -> None:
    free = [2] * 40
    choice = choose_nodes_by_socket(free, [range(20), range(20, 40)], 20, 1, 10, NodeSearch())
    assert choice is not None
    assert (choice.nodes, choice.share, choice.remainder) == (tuple(range(10)), 2, ())


@given(st.lists(st.integers(0, 200), min_size=1, max_size=16))
def test_scores_as_the_rounded_standard_deviation(left: list[int]) -> None:
    balance = Balance(len(left), sum(left))
    assert balance.score(sum(cpus * cpus for cpus in left)) == round(deviation(left) * 1000)


@pytest.mark.parametrize(
    ("left", "groups", "size", "after"),
    [([5, 5], 3, 1, [3, 4]), ([1, 9], 5, 1, [0, 5]), ([4, 4], 3, 2, [0, 2]), ([3, 3], 3, 2, None), ([7], 0, 1, [7])],
)
def test_spends_in_turn(left: list[int], groups: int, size: int, after: list[int] | None) -> None:
    assert spend(left, groups, size) == after


def test_sixteen_uneven_nodes_take_no_time() -> None:
    free = [36, 20, 28, 19, 60, 11, 25, 19, 20, 47, 54, 15, 19, 54, 33, 20]
    began = time.process_time()
    assert AS_THE_KUBELET.choose(free, 262, 1, 5) is not None
    assert time.process_time() - began < 20
