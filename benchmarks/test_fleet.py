"""Filling a cluster whose nodes decide for themselves."""

import pytest

from numa_conformance.asking.generators.workloads import container, guaranteed, pod, static
from numa_conformance.kube import ClusterObjects, KubeletConfiguration, NodeResourcesFitArgs, Pod
from numa_conformance.machine import load_machine
from numa_conformance.reference.fleet import Fleet, NodeGroup, NodeKind, fill_cluster

KUBELET = KubeletConfiguration.from_dict(static(reserved="0-1,128-129", topology="single-numa-node"))


@pytest.mark.parametrize("kind", ["LeastAllocated", "MostAllocated"])
@pytest.mark.parametrize(("nodes", "pods"), [(250, 10_000), (1000, 2_500), (1000, 10_000), (4000, 10_000)])
def test_pods_of_three_sizes_on_nodes_of_256_cpus(benchmark, kind, nodes, pods):
    fleet = Fleet((NodeGroup("n*", NodeKind(load_machine("amd-milan-7763-nps4"), KUBELET), nodes),))
    shared = [container("c", requests={"cpu": "500m", "memory": "1Gi"})]
    waiting = tuple(
        Pod.from_dict(guaranteed(f"p{index}", (12, 26)[index % 3]) if index % 3 < 2 else pod(f"p{index}", shared))
        for index in range(pods)
    )
    cluster = ClusterObjects(tuple(fleet.made_up()), waiting)
    args = NodeResourcesFitArgs.from_dict({"scoringStrategy": {"type": kind}})
    run = benchmark.pedantic(fill_cluster, (cluster, fleet, args), rounds=1)
    assert len(run.report.placements) + len(run.report.refused) + len(run.report.unschedulable) == pods


def test_a_cluster_at_kubernetes_own_limits(benchmark):
    """150,000 pods on 5,000 nodes; about a minute."""
    fleet = Fleet((NodeGroup("n*", NodeKind(load_machine("amd-milan-7763-nps4"), KUBELET), 5000),))
    shared = [container("c", requests={"cpu": "500m", "memory": "1Gi"})]
    waiting = tuple(
        Pod.from_dict(guaranteed(f"p{index}", (12, 4)[index % 3]) if index % 3 < 2 else pod(f"p{index}", shared))
        for index in range(150_000)
    )
    cluster = ClusterObjects(tuple(fleet.made_up()), waiting)
    args = NodeResourcesFitArgs.from_dict({"scoringStrategy": {"type": "LeastAllocated"}})
    run = benchmark.pedantic(fill_cluster, (cluster, fleet, args), rounds=1)
    assert len(run.report.placements) == 150_000
