"""Machines with more NUMA nodes than the kubelet can enumerate: 36 of them are real."""

from numa_conformance.asking.generators.workloads import guaranteed, static
from numa_conformance.kube import KubeletConfiguration, Pod
from numa_conformance.machine import load_machine
from numa_conformance.reference.node import Node


def test_thirty_six_numa_nodes_with_all_managers():
    machine = load_machine("nvidia-quad-gh200")
    assert len(machine.numa_ids) == 36
    more = {
        "topologyManagerPolicyOptions": {"max-allowable-numa-nodes": "64"},
        "memoryManagerPolicy": "Static",
        "kubeReserved": {"memory": "256Mi"},
        "reservedMemory": [{"numaNode": 0, "limits": {"memory": "356Mi"}}],
    }
    node = Node(machine, KubeletConfiguration.from_dict(static(topology="best-effort", more=more)))
    small = node.admit(Pod.from_dict(guaranteed("small", 4, "8Gi")))
    assert small.placements["c"].affinity.mask == 1
    assert [block.nodes for block in small.placements["c"].memory] == [(0,)]
    wide = node.admit(Pod.from_dict(guaranteed("wide", 8, "300Gi")))
    nodes = wide.placements["c"].memory[0].nodes
    assert sum(machine.memory[one].memory for one in nodes) >= 300 << 30
    assert 0 not in nodes, "a node in use alone joins no group"
