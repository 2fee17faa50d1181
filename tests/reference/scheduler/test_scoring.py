import pytest
from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.asking.generators.workloads import container, pod
from numa_conformance.comparing.recorded import FIRST_RECORDED, read_vectors, replay
from numa_conformance.kube import NodeResourcesFitArgs, Pod, Quantity, ScoringStrategy
from numa_conformance.reference.scheduler import mean_text, score_node, step_text
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.sources.quirks.areas import SchedulerQuirks
from numa_conformance.sources.versions import DEFAULT, KubernetesVersion
from numa_conformance.wire import Client, InProcess
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


EXACT = SchedulerQuirks.of(DEFAULT)


def score(how, allocatable, used, wanted, quirks=EXACT):
    node = {name: Quantity.parse(amount) for name, amount in {**allocatable, "pods": "110"}.items()}
    return score_node(how, node, [used], wanted, quirks=quirks)


@needs_shared
def test_repeats_every_recorded_score():
    target = Client(InProcess(lambda: ReferenceTarget(kubernetes_version=FIRST_RECORDED), "the reference"))
    outcomes = list(replay(target, read_vectors([SHARED / "recorded" / "noderesourcesfit.jsonl.gz"])))
    assert len(outcomes) == 500
    assert [one.vector.id for one in outcomes if one.status != "matched"] == []


def example(how, node, quirks=EXACT):
    foo, used, cpu = (("4", "1", "1"), ("8", "2", "6"))[node]
    memory = ("256Mi", "512Mi")[node]
    return score(
        how,
        {FOO: foo, "memory": "1Gi", "cpu": "8"},
        asking(**{FOO: used, "memory": memory, "cpu": cpu}),
        asking(**{FOO: "2", "memory": "256Mi", "cpu": "2"}),
        quirks,
    )


def test_the_worked_example_with_the_documented_and_the_real_figures():
    weights = ((FOO, 5), ("memory", 1), ("cpu", 3))
    rising = strategy("RequestedToCapacityRatio", *weights, shape=((0, 0), (100, 10)))
    documented, real = ([example(rising, node, quirks) for node in (0, 1)] for quirks in (SchedulerQuirks(), EXACT))
    assert [one.score for one in documented] == [5, 7]
    assert [one.score for one in real] == [60, 69]
    assert [[step.score for step in one.steps] for one in documented] == [[7, 5, 3], [5, 7, 10]]
    assert [[step.score for step in one.steps] for one in real] == [[75, 50, 37], [50, 75, 100]]


def test_the_worked_example_by_other_strategies():
    weights = ((FOO, 5), ("memory", 1), ("cpu", 3))
    falling = strategy("RequestedToCapacityRatio", *weights, shape=((0, 10), (100, 0)))
    assert [example(falling, node).score for node in (0, 1)] == [40, 46]
    assert [example(strategy("MostAllocated", *weights), node).score for node in (0, 1)] == [59, 69]
    assert [example(strategy("LeastAllocated", *weights), node).score for node in (0, 1)] == [40, 30]


def test_a_resource_that_scores_zero_leaves_the_mean_unless_the_quirk_is_off():
    how = strategy("RequestedToCapacityRatio", ("cpu", 1), ("memory", 1), shape=((0, 10), (100, 0)))
    node, full = {"cpu": "8", "memory": "1Gi"}, asking(cpu="8", memory="100Mi")
    wanted = asking(cpu="0", memory="100Mi")
    assert score(how, node, full, wanted).score == 81
    assert score(how, node, full, wanted, EXACT.without("ratio-drops-what-scores-zero")).score == 41


def test_the_utilization_is_cut_to_whole_percents_unless_the_quirk_is_off():
    how = strategy("RequestedToCapacityRatio", ("cpu", 1), shape=((0, 0), (50, 10)))
    assert score(how, {"cpu": "8"}, asking(cpu="1"), asking(cpu="2")).score == 74
    assert (
        score(how, {"cpu": "8"}, asking(cpu="1"), asking(cpu="2"), EXACT.without("ratio-cuts-utilization")).score == 75
    )


def test_every_step_can_be_checked_with_pencil_and_paper():
    weights = ((FOO, 5), ("memory", 1), ("cpu", 3))
    rising = strategy("RequestedToCapacityRatio", *weights, shape=((0, 0), (100, 10)))
    found = example(rising, 0)
    assert [step_text(rising, step, EXACT) for step in found.steps] == [
        "3 * 100 / 4 = 75 %; 0 + (100 - 0) * (75 - 0) / (100 - 0) = 75",
        "536870912 * 100 / 1073741824 = 50 %; 0 + (100 - 0) * (50 - 0) / (100 - 0) = 50",
        "3000 * 100 / 8000 = 37 %; 0 + (100 - 0) * (37 - 0) / (100 - 0) = 37",
    ]
    mean = "(75*5 + 50*1 + 37*3) / (5 + 1 + 3) = 536 / 9 = 59.56, to the nearest: 60"
    assert mean_text(rising, found.steps, found.score) == mean


