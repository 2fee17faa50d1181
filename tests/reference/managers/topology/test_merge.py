"""Merging without the cross product gives what the cross product gives."""

from collections.abc import Sequence

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from numa_conformance.errors import UsageError
from numa_conformance.reference.managers.compressed_hints import CompressedHints
from numa_conformance.reference.managers.hint import Hint
from numa_conformance.reference.managers.topology import TopologyPolicy, policy_of
from numa_conformance.sources.options import TopologyOptions
from numa_conformance.sources.quirks.areas import TopologyQuirks
from reference.managers.topology.brute_force import BruteForce

DOCUMENTED = TopologyQuirks()
ALIGNING = ["best-effort", "restricted", "single-numa-node"]


def hint(*nodes: int, preferred: bool = True) -> Hint:
    return Hint(sum(1 << node for node in nodes), preferred)


def policy(name: str, nodes: Sequence[int], distances: list[list[int]] | None = None) -> TopologyPolicy:
    return policy_of(
        name,
        "container",
        TopologyOptions(prefer_closest_numa_nodes=distances is not None),
        nodes,
        distances,
        DOCUMENTED,
    )


@st.composite
def _node_sets(draw: st.DrawFn) -> list[int]:
    nodes = draw(st.sets(st.integers(0, 6), min_size=1, max_size=4), label="NUMA nodes")
    return sorted(nodes)


def _distances(size: int) -> st.SearchStrategy[list[list[int]]]:
    row = st.lists(st.sampled_from([10, 11, 12, 21]), min_size=size, max_size=size)
    return st.lists(row, min_size=size, max_size=size)


@st.composite
def _answers(draw: st.DrawFn, nodes: list[int]) -> list[dict[str, list[Hint] | None] | None]:
    everything = sum(1 << node for node in nodes)
    inside = st.lists(st.sampled_from(nodes), min_size=1).map(lambda some: sum(1 << node for node in set(some)))
    masks = st.one_of(inside, inside, inside, st.none(), st.integers(1, 127), st.just(everything))
    hints = st.lists(st.builds(Hint, masks, st.booleans()), max_size=5)
    answer = st.one_of(st.none(), st.dictionaries(st.sampled_from("abc"), st.one_of(hints, hints, st.none())))
    return draw(st.lists(answer, max_size=3), label="provider answers")


@given(st.data())
@pytest.mark.parametrize("name", ALIGNING)
@pytest.mark.parametrize("closest", [False, True], ids=["narrowest", "closest"])
def test_merges_what_the_cross_product_merges(name: str, closest: bool, data: st.DataObject) -> None:
    nodes = data.draw(_node_sets())
    distances = data.draw(_distances(len(nodes)), label="distances") if closest else None
    answers = data.draw(_answers(nodes))
    merged = policy(name, nodes, distances).merge(answers)
    event(f"preferred {merged.hint.preferred}")
    assert (merged.hint, merged.admit) == BruteForce(name, nodes, distances).merge(answers)


@given(st.data())
def test_the_order_of_providers_resources_and_hints_changes_nothing(data: st.DataObject) -> None:
    nodes = data.draw(_node_sets())
    answers = data.draw(_answers(nodes))
    shuffled = [
        answer and {name: hints and data.draw(st.permutations(hints)) for name, hints in reversed(answer.items())}
        for answer in data.draw(st.permutations(answers))
    ]
    asked = policy("best-effort", nodes)
    assert asked.merge(shuffled) == asked.merge(answers)


def test_masks_that_all_prefer_but_that_differ_are_not_preferred() -> None:
    answers = [{"a": [hint(0), hint(1), hint(0, 1, preferred=False)]}, {"b": [hint(0, 1)]}]
    assert policy("best-effort", [0, 1]).merge(answers).hint == hint(0, 1, preferred=False)
    assert not policy("restricted", [0, 1]).merge(answers).admit


def test_a_preferred_mask_of_two_nodes_is_admitted_by_restricted() -> None:
    answers = [{"a": [hint(0, 1), hint(2, 3)]}, {"b": [hint(2, 3), hint(0, 1, 2, 3, preferred=False)]}]
    merged = policy("restricted", range(4)).merge(answers)
    assert (merged.hint, merged.admit) == (hint(2, 3), True)


def test_below_the_bound_the_widest_mask_wins() -> None:
    answers = [{"a": [hint(0, 1, 2)], "b": [hint(1, 2, 3)], "c": [hint(0, 1, 3, preferred=False)]}]
    assert policy("best-effort", range(4)).merge(answers).hint == hint(1, preferred=False)


def test_an_impossible_resource_leaves_the_mask_to_the_others() -> None:
    answers = [{"gpu": []}, {"cpu": [hint(0)]}]
    outcomes = {name: policy(name, [0, 1]).merge(answers) for name in ALIGNING}
    assert outcomes["best-effort"].hint == outcomes["restricted"].hint == hint(0, preferred=False)
    assert [name for name, merged in outcomes.items() if merged.admit] == ["best-effort"]
    assert outcomes["single-numa-node"].hint == Hint(None, False)


@pytest.mark.parametrize("answers", [[], [None], [{}], [{"cpu": None}, None]])
def test_when_nobody_cares_every_node_is_preferred(answers: list[dict[str, list[Hint] | None] | None]) -> None:
    assert policy("best-effort", [0, 1]).merge(answers).hint == hint(0, 1)
    assert policy("single-numa-node", [0, 1]).merge(answers).hint == Hint(None, True)


