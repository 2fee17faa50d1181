"""Where the kubelet crashes or hangs the node says so, and is as it was before."""

import pytest

from numa_conformance.asking.generators.workloads import guaranteed, static, static_memory
from numa_conformance.errors import KubeletCrashes, KubeletFails, KubeletHangs
from numa_conformance.kube import KubeletConfiguration, Pod
from numa_conformance.machine import Cpu, Machine, MemoryNode
from numa_conformance.reference.node import Node

GIB = 2**30


def all_of(node: Node) -> object:
    return node.state(), node.checkpoints(), dict(node.pods), node.config


def machine(*nodes: MemoryNode) -> Machine:
    cpus = tuple(Cpu(cpu, cpu % 4, cpu // 4, nodes[cpu // 4].node) for cpu in range(8))
    return Machine("m", cpus, nodes, distances=((10, 20), (20, 10)))


def uneven_node() -> Node:
    described = machine(MemoryNode(0, 2 * GIB), MemoryNode(1, 4 * GIB, {"1Gi": 1}))
    config = static_memory("best-effort")
    return Node(described, KubeletConfiguration.from_dict(config))


def test_a_pod_that_crashes_the_kubelet_leaves_no_trace() -> None:
    node = uneven_node()
    assert node.admit(Pod.from_dict(guaranteed("a", 1, "1Gi"))).admitted
    before = all_of(node)
    with pytest.raises(KubeletCrashes, match="quirk missing-page-size-crashes"):
        node.admit(Pod.from_dict(guaranteed("b", 1, "1Gi", **{"hugepages-1Gi": "1Gi"})))
    assert all_of(node) == before


def test_a_restart_that_crashes_the_kubelet_leaves_the_node_as_it_was() -> None:
    node = uneven_node()
    assert node.admit(Pod.from_dict(guaranteed("a", 1, "3500Mi"))).admitted
    node.run("a")
    before = all_of(node)
    with pytest.raises(KubeletCrashes, match="quirk restart-with-uneven-page-sizes-crashes"):
        node.restart(KubeletConfiguration.from_dict({**node.config.raw, "cpuManagerReconcilePeriod": "5s"}))
    assert all_of(node) == before
    assert node.remove("a")
    assert node.restart().pods == ()


def test_a_pod_that_crashes_the_kubelet_again_at_a_restart_leaves_the_node_as_it_was() -> None:
    described = machine(MemoryNode(0, 2 * GIB), MemoryNode(5, 2 * GIB))
    options = {"topologyManagerPolicyOptions": {"prefer-closest-numa-nodes": "true"}}
    node = Node(described, KubeletConfiguration.from_dict(static(reserved="0")))
    for uid in ("a", "b"):
        assert node.admit(Pod.from_dict(guaranteed(uid, 1))).admitted
    node.remove("a")
    node.write_files({"cpu_manager_state": None})
    before = all_of(node)
    with pytest.raises(KubeletCrashes, match="quirk distances-by-node-id"):
        node.restart(KubeletConfiguration.from_dict(static(reserved="0", topology="best-effort", more=options)))
    assert all_of(node) == before
    assert node.restart().pods[0].admitted


def test_crashes_and_hangs_are_of_one_kind() -> None:
    assert issubclass(KubeletCrashes, KubeletFails)
    assert issubclass(KubeletHangs, KubeletFails)
