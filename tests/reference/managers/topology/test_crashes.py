"""Where a merge crashes the kubelet, and what comes of it by the documentation."""

import pytest

from numa_conformance.errors import KubeletCrashes, UsageError
from numa_conformance.reference.managers.hint import Hint
from numa_conformance.reference.managers.topology import TopologyPolicy, policy_of
from numa_conformance.sources.options import TopologyOptions
from numa_conformance.sources.quirks.areas import TopologyQuirks
from numa_conformance.sources.versions import DEFAULT

EXACT = TopologyQuirks.of(DEFAULT)
ROWS = [[10, 11, 30], [11, 10, 12], [30, 12, 10]]


def policy(nodes: list[int], quirks: TopologyQuirks, *, closest: bool, name: str = "best-effort") -> TopologyPolicy:
    rows = [row[: len(nodes)] for row in ROWS[: len(nodes)]]
    return policy_of(name, "container", TopologyOptions(prefer_closest_numa_nodes=closest), nodes, rows, quirks)


def offer(*masks: int, preferred: bool = True) -> dict[str, list[Hint]]:
    return {"cpu": [Hint(mask, preferred) for mask in masks]}


@pytest.mark.parametrize("name", ["best-effort", "restricted", "single-numa-node"])
def test_node_past_63_crashes(name: str) -> None:
    answers = [offer(1 << 64)]
    with pytest.raises(KubeletCrashes, match="NUMA node 64 fits in no mask") as raised:
        policy([0, 64], EXACT, closest=False, name=name).merge(answers)
    assert raised.value.quirk == "node-past-63-crashes"
    fixed = EXACT.without("node-past-63-crashes")
    assert policy([0, 64], fixed, closest=False, name=name).merge(answers).hint == Hint(1 << 64, True)
    assert policy([0, 63], EXACT, closest=False, name=name).merge([offer(1)]).hint == Hint(1, True)
    assert policy([0, 64], EXACT, closest=False, name="none").merge(answers).admit


def test_distances_by_node_id() -> None:
    answers = [offer(0b000001, 0b100000)]
    with pytest.raises(KubeletCrashes, match="has no column 5") as raised:
        policy([0, 5], EXACT, closest=True).merge(answers)
    assert raised.value.quirk == "distances-by-node-id"
    assert policy([0, 5], EXACT.without(raised.value.quirk), closest=True).merge(answers).hint == Hint(1, True)
    assert policy([0, 1], EXACT, closest=True).merge([offer(0b01, 0b10)]).hint == Hint(1, True)


@pytest.mark.parametrize(
    "answers",
    [
        [None, {}],
        [offer(0b100000)],
        [offer(0b100000), offer(0b100001, preferred=False)],
        [{"cpu": [Hint(0b1, True), Hint(0b100001, False)]}],
    ],
)
def test_no_distance_is_read_where_no_two_sets_of_one_size_meet(answers: list[dict[str, list[Hint]] | None]) -> None:
    kubelet, page = (policy([0, 5], quirks, closest=True) for quirks in (EXACT, TopologyQuirks()))
    assert kubelet.merge(answers) == page.merge(answers)


def test_the_kubelet_reads_the_distance_of_another_node() -> None:
    nodes = [0, 1, 3, 5]
    rows = [[10, 12, 11, 40], [12, 10, 30, 30], [11, 30, 10, 40], [40, 30, 40, 10]]
    answers = [offer(0b0011, 0b1001)]
    kubelet, page = (
        policy_of("best-effort", "pod", TopologyOptions(prefer_closest_numa_nodes=True), nodes, rows, quirks)
        for quirks in (EXACT, TopologyQuirks())
    )
    assert kubelet.merge(answers).hint == Hint(0b0011, True)
    assert page.merge(answers).hint == Hint(0b1001, True)


def test_too_many_combinations_are_refused() -> None:
    masks = [mask for mask in range(1, 1 << 8) if mask.bit_count() == 1]
    none_preferred = [offer(*masks, preferred=False)] * 7
    rows = [[10] * 9] * 9
    wide = policy_of(
        "best-effort", "pod", TopologyOptions(prefer_closest_numa_nodes=True), [*range(8), 20], rows, EXACT
    )
    with pytest.raises(UsageError, match="too many combinations"):
        wide.merge(none_preferred)


def test_no_distance_is_read_where_a_set_meets_itself() -> None:
    """The kubelet keeps the set it has, before it looks at distances."""
    answers = [offer(0b100000), {"nic": [Hint(None, True), Hint(0b100000, True)]}]
    kubelet, page = (policy([0, 5], quirks, closest=True) for quirks in (EXACT, TopologyQuirks()))
    assert kubelet.merge(answers) == page.merge(answers)
    assert kubelet.merge(answers).hint == Hint(0b100000, True)
