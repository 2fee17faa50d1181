from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.kube import Pod, Quantity, ScoringStrategy
from numa_conformance.scheduler import score_node
from numa_conformance.suite.recorded import read_vectors, replay
from numa_conformance.suite.workloads import container, pod
from numa_conformance.target import Client, InProcess, ReferenceTarget
from shared_data import SHARED, needs_shared

FOO = "intel.com/foo"


def strategy(kind, *weights, shape=None):
    obj = {"type": kind, "resources": [{"name": name, "weight": weight} for name, weight in weights]}
    if shape:
        points = [{"utilization": at, "score": score} for at, score in shape]
        obj["requestedToCapacityRatio"] = {"shape": points}
    return ScoringStrategy.from_dict(obj)


def asking(**amounts):
    return Pod.from_dict(pod("p", [container("c", requests=amounts)]), validate=False)


def score(how, allocatable, used, wanted):
    node = {name: Quantity.parse(amount) for name, amount in {**allocatable, "pods": "110"}.items()}
    return score_node(how, node, [used], wanted)


@needs_shared
def test_repeats_every_recorded_score():
    target = Client(InProcess(ReferenceTarget, "the reference", 60))
    outcomes = list(replay(target, read_vectors([SHARED / "recorded" / "noderesourcesfit.jsonl.gz"])))
    assert len(outcomes) == 500
    assert [one.vector.id for one in outcomes if one.status != "matched"] == []


def example(how, node):
    foo, used, cpu = (("4", "1", "1"), ("8", "2", "6"))[node]
    memory = ("256Mi", "512Mi")[node]
    return score(
        how,
        {FOO: foo, "memory": "1Gi", "cpu": "8"},
        asking(**{FOO: used, "memory": memory, "cpu": cpu}),
        asking(**{FOO: "2", "memory": "256Mi", "cpu": "2"}),
    ).score


def test_the_worked_example_with_the_documented_and_the_real_figures():
    weights = ((FOO, 5), ("memory", 1), ("cpu", 3))
    rising = strategy("RequestedToCapacityRatio", *weights, shape=((0, 0), (100, 10)))
    real = [example(rising, 0), example(rising, 1)]
    assert real == [60, 69]
    documented = [5, 7]
    assert [abs(a - 10 * b) <= 10 for a, b in zip(real, documented, strict=True)] == [True, True]
    falling = strategy("RequestedToCapacityRatio", *weights, shape=((0, 10), (100, 0)))
    assert [example(falling, 0), example(falling, 1)] == [40, 46]
    assert [example(strategy("MostAllocated", *weights), node) for node in (0, 1)] == [59, 69]
    assert [example(strategy("LeastAllocated", *weights), node) for node in (0, 1)] == [40, 30]


def test_a_falling_slope_is_cut_toward_zero():
    how = strategy("RequestedToCapacityRatio", ("cpu", 1), shape=((0, 10), (30, 0)))
    assert score(how, {"cpu": "10"}, asking(cpu="500m"), asking(cpu="500m")).score == 67


def test_containers_without_requests_count_100m_and_200mi_in_scoring_only():
    how = strategy("MostAllocated", ("cpu", 1), ("memory", 1))
    result = score(how, {"cpu": "1", "memory": "1000Mi"}, asking(), asking())
    assert [step.requested for step in result.steps] == [200, 400 * 1024 * 1024]
    assert result.insufficient == ()


def test_says_what_does_not_fit():
    result = score(strategy("LeastAllocated", ("cpu", 1)), {"cpu": "1"}, asking(cpu="1"), asking(cpu="1", memory="1Gi"))
    assert result.insufficient == ("Insufficient cpu", "Insufficient memory")
    assert result.score == 0


amounts = st.integers(0, 16_000).map(lambda milli: f"{milli}m")


@given(amounts, amounts, amounts, st.sampled_from(["LeastAllocated", "MostAllocated"]))
def test_scores_stay_in_range_and_follow_the_request(used, one, other, kind):
    lower, higher = sorted((one, other), key=lambda text: int(text[:-1]))
    how = strategy(kind, ("cpu", 1))
    scores = [score(how, {"cpu": "8"}, asking(cpu=used), asking(cpu=wanted)).score for wanted in (lower, higher)]
    assert all(0 <= value <= 100 for value in scores)
    assert scores == sorted(scores, reverse=kind == "LeastAllocated")


@given(amounts, amounts, st.integers(1, 10), st.integers(1, 10), st.integers(2, 10))
def test_scaling_all_weights_changes_nothing(used, wanted, cpu, memory, factor):
    def scored(by):
        how = strategy("MostAllocated", ("cpu", cpu * by), ("memory", memory * by))
        return score(how, {"cpu": "8", "memory": "8Gi"}, asking(cpu=used), asking(cpu=wanted)).score

    assert scored(1) == scored(factor)