def test_equal_sizes_are_decided_by_the_integer_and_not_by_the_lowest_node() -> None:
    answers = [{"cpu": [hint(0, 3), hint(1, 2)]}]
    assert policy("restricted", range(4)).merge(answers).hint == hint(1, 2)


def test_the_closest_nodes_win_over_the_lowest_where_asked() -> None:
    distances = [[10, 12, 20, 20], [12, 10, 20, 20], [20, 20, 10, 11], [20, 20, 11, 10]]
    answers = [{"cpu": [hint(0, 1), hint(2, 3)]}]
    assert policy("restricted", range(4)).merge(answers).hint == hint(0, 1)
    assert policy("restricted", range(4), distances).merge(answers).hint == hint(2, 3)


def test_distances_follow_the_position_of_a_node_and_not_its_number() -> None:
    distances = [[10, 20, 20], [20, 10, 11], [20, 11, 10]]
    answers = [{"cpu": [hint(0, 2), hint(2, 4)]}]
    assert policy("restricted", [0, 2, 4], distances).merge(answers).hint == hint(2, 4)


def test_equality_is_tested_before_unknown_nodes_are_dropped() -> None:
    answers = [{"a": [hint(0)]}, {"b": [hint(0, 5)]}]
    assert policy("best-effort", [0, 1]).merge(answers).hint == hint(0, preferred=False)


def test_on_one_numa_node_a_single_node_is_stored_as_any_node() -> None:
    assert policy("single-numa-node", [0]).merge([{"cpu": [hint(0)]}]).hint == Hint(None, True)


def test_policy_none_merges_nothing_and_admits() -> None:
    merged = policy("none", [0, 1]).merge([{"cpu": []}])
    assert (merged.hint, merged.admit) == (Hint(None, False), True)


@st.composite
def _compressed_hints(draw: st.DrawFn, nodes: list[int]) -> CompressedHints | None:
    """Compressed hints as a manager builds them: what a mask holds grows with its nodes; some masks admit no others."""
    relevant = draw(st.lists(st.sampled_from(nodes), unique=True, max_size=4).map(sorted), label="relevant")
    amounts = {node: draw(st.integers(0, 3)) for node in relevant}
    busy = {node: draw(st.integers(0, amounts[node])) for node in relevant}
    closed = sum(1 << node for node in draw(st.sets(st.sampled_from(nodes), max_size=2), label="grouped"))
    lonely = draw(st.booleans(), label="no mask mixes grouped and other nodes")
    asked = draw(st.integers(0, 5), label="asked")
    must = draw(st.sampled_from([0, 0, *(1 << node for node in relevant)]), label="must contain")

    def holds(mask: int, held: dict[int, int]) -> bool:
        return sum(amount for node, amount in held.items() if mask >> node & 1) >= asked

    def available(mask: int) -> bool:
        mixed = lonely and mask & closed and mask & ~closed
        return not mixed and mask & must == must and holds(mask, {n: amounts[n] - busy[n] for n in relevant})

    return CompressedHints.build(
        relevant,
        [node for node in nodes if node not in relevant],
        lambda mask: holds(mask, amounts),
        available,
        (lambda mask: not mask & closed) if lonely else lambda mask: True,
    )


@given(st.data())
@pytest.mark.parametrize("name", ALIGNING)
@pytest.mark.parametrize("closest", [False, True], ids=["narrowest", "closest"])
def test_compressed_hints_merge_like_the_hints_they_stand_for(name: str, closest: bool, data: st.DataObject) -> None:
    nodes = sorted(data.draw(st.sets(st.integers(0, 7), min_size=1, max_size=5), label="NUMA nodes"))
    distances = data.draw(_distances(len(nodes)), label="distances") if closest else None
    compressed_hints = [{"a": data.draw(_compressed_hints(nodes)) or []} for _ in range(data.draw(st.integers(1, 3)))]
    mixed = [*compressed_hints, *data.draw(_answers(nodes))[:1]]
    explicit = [answer and {one: hints and list(hints) for one, hints in answer.items()} for answer in mixed]
    asked = policy(name, nodes, distances)
    assert asked.merge(mixed) == asked.merge(explicit)


def test_thirty_six_nodes_of_which_few_matter() -> None:
    nodes = range(36)

    def compressed(relevant: list[int], count: int) -> CompressedHints:
        free = [node for node in nodes if node not in relevant]
        built = CompressedHints.build(
            relevant, free, lambda m: m.bit_count() >= count, lambda m: m.bit_count() >= count
        )
        assert built is not None
        return built

    cpus, gpus, memory = compressed([0, 1], 1), compressed([0, 1, *range(4, 10)], 3), compressed([0, 1, 2, 3], 2)
    merged = policy("best-effort", nodes).merge([{"gpu": gpus}, {"cpu": cpus}, {"memory": memory}])
    assert merged.hint == hint(0, 1, 2, preferred=False)
    agreed = policy("restricted", nodes).merge([{"gpu": compressed([0, 1], 2)}, None, {"memory": memory}])
    assert (agreed.hint, agreed.admit) == (hint(0, 1), True)


def test_says_when_hints_span_more_nodes_than_can_be_searched() -> None:
    everything = (1 << 40) - 1
    pairs = [everything & ~(1 << a | 1 << b) for a in range(40) for b in range(a)]
    axes = {str(axis): [Hint(mask, False) for mask in pairs] for axis in range(4)}
    with pytest.raises(UsageError, match="span 40 NUMA nodes"):
        policy("best-effort", range(40)).merge([axes])