def test_the_steps_of_the_page():
    weights = ((FOO, 5), ("memory", 1), ("cpu", 3))
    rising = strategy("RequestedToCapacityRatio", *weights, shape=((0, 0), (100, 10)))
    found = example(rising, 0, SchedulerQuirks())
    assert [step_text(rising, step, SchedulerQuirks()) for step in found.steps] == [
        "3 * 100 / 4 = 75 %; 0 + (10 - 0) * (75 - 0) / (100 - 0) = 7",
        "536870912 * 100 / 1073741824 = 50 %; 0 + (10 - 0) * (50 - 0) / (100 - 0) = 5",
        "3000 * 100 / 8000 = 37.5 %; 0 + (10 - 0) * (37.5 - 0) / (100 - 0) = 3",
    ]


@pytest.mark.parametrize(
    ("kind", "used", "text"),
    [
        ("LeastAllocated", "3", "(8000 - 4000) * 100 / 8000 = 50"),
        ("LeastAllocated", "8", "9000 > 8000: 0"),
        ("MostAllocated", "8", "8000 * 100 / 8000 = 100"),
    ],
)
def test_steps_of_the_simple_strategies(kind, used, text):
    how = strategy(kind, ("cpu", 1), (FOO, 2))
    found = score(how, {"cpu": "8"}, asking(cpu=used), asking(cpu="1"))
    assert [step_text(how, step, EXACT) for step in found.steps] == [text, "the node has none"]


def test_ignored_resources_are_not_insufficient_and_still_score():
    args = {"scoringStrategy": {"type": "MostAllocated", "resources": [{"name": FOO}]}}
    node, wanted = {"cpu": "8", FOO: "1"}, asking(**{FOO: "2"})
    kept = score(NodeResourcesFitArgs.from_dict(args), node, asking(), wanted)
    ignored = score(NodeResourcesFitArgs.from_dict({**args, "ignoredResources": [FOO]}), node, asking(), wanted)
    assert (kept.insufficient, ignored.insufficient) == ((f"Insufficient {FOO}",), ())
    assert kept.score == ignored.score == 100


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


@pytest.mark.parametrize(
    ("asked", "of_1_27", "since"),
    [
        ({"memory": "1Gi"}, ("Insufficient cpu",), ()),
        ({FOO: "1"}, ("Insufficient cpu", f"Insufficient {FOO}"), (f"Insufficient {FOO}",)),
        ({"cpu": "1"}, ("Insufficient cpu",), ("Insufficient cpu",)),
        ({"memory": "9Gi"}, ("Insufficient cpu", "Insufficient memory"), ("Insufficient memory",)),
        ({"memory": "0"}, (), ()),
        ({FOO: "0"}, ("Insufficient cpu",), ()),
    ],
    ids=str,
)
def test_overcommitted_node_fits_nothing(asked, of_1_27, since):
    """Quirk of 1.27 alone: what the pod does not ask for is held against it too."""
    how, node, used = strategy("LeastAllocated", ("cpu", 1)), {"cpu": "8", "memory": "4Gi"}, asking(cpu="9")
    for version, expected in (("1.27", of_1_27), ("1.28", since)):
        quirks = SchedulerQuirks.of(KubernetesVersion.parse(version))
        assert score(how, node, used, asking(**asked), quirks).insufficient == expected


@pytest.mark.parametrize(
    ("sidecars", "apps", "of_1_31", "since"),
    [(("2",), ("3",), 30, 50), (("2", "2"), ("3",), 40, 70), ((None, "2"), (None,), 20, 22), ((None,), (None,), 1, 2)],
    ids=str,
)
def test_score_counts_sidecars_as_init_containers(sidecars, apps, of_1_31, since):
    """Quirk of 1.28 to 1.31: 10 CPUs, of which the pod that is there has so many percent."""

    def containers(kind, cpus):
        return [container(f"{kind}{n}", requests={} if cpu is None else {"cpu": cpu}) for n, cpu in enumerate(cpus)]

    init = [{**one, "restartPolicy": "Always"} for one in containers("i", sidecars)]
    there = Pod.from_dict(pod("there", containers("c", apps), init=init), validate=False)
    how = strategy("MostAllocated", ("cpu", 1))
    for version, expected in (("1.31", of_1_31), ("1.32", since)):
        quirks = SchedulerQuirks.of(KubernetesVersion.parse(version))
        assert score(how, {"cpu": "10"}, there, asking(cpu="0"), quirks).score == expected
