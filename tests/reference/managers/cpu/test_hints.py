import pytest
from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.errors import UsageError
from numa_conformance.reference.managers.cpu import CpuTopology, HintRequest
from numa_conformance.reference.managers.cpu.subsets import subset_sums
from numa_conformance.reference.managers.hint import Hint
from numa_conformance.sources.quirks.areas import CpuQuirks
from reference.managers.cpu.golden_machines import golden, view_of
from reference.managers.cpu.workloads import admit, bits, pod, static

PAIRS = (0b0011, 0b0101, 0b1001, 0b0110, 0b1010, 0b1100)
TRIPLES = (0b0111, 0b1011, 0b1101, 0b1110)
ALL = (1, 2, 4, 8, *PAIRS, *TRIPLES, 0b1111)


@pytest.mark.parametrize(
    ("options", "count", "masks", "preferred"),
    [
        ((), 4, ALL, (1, 2, 4, 8)),
        ((), 8, ALL[1:], (2, 4, 8)),
        ((), 10, ALL[4:], PAIRS),
        (("align-by-socket",), 4, ALL, (1, 2, 4, 8, 0b0011, 0b1100)),
        (("align-by-socket",), 10, ALL[4:], PAIRS),
        (("align-by-socket",), 18, ALL[10:], (*TRIPLES, 0b1111)),
        ((), 18, ALL[10:], TRIPLES),
        ((), 31, (), ()),
    ],
)
def test_names_the_sets_that_hold_the_request(
    options: tuple[str, ...], count: int, masks: tuple[int, ...], preferred: tuple[int, ...]
) -> None:
    manager = static(golden("T3"), *options, reserved="0,16")
    one = pod("a", count)
    assert manager.hints(one, one.container("c0")) == {"cpu": [Hint(mask, mask in preferred) for mask in masks]}


def test_a_container_with_cpus_of_another_size_is_impossible() -> None:
    manager = static(golden("T3"), reserved="0,16")
    admit(manager, pod("a", 4))
    larger = pod("a", 6)
    assert manager.hints(larger, larger.container("c0")) == {"cpu": []}
    assert manager.pod_hints(larger) == {"cpu": []}


def test_a_container_that_has_its_cpus_is_hinted_to_where_they_are() -> None:
    manager = static(golden("T3"), reserved="0,16")
    one = pod("a", 4)
    admit(manager, one, Hint(0b10, True))
    answer = manager.hints(one, one.container("c0"))
    assert answer == manager.pod_hints(one)
    assert answer is not None
    assert [hint.mask for hint in answer["cpu"] or []] == [mask for mask in ALL if mask & 0b10]


def test_reusable_cpus_tie_the_hint_to_their_nodes() -> None:
    manager = static(golden("T3"), reserved="0,16")
    manager.reusable = {"a": bits("4-5")}
    manager.state.default &= ~bits("4-5")
    one = pod("a", 4)
    answer = manager.hints(one, one.container("c0"))
    assert answer is not None
    assert [hint.mask for hint in answer["cpu"] or []] == [mask for mask in ALL if mask & 0b10]


def test_a_pod_asks_for_its_busiest_moment() -> None:
    manager = static(golden("T3"), reserved="0,16")
    request = manager.pod_hint_request(pod("a", 3, 2, init=[9], sidecars=[1]))
    assert request is not None
    assert request.needed == 9
    assert manager.pod_hint_request(pod("b", "1500m")) is None


def test_the_seam_for_large_machines_tells_what_decides() -> None:
    manager = static(golden("T3"), reserved="0,16")
    one = pod("a", 10)
    request = manager.hint_request(one, one.container("c0"))
    assert request is not None
    assert (request.capacity, request.available, request.mandatory, request.smallest) == (
        (8, 8, 8, 8),
        (6, 8, 8, 8),
        0,
        2,
    )


def test_says_when_there_are_too_many_nodes_to_list() -> None:
    wide = CpuTopology(view_of([(c, c, 0, c, c) for c in range(21)]))
    with pytest.raises(UsageError, match="at most 20"):
        HintRequest.of(wide, 1, wide.all).hints()


@given(st.lists(st.integers(0, 9), max_size=6))
def test_sums_every_subset(values: list[int]) -> None:
    expected = [sum(v for i, v in enumerate(values) if number >> i & 1) for number in range(1 << len(values))]
    assert subset_sums(values) == expected


@given(st.lists(st.integers(0, 4), min_size=1, max_size=5), st.integers(1, 16), st.data())
def test_hints_follow_the_rule_word_for_word(free: list[int], needed: int, data: st.DataObject) -> None:
    topology = CpuTopology(
        view_of([(4 * node + i, node, 0, 4 * node + i, 0) for node in range(len(free)) for i in range(4)])
    )
    available = sum(((1 << count) - 1) << 4 * node for node, count in enumerate(free))
    spare = [cpu for cpu in range(4 * len(free)) if not available >> cpu & 1]
    reusable = sum(1 << cpu for cpu in data.draw(st.sets(st.sampled_from(spare or [0]), max_size=3))) & ~available
    smallest, found = len(free), []
    for mask in sorted(
        range(1, 1 << len(free)), key=lambda mask: (mask.bit_count(), [i for i in range(9) if mask >> i & 1])
    ):
        if 4 * mask.bit_count() >= needed and mask.bit_count() < smallest:
            smallest = mask.bit_count()
        inside = topology.cpus_in_nodes(mask)
        if not reusable & ~inside and reusable.bit_count() + (available & inside).bit_count() >= needed:
            found.append(mask)
    expected = [Hint(mask, mask.bit_count() == smallest) for mask in found]
    assert HintRequest.of(topology, needed, available, reusable).hints() == expected


@pytest.mark.parametrize(("count", "nodes"), [(1, (0, 1)), (2, (0, 1, 2)), (3, (1,)), (5, (1,))])
def test_hints_under_full_pcpus_only_are_what_whole_cores_add_up_to(count: int, nodes: tuple[int, ...]) -> None:
    """NUMA node 0 has two cores of one thread, node 1 one such core and two of two, node 2 one of two."""
    widths = [(0, 1), (0, 1), (1, 1), (1, 2), (1, 2), (2, 2), (3, 1)]
    places = [(node, core) for core, (node, width) in enumerate(widths) for _ in range(width)]
    rows = [(cpu, node, node, core, node) for cpu, (node, core) in enumerate(places)]
    manager = static(CpuTopology(view_of(rows)), "full-pcpus-only", reserved="9", quirks=CpuQuirks())
    wanted = pod("a", count)
    hints = manager.hints(wanted, wanted.container("c0")) or {}
    single = [hint.mask for hint in hints["cpu"] or () if (hint.mask or 0).bit_count() == 1]
    assert single == [1 << node for node in nodes]
