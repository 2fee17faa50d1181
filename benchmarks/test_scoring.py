"""Scoring nodes."""

from numa_conformance.asking.generators.workloads import container, pod
from numa_conformance.kube import Pod, Quantity, ScoringStrategy
from numa_conformance.reference.scheduler import Scorer, score_node
from numa_conformance.sources.quirks.areas import SchedulerQuirks
from numa_conformance.sources.versions import DEFAULT

QUIRKS = SchedulerQuirks.of(DEFAULT)
RESOURCES = ("cpu", "memory", "example.com/a", "example.com/b", "example.com/c")
STRATEGY = ScoringStrategy.from_dict(
    {"type": "MostAllocated", "resources": [{"name": name, "weight": 1} for name in RESOURCES]}
)
ASKED = {"cpu": "2", "memory": "4Gi", "example.com/a": "1", "example.com/b": "1", "example.com/c": "1"}


def asking(name):
    return Pod.from_dict(pod(name, [container("c", other=ASKED)]))


def test_scores_of_1000_nodes_and_5_resources_from_their_pods(benchmark):
    allocatable = {name: Quantity.parse("64") for name in RESOURCES} | {"memory": Quantity.parse("256Gi")}
    wanted, others = asking("p"), [asking(f"o{index}") for index in range(10)]

    def score_all():
        return [score_node(STRATEGY, allocatable, others, wanted, quirks=QUIRKS).score for _ in range(1000)]

    assert len(set(benchmark.pedantic(score_all, rounds=3))) == 1


def test_scores_of_1000_nodes_and_5_resources_from_kept_books(benchmark):
    scorer = Scorer(STRATEGY, QUIRKS)
    of_pod = scorer.counted(asking("p"))
    capacity = dict.fromkeys(RESOURCES, 64000) | {"memory": 256 << 30}
    books = [dict.fromkeys(RESOURCES, 7 * index % 64000) for index in range(1000)]

    def score_all():
        return [scorer.mean(scorer.steps(capacity, used, of_pod)) for used in books]

    assert len(benchmark(score_all)) == 1000
