from .asking.examples.invariants import (
    Assignments,
    Footprint,
    MemoryAmounts,
    cpu_violations,
    device_violations,
    footprint,
    memory_violations,
    split_cores,
)
from .asking.generators.workloads import best_effort, burstable, container, guaranteed, kubelet, pod, static
from .asking.strategies import containers, kubelet_configurations, machines, pods, workloads
from .cpuset import CpuSet
from .kube import Pod
from .machine.picture import PlacementMap
from .plugin.numa_cluster import NumaCluster
from .reference.advice import Advice, advise
from .reference.node import Node

__all__ = [
    "Advice",
    "Assignments",
    "CpuSet",
    "Footprint",
    "MemoryAmounts",
    "Node",
    "NumaCluster",
    "PlacementMap",
    "Pod",
    "advise",
    "best_effort",
    "burstable",
    "container",
    "containers",
    "cpu_violations",
    "device_violations",
    "footprint",
    "guaranteed",
    "kubelet",
    "kubelet_configurations",
    "machines",
    "memory_violations",
    "pod",
    "pods",
    "split_cores",
    "static",
    "workloads",
]
