import functools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.asking.generators.workloads import container, guaranteed, pod, static
from numa_conformance.cpuset import iter_bits
from numa_conformance.errors import Refusal, UsageError
from numa_conformance.kube import KubeletConfiguration, NodeObject, NodeResourcesFitArgs, Pod
from numa_conformance.machine import load_machine
from numa_conformance.reference.node import Node
from numa_conformance.reference.scheduler import cluster, numa_fragmentation, score_node
from numa_conformance.sources.quirks.areas import SchedulerQuirks
from numa_conformance.sources.versions import DEFAULT

QUIRKS = SchedulerQuirks.of(DEFAULT)
run_cluster = functools.partial(cluster.run_cluster, quirks=QUIRKS)
GPU = "example.com/gpu"
SHAPE = [{"utilization": 0, "score": 0}, {"utilization": 60, "score": 10}, {"utilization": 100, "score": 2}]
STRATEGIES = {
    "LeastAllocated": {"type": "LeastAllocated"},
    "MostAllocated": {"type": "MostAllocated", "resources": [{"name": "cpu", "weight": 3}, {"name": GPU}]},
    "RequestedToCapacityRatio": {
        "type": "RequestedToCapacityRatio",
        "resources": [{"name": "cpu", "weight": 2}, {"name": "memory"}, {"name": GPU, "weight": 5}],
        "requestedToCapacityRatio": {"shape": SHAPE},
    },
}


def fit(kind="LeastAllocated", **fields):
    return NodeResourcesFitArgs.from_dict({"scoringStrategy": STRATEGIES[kind], **fields})


def node(name, cpu="8", memory="16Gi", pods="110", **other):
    allocatable = {"cpu": cpu, "memory": memory, "pods": pods, **other}
    return NodeObject.from_dict({"metadata": {"name": name}, "status": {"allocatable": allocatable}})


def asking(uid, cpu="1", memory="1Gi", *, on="", **other):
    obj = pod(uid, [container("c", requests={"cpu": cpu, "memory": memory}, other=other)])
    obj["spec"]["nodeName"] = on
    return Pod.from_dict(obj, validate=False)


def by_scoring_every_node(nodes, pods, args):
    """Place pods one by one with nothing but score_node."""
    there = {one.name: [] for one in nodes}
    placed = {}
    for wanted in pods:
        found = []
        for index, one in enumerate(nodes):
            result = score_node(args.strategy, one.allocatable, there[one.name], wanted, quirks=QUIRKS)
            if not result.insufficient:
                found.append((-result.score, index, one.name))
        if found:
            placed[wanted.uid] = min(found)[2]
            there[placed[wanted.uid]].append(wanted)
    return placed


def test_least_allocated_spreads_and_most_allocated_packs():
    nodes = [node(f"n{index}") for index in range(3)]
    pods = [asking(f"p{index}") for index in range(3)]
    assert list(run_cluster(nodes, pods, fit("LeastAllocated")).placements.values()) == ["n0", "n1", "n2"]
    assert list(run_cluster(nodes, pods, fit("MostAllocated")).placements.values()) == ["n0", "n0", "n0"]


def test_the_first_node_wins_among_equals():
    assert run_cluster([node("b"), node("a")], [asking("p")], fit()).placements == {"p": "b"}


amounts = st.sampled_from([0, 1, 2, 3, 5])


@given(
    st.sampled_from(sorted(STRATEGIES)),
    st.lists(st.tuples(st.sampled_from([2, 4, 8]), st.sampled_from([2, 6]), amounts), min_size=1, max_size=4),
    st.lists(st.tuples(amounts, amounts, amounts), max_size=14),
)
def test_every_pod_goes_where_scoring_every_node_would_put_it(kind, sizes, wanted):
    nodes = [
        node(f"n{index}", str(cpu), f"{memory}Gi", "4", **{GPU: str(gpu)})
        for index, (cpu, memory, gpu) in enumerate(sizes)
    ]
    pods = [
        asking(f"p{index}", str(cpu), f"{memory}Gi", **({GPU: str(gpu)} if gpu else {}))
        for index, (cpu, memory, gpu) in enumerate(wanted)
    ]
    report = run_cluster(nodes, pods, fit(kind))
    assert report.placements == by_scoring_every_node(nodes, pods, fit(kind))
    assert {one.uid for one in report.unschedulable} == {one.uid for one in pods} - report.placements.keys()
    assert sum(one.pods for one in report.nodes) == len(report.placements)


def test_says_on_how_many_nodes_each_reason_keeps_a_pod_out():
    nodes = [node("a", cpu="1"), node("b", cpu="1", memory="1Gi"), node("c", pods="0")]
    (found,) = run_cluster(nodes, [asking("p", "2", "2Gi")], fit()).unschedulable
    assert found.uid == "p"
    assert dict(found.reasons) == {"Insufficient cpu": 2, "Insufficient memory": 1, "Too many pods": 1}


