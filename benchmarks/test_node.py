"""Whole admissions, and a node filled and emptied."""

import pytest

from numa_conformance.asking.generators.workloads import guaranteed, static
from numa_conformance.kube import KubeletConfiguration, Pod
from numa_conformance.machine import load_machine
from numa_conformance.reference.node import Node

MACHINE = load_machine("intel-sapphirerapids-8480")
"""2 sockets x 56 cores x SMT2, one NUMA node per socket."""


def new_node(scope="container", topology="best-effort"):
    memory = {
        "memoryManagerPolicy": "Static",
        "kubeReserved": {"memory": "256Mi"},
        "reservedMemory": [{"numaNode": 0, "limits": {"memory": "356Mi"}}],
    }
    config = static(reserved="0,112", topology=topology, scope=scope, more=memory)
    return Node(MACHINE, KubeletConfiguration.from_dict(config))


@pytest.mark.parametrize("scope", ["container", "pod"])
def test_admission_of_a_16_cpu_pod(benchmark, scope):
    node = new_node(scope)
    pod = Pod.from_dict(guaranteed("a", 16, "1Gi"))

    def admit_and_remove():
        admitted = node.admit(pod).admitted
        node.remove("a")
        return admitted

    assert benchmark(admit_and_remove)


def test_a_node_filled_with_200_pods_and_emptied(benchmark):
    pods = [Pod.from_dict(guaranteed(f"p{index}", 1, "64Mi")) for index in range(200)]

    def fill_and_empty():
        node = new_node(topology="none")
        admitted = [node.admit(pod).admitted for pod in pods]
        for pod in pods:
            node.remove(pod.uid)
        return sum(admitted)

    assert benchmark.pedantic(fill_and_empty, rounds=5) == 200
