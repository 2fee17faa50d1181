"""What a merge on the wire may say, and what is refused before anything is merged."""

from typing import Any

import msgspec
import pytest

from numa_conformance.errors import StartError, UsageError
from numa_conformance.reference.target.merge_question import ask_merge, hint_of
from numa_conformance.sources.quirks.areas import TopologyQuirks
from numa_conformance.wire.messages.merge import Merge
from numa_conformance.wire.values import HintValue

CLOSEST = {"prefer-closest-numa-nodes": "true"}


def ask(**changes: Any) -> Any:
    question = {
        "policy": "restricted",
        "options": {},
        "nodes": [0, 2],
        "distances": [[10, 20], [20, 10]],
        "providers": [None, {"cpu": [{"nodes": [2], "preferred": True}], "gpu": None}],
    }
    merged = ask_merge(msgspec.convert({**question, **changes}, Merge), "1.32", TopologyQuirks())
    return merged.nodes, merged.preferred, merged.admit


def test_merges_what_is_asked() -> None:
    assert ask() == ([2], True, True)
    assert ask(options=CLOSEST) == ([2], True, True)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"policy": "strict"}, "policy"),
        ({"nodes": [], "distances": None}, "nodes"),
        ({"nodes": [0, 0]}, "nodes"),
        ({"nodes": [0, -1]}, "nodes"),
        ({"nodes": [0, 64]}, "nodes"),
        ({"distances": [[10, 20]]}, "distances"),
        ({"distances": [[10, 20], [10]]}, "distances"),
        ({"providers": [{"cpu": [{"nodes": [-1], "preferred": True}]}]}, "providers[0].cpu[0].nodes"),
    ],
)
def test_names_the_place_of_what_no_machine_has(change: dict[str, Any], place: str) -> None:
    with pytest.raises(UsageError) as raised:
        ask(**change)
    assert [fault.place for fault in raised.value.faults] == [place]


def test_names_all_faults_at_once() -> None:
    with pytest.raises(UsageError) as raised:
        ask(policy="restrictd", nodes=[1, 1], distances=[[]])
    assert [fault.place for fault in raised.value.faults] == ["policy", "nodes", "distances"]
    assert raised.value.faults[0].suggestion == "restricted"


def test_options_with_which_no_node_comes_up_are_the_kubelets_refusal() -> None:
    with pytest.raises(StartError, match="error getting NUMA distances"):
        ask(options=CLOSEST, distances=None)


def test_a_missing_hint_is_no_affinity() -> None:
    assert hint_of(None) == (None, False)
    assert hint_of(HintValue([0, 2], True)) == (5, True)
    with pytest.raises(UsageError):
        hint_of(HintValue([70], True))
