import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.asking.generators.workloads import container, guaranteed, pod, static
from numa_conformance.errors import StartError
from numa_conformance.kube import ClusterObjects, KubeletConfiguration, NodeResourcesFitArgs, Pod
from numa_conformance.machine import load_machine
from numa_conformance.reference.fleet import (
    Fleet,
    Job,
    NodeGroup,
    NodeKind,
    Setup,
    fill_cluster,
    open_engine,
    run_campaign,
)

MACHINE = load_machine("t3-two-numa-per-socket")
"""Four NUMA nodes of four cores with two threads each."""
KUBELET = KubeletConfiguration.from_dict(static(reserved="0,16", topology="single-numa-node"))


def fit(kind):
    return NodeResourcesFitArgs.from_dict({"scoringStrategy": {"type": kind}})


def fleet(count, kubelet=KUBELET):
    return Fleet((NodeGroup("n*", NodeKind(MACHINE, kubelet), count),))


def cluster(there, sizes, *others):
    pods = [Pod.from_dict(guaranteed(f"p{index}", size)) for index, size in enumerate(sizes)]
    return ClusterObjects(tuple(there.made_up()), (*pods, *others))


def test_a_pod_that_the_scheduler_places_may_be_refused_by_the_node():
    nodes = fleet(1)
    run = fill_cluster(cluster(nodes, [6, 6, 6, 6]), nodes, fit("LeastAllocated"))
    assert list(run.report.placements) == ["p0", "p1", "p2", "p3"]
    (refused,) = fill_cluster(cluster(nodes, [6, 6, 6, 6, 6]), nodes, fit("LeastAllocated")).report.refused
    assert (refused.uid, refused.node, refused.refusal.reason) == ("p4", "n0", "TopologyAffinityError")


def test_a_node_behaves_as_its_own_version():
    """``prefer-align-cpus-by-uncorecache`` is alpha in 1.32 and beta in 1.34 (CPU-OPT)."""
    options = {"cpuManagerPolicyOptions": {"prefer-align-cpus-by-uncorecache": "true"}}
    nodes = fleet(1, KubeletConfiguration.from_dict({**static(reserved="0,16"), **options}))
    (made,) = nodes.made_up()
    older = dataclasses.replace(made, kubelet_version="v1.32.10")
    with pytest.raises(StartError, match="Alpha-level Options not enabled"):
        fill_cluster(ClusterObjects((older,), ()), nodes, fit("LeastAllocated"))
    newer = dataclasses.replace(made, kubelet_version="v1.34.1")
    assert fill_cluster(ClusterObjects((newer,), ()), nodes, fit("LeastAllocated")).free == 30


def test_free_and_stranded_cpus_and_their_fragmentation():
    nodes = fleet(1)
    run = fill_cluster(cluster(nodes, [6, 6, 6, 6]), nodes, fit("LeastAllocated"))
    assert run.free == 30 - 24
    assert run.stranded_exclusive == 6
    assert run.fragmentation == pytest.approx(1 - 2 / 6)


def test_the_smallest_pod_decides_what_is_stranded():
    nodes = fleet(1)
    run = fill_cluster(cluster(nodes, [6, 6, 6, 6, 1]), nodes, fit("LeastAllocated"))
    assert (run.free, run.stranded_exclusive) == (5, 0)


def test_without_machines_nodes_refuse_nothing():
    nodes = fleet(1)
    run = fill_cluster(cluster(nodes, [6] * 5), Fleet(), fit("LeastAllocated"))
    assert (run.report.refused, run.free, run.fragmentation) == ((), 0, 0.0)


def test_pods_that_are_there_come_first():
    nodes = fleet(2)
    obj = guaranteed("there", 2)
    obj["spec"]["nodeName"] = "n1"
    there = Pod.from_dict(obj)
    run = fill_cluster(cluster(nodes, [2], there), nodes, fit("MostAllocated"))
    assert run.report.placements == {"there": "n1", "p0": "n1"}


sizes = st.lists(st.integers(0, 9), max_size=25)


@given(sizes, st.integers(1, 3), st.sampled_from(["LeastAllocated", "MostAllocated"]), st.integers(0, 5))
def test_every_pod_is_placed_refused_or_unschedulable_and_no_cpu_is_counted_twice(wanted, count, kind, seed):
    nodes = fleet(count)
    pods = [
        Pod.from_dict(guaranteed(f"p{index}", cpus) if cpus else pod(f"p{index}", [container("c")]))
        for index, cpus in enumerate(wanted)
    ]
    run = fill_cluster(ClusterObjects(tuple(nodes.made_up()), tuple(pods)), nodes, fit(kind), seed=seed)
    report = run.report
    ended = [*report.placements, *(one.uid for one in report.refused), *(one.uid for one in report.unschedulable)]
    assert sorted(ended) == sorted(one.uid for one in pods)
    taken = sum(wanted[int(uid[1:])] for uid in report.placements)
    assert run.free == 30 * count - taken
    assert 0 <= run.stranded_exclusive <= run.free
    assert 0 <= run.fragmentation < 1


def test_a_seed_gives_one_order_and_another_seed_another():
    nodes = fleet(5)
    pods = cluster(nodes, [1, 2, 3, 4, 5, 6] * 3)
    one, same, other = (fill_cluster(pods, nodes, fit("LeastAllocated"), seed=seed).report for seed in (1, 1, 2))
    assert one.placements == same.placements
    assert list(one.placements) != list(other.placements)


def outcomes(engine):
    nodes = fleet(3)
    pods = cluster(nodes, [6, 6, 3, 2] * 5)
    jobs = [Job(Setup(kind, fit(kind)), seed) for kind in ("LeastAllocated", "MostAllocated") for seed in range(3)]
    with open_engine(engine) as where:
        return list(run_campaign(pods, nodes, jobs, where))


def test_a_campaign_tells_the_outcome_of_every_job_in_order():
    found = outcomes("local")
    assert [(one.setup, one.seed) for one in found] == [
        (kind, seed) for kind in ("LeastAllocated", "MostAllocated") for seed in range(3)
    ]
    for one in found:
        assert len(one.placements) + len(one.refused) + len(one.unschedulable) == 20
        assert one.reasons["TopologyAffinityError"] <= len(one.refused)
        assert not any(refused.bound for refused in one.refused)
    assert dataclasses.asdict(found[0])["setup"] == "LeastAllocated"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"reservedSystemCPUs": "900"}, "node n0: reserved-cpus: 900 is not a subset of online-cpus"),
        ({"topologyManagerPolicy": "strict"}, "node n0: .*topologyManagerPolicy"),
    ],
)
def test_a_node_that_does_not_come_up_is_named(fields, said):
    nodes = fleet(1, KubeletConfiguration.from_dict({**static(), **fields}))
    with pytest.raises(StartError, match=said):
        fill_cluster(cluster(nodes, [1]), nodes, fit("LeastAllocated"))
