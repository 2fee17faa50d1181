"""Scoring nodes."""

from numa_conformance.kube import Pod, Quantity, ScoringStrategy
from numa_conformance.scheduler import score_node
from numa_conformance.suite.workloads import container, pod

RESOURCES = ("cpu", "memory", "example.com/a", "example.com/b", "example.com/c")


def test_scores_of_1000_nodes_and_5_resources(benchmark):
    strategy = ScoringStrategy.from_dict(
        {"type": "MostAllocated", "resources": [{"name": name, "weight": 1} for name in RESOURCES]}
    )
    allocatable = {name: Quantity.parse("64") for name in RESOURCES} | {"memory": Quantity.parse("256Gi")}
    asked = {"cpu": "2", "memory": "4Gi", "example.com/a": "1", "example.com/b": "1", "example.com/c": "1"}
    wanted = Pod.from_dict(pod("p", [container("c", other=asked)]))
    others = [Pod.from_dict(pod(f"o{index}", [container("c", other=asked)])) for index in range(10)]

    def score_all():
        return [score_node(strategy, allocatable, others, wanted).score for _ in range(1000)]

    assert len(set(benchmark.pedantic(score_all, rounds=3))) == 1
