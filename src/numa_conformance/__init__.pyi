from . import moved as moved
from .cpuset import CpuSet
from .errors import Fault, NumaConformanceError, StartError, UsageError
from .kube import KubeletConfiguration, Pod
from .machine import (
    Amounts,
    Cpu,
    Device,
    Machine,
    MemoryNode,
    allocation_map,
    catalogue_names,
    load_machine,
    machine_svg,
)
from .plugin.numa_cluster import NumaCluster
from .reference.advice import Advice, advise
from .reference.node import AdmissionResult, Node, Placement
from .reference.simulation import Answer, Explanation, explain, simulate
from .reference.simulation.what_if import Comparison
from .sources.quirks import Quirks
from .sources.versions import KubernetesVersion

__all__ = [
    "AdmissionResult",
    "Advice",
    "Amounts",
    "Answer",
    "Comparison",
    "Cpu",
    "CpuSet",
    "Device",
    "Explanation",
    "Fault",
    "KubeletConfiguration",
    "KubernetesVersion",
    "Machine",
    "MemoryNode",
    "Node",
    "NumaCluster",
    "NumaConformanceError",
    "Placement",
    "Pod",
    "Quirks",
    "StartError",
    "UsageError",
    "advise",
    "allocation_map",
    "catalogue_names",
    "explain",
    "load_machine",
    "machine_svg",
    "simulate",
]
__version__: str
