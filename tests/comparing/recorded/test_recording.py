"""Answers that a target gives by chance: kept where they are words, not recorded where they are placements."""

from collections.abc import Mapping
from itertools import cycle
from typing import Any

import pytest

from numa_conformance.comparing.recorded import Answerer, Vector, record_decisions, replay
from numa_conformance.sources.versions import KubernetesVersion

BY = Answerer("lot", "1", KubernetesVersion(1, 36))
REFUSED = {"result": "rejected", "default_cpuset": "0-3", "reason": "UnexpectedAdmissionError"}


class ByLot:
    """A node that answers every admission with the next of several answers."""

    features = frozenset({"cpu-manager/none", "topology-manager/none"})

    def __init__(self, *answers: Mapping[str, Any]) -> None:
        self._answers = cycle(answers)

    def call(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        if method == "node.start":
            return {"result": "started", "default_cpuset": "0-3"}
        return {**REFUSED, **next(self._answers)}


POD = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}]}}
QUESTION = {"machine": {"cpus": []}, "kubelet": {}, "steps": [{"op": "admit", "pod": POD}]}
ASKED = Vector("q", "admission", {"id": "q", "kind": "admission", **QUESTION}, "q.json")


def test_words_that_change_are_all_kept_and_each_is_accepted():
    (recorded,) = record_decisions(ByLot({"message": "a"}, {"message": "b"}), [ASKED], BY, times=4)
    assert recorded.body is not None
    assert recorded.body["expect"][0]["message"] == {"any_of": ["a", "b"]}
    again = Vector("q", "admission", recorded.body, "q.json")
    for words, status in (("a", "matched"), ("b", "matched"), ("c", "differed")):
        (outcome,) = replay(ByLot({"message": words}), [again])
        assert outcome.status == status


@pytest.mark.parametrize("other", [{"reason": "SMTAlignmentError"}, {"default_cpuset": "0-2"}])
def test_a_decision_that_changes_is_not_recorded(other):
    (recorded,) = record_decisions(ByLot({"message": "a"}, {"message": "a", **other}), [ASKED], BY, times=2)
    assert recorded.body is None
    assert "another answer each time" in recorded.why_not


def test_devices_that_are_given_by_chance_are_counted():
    def holding(*ids: str) -> dict[str, Any]:
        return {"result": "admitted", "containers": {"c": {"cpus": "", "devices": {"example.com/nic": list(ids)}}}}

    unordered = Vector("q", "admission", {**ASKED.body, "device_ids": "unordered"}, "q.json")
    (recorded,) = record_decisions(ByLot(holding("nic-0"), holding("nic-1")), [unordered], BY, times=2)
    assert recorded.body is not None
    assert recorded.body["expect"][0]["containers"]["c"]["devices"] == {"example.com/nic": 1}
    again = Vector("q", "admission", recorded.body, "q.json")
    assert [one.status for one in replay(ByLot(holding("nic-7")), [again])] == ["matched"]
    assert [one.status for one in replay(ByLot(holding("nic-7", "nic-8")), [again])] == ["differed"]
    (differently,) = record_decisions(ByLot(holding("nic-0"), holding("nic-1")), [ASKED], BY, times=2)
    assert differently.body is None