def test_ignored_resources_keep_nobody_out():
    wanted = asking("p", **{GPU: "1"})
    assert run_cluster([node("n")], [wanted], fit()).placements == {}
    assert run_cluster([node("n")], [wanted], fit(ignoredResources=[GPU])).placements == {"p": "n"}
    assert run_cluster([node("n")], [wanted], fit(ignoredResourceGroups=["example.com"])).placements == {"p": "n"}


def test_a_pod_with_a_node_name_goes_there_even_when_it_does_not_fit():
    report = run_cluster([node("a"), node("b", cpu="1")], [asking("p", "4", on="b")], fit())
    assert report.placements == {"p": "b"}
    assert [one.free_cpu for one in report.nodes] == [8000, 0]


def test_a_pod_that_its_node_refuses_is_not_scheduled_again_and_counts_nowhere():
    refusal = Refusal("TopologyAffinityError", "Resources cannot be allocated with Topology locality")
    asked = []

    def admit(name, wanted):
        asked.append((name, wanted.uid))
        return refusal if wanted.uid == "p0" else None

    report = run_cluster([node("a"), node("b")], [asking("p0"), asking("p1")], fit(), admit=admit)
    assert asked == [("a", "p0"), ("a", "p1")]
    assert report.placements == {"p1": "a"}
    assert [(one.uid, one.node, one.refusal) for one in report.refused] == [("p0", "a", refusal)]
    assert [one.free_cpu for one in report.nodes] == [7000, 8000]


def test_names_every_node_and_pod_that_cannot_be():
    nodes = [node("worker-1"), node("worker-1")]
    pods = [asking("p", on="worker-2"), asking("p")]
    with pytest.raises(UsageError) as caught:
        run_cluster(nodes, pods, fit())
    assert [(fault.place, fault.suggestion) for fault in caught.value.faults] == [
        ("nodes[1]", None),
        ("pods[1]", None),
        ("pod p: spec.nodeName", "worker-1"),
    ]


def test_cpus_are_stranded_where_the_smallest_pod_does_not_fit():
    nodes = [node("out-of-memory", memory="1Gi"), node("nearly-full", cpu="5"), node("roomy")]
    pods = [asking("a", "1", "1Gi", on="out-of-memory"), asking("b", "4", on="nearly-full"), asking("c", "2")]
    report = run_cluster(nodes, [*pods, asking("idle", "0", "0")], fit())
    assert [one.has_room for one in report.nodes] == [False, True, True]
    assert report.stranded_cpu == 7000


@pytest.mark.parametrize(("free", "share"), [((), 0), ((0, 0), 0), ((4, 0), 0), ((4, 4), 0.5), ((2, 2, 4, 0), 0.5)])
def test_fragmentation_is_the_share_of_free_cpus_outside_the_emptiest_numa_node(free, share):
    assert numa_fragmentation(free) == share


def test_fragmentation_of_a_cluster_weighs_nodes_by_their_free_cpus():
    free = {"a": (3, 3), "b": (2, 0)}
    report = run_cluster([node("a"), node("b")], [], fit())
    assert report.numa_fragmentation(free.__getitem__) == 3 / 8
    assert report.numa_fragmentation(lambda name: (0, 0)) == 0


MACHINE = load_machine("t2-two-sockets-interleaved")
"""Two NUMA nodes of six CPUs."""


class Agents:
    """A reference stack on every node, with one CPU reserved on each of the two NUMA nodes."""

    def __init__(self, names):
        local = [next(cpu.id for cpu in MACHINE.cpus if cpu.numa == numa) for numa in MACHINE.numa_ids]
        config = static(reserved=",".join(map(str, local)), topology="single-numa-node")
        self._nodes = {name: Node(MACHINE, KubeletConfiguration.from_dict(config)) for name in names}

    def admit(self, name, wanted):
        answer = self._nodes[name].admit(wanted)
        return None if answer.admitted else Refusal(answer.reason, answer.message)

    def free_cpus(self, name):
        pools = self._nodes[name].pools
        free = set(iter_bits(pools.default & ~pools.reserved))
        return [sum(cpu.id in free for cpu in MACHINE.cpus if cpu.numa == numa) for numa in MACHINE.numa_ids]


@pytest.mark.parametrize(
    ("kind", "refused", "fragmentation"), [("MostAllocated", ["c"], 0.5), ("LeastAllocated", [], 0.3)]
)
def test_packing_leaves_free_cpus_that_no_numa_node_has_together(kind, refused, fragmentation):
    """Pods of 3, 3 and 4 CPUs: packed, 2 + 2 CPUs of n0 and 5 + 5 of n1 are left; spread, 2 + 1 and 2 + 5."""
    names = ["n0", "n1"]
    agents = Agents(names)
    pods = [Pod.from_dict(guaranteed(uid, cpus)) for uid, cpus in (("a", 3), ("b", 3), ("c", 4))]
    report = run_cluster([node(name, cpu="10") for name in names], pods, fit(kind), admit=agents.admit)
    assert [one.uid for one in report.refused] == refused
    assert {one.refusal.reason for one in report.refused} <= {"TopologyAffinityError"}
    assert report.numa_fragmentation(agents.free_cpus) == pytest.approx(fragmentation)
