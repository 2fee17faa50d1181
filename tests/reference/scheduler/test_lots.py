"""Equal scores: drawn by lot as the scheduler does, and told, so that another lot is no difference."""

import random
from collections import Counter

import pytest

from numa_conformance.errors import Refusal, UsageError
from numa_conformance.kube import NodeObject, NodeResourcesFitArgs, Pod
from numa_conformance.reference.scheduler import Decided, follow_cluster, run_cluster, score_node
from numa_conformance.sources.quirks.areas import SchedulerQuirks
from numa_conformance.sources.versions import DEFAULT

QUIRKS = SchedulerQuirks.of(DEFAULT)
LEAST = NodeResourcesFitArgs.from_dict({"scoringStrategy": {"type": "LeastAllocated"}})


def nodes(*names):
    allocatable = {"cpu": "8", "memory": "16Gi", "pods": "110"}
    return [
        NodeObject.from_dict({"metadata": {"name": name}, "status": {"allocatable": allocatable}}) for name in names
    ]


def pods(*sizes):
    return [
        Pod.from_dict(
            {
                "metadata": {"name": f"p{number}", "uid": f"p{number}"},
                "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": str(size), "memory": "1Gi"}}}]},
            }
        )
        for number, size in enumerate(sizes)
    ]


def takes_all(name, pod):
    return None


def follow(decided, sizes, admit=takes_all):
    of_all = {f"p{number}": Decided(*what) for number, what in enumerate(decided)}
    return follow_cluster(nodes("a", "b"), (), pods(*sizes), of_all, LEAST, quirks=QUIRKS, admit=admit)


def test_each_of_the_best_is_as_likely():
    drawn = Counter(
        run_cluster(nodes("a", "b", "c"), pods(1), LEAST, quirks=QUIRKS, draw=random.Random(seed)).placements["p0"]
        for seed in range(300)
    )
    assert set(drawn) == {"a", "b", "c"}
    assert min(drawn.values()) > 60


@pytest.mark.parametrize("seed", range(5))
def test_every_lot_falls_on_a_node_of_the_best_score(seed):
    draw = random.Random(seed)
    wanted = pods(*(draw.choice([1, 2, 3]) for _ in range(12)))
    named = nodes("a", "b", "c")
    there = {node.name: [] for node in named}
    for uid, name in run_cluster(named, wanted, LEAST, quirks=QUIRKS, draw=draw).placements.items():
        (pod,) = (one for one in wanted if one.uid == uid)
        results = {one.name: score_node(LEAST, one.allocatable, there[one.name], pod, quirks=QUIRKS) for one in named}
        scores = {name: result.score for name, result in results.items() if not result.insufficient}
        assert scores[name] == max(scores.values())
        there[name].append(pod)


def test_another_lot_is_no_difference_and_a_worse_node_is():
    first, second, third = follow([("b",), ("a",), ("a",)], [2, 2, 1])
    assert (first.best, first.is_among_best) == (("a", "b"), True)
    assert (second.best, second.is_among_best) == (("a",), True)
    assert (third.best, third.is_among_best) == (("a", "b"), True)
    _, worse = follow([("b",), ("b",)], [2, 2])
    assert (worse.best, worse.is_among_best) == (("a",), False)


def test_a_pod_without_a_node_is_right_where_it_fits_none():
    assert [one.is_among_best for one in follow([("",)], [9])] == [True]
    assert [one.is_among_best for one in follow([("",)], [1])] == [False]


def test_what_a_node_refused_there_and_takes_here_is_told_and_not_counted():
    refused, then = follow([("a", True), ("a",)], [4, 4])
    assert (refused.is_decided_alike, then.is_decided_alike, then.best) == (False, True, ("a", "b"))
    alike, _ = follow([("a", True), ("a", True)], [4, 4], lambda name, pod: Refusal("TopologyAffinityError", ""))
    assert alike.is_decided_alike


def test_a_node_that_is_not_there_is_named():
    with pytest.raises(UsageError, match="there is no node 'c'"):
        follow([("c",)], [1])
