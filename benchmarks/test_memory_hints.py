"""Hints for memory, on machines of few and of many NUMA nodes."""

import pytest

from numa_conformance.asking.generators.workloads import guaranteed, static
from numa_conformance.kube import KubeletConfiguration, Pod
from numa_conformance.machine import load_machine
from numa_conformance.reference.node import Node

MACHINES = (
    "intel-sapphirerapids-8480",
    "intel-sapphirerapids-8480-snc4",
    "intel-xeonmax-9460-hbm-flat",
    "nvidia-quad-gh200",
)


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("memory", ["1Gi", "200Gi"])
def test_memory_hints(benchmark, name, memory):
    machine = load_machine(name)
    fields = {
        "memoryManagerPolicy": "Static",
        "kubeReserved": {"memory": "256Mi"},
        "reservedMemory": [{"numaNode": machine.numa_ids[0], "limits": {"memory": "356Mi"}}],
    }
    node = Node(machine, KubeletConfiguration.from_dict(static(more=fields)))
    pod = Pod.from_dict(guaranteed("p", 4, memory))
    assert benchmark(node.providers["memory"].hints, pod, pod.containers[0])
