"""Filling a cluster."""

import pytest

from numa_conformance.asking.generators.workloads import guaranteed
from numa_conformance.kube import NodeObject, NodeResourcesFitArgs, Pod
from numa_conformance.reference.scheduler import run_cluster

SIZES = (16, 32, 64, 96)


@pytest.mark.parametrize("kind", ["LeastAllocated", "MostAllocated"])
def test_10000_pods_of_50_shapes_on_1000_nodes_of_4_sizes(benchmark, kind):
    nodes = [
        NodeObject.from_dict(
            {
                "metadata": {"name": f"n{index}"},
                "status": {
                    "allocatable": {"cpu": str(SIZES[index % 4]), "memory": f"{SIZES[index % 4] * 4}Gi", "pods": "110"}
                },
            }
        )
        for index in range(1000)
    ]
    pods = [
        Pod.from_dict(guaranteed(f"p{index}", 1 + index % 10, f"{1 + index % 50 // 10 * 4}Gi"))
        for index in range(10_000)
    ]
    args = NodeResourcesFitArgs.from_dict({"scoringStrategy": {"type": kind}})
    report = benchmark.pedantic(run_cluster, (nodes, pods, args), rounds=1)
    assert len(report.placements) + len(report.unschedulable) == 10_000
