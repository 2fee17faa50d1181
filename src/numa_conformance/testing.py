"""For tests of one's own: strategies, invariants, and pods and configurations in one line each. Public and stable.

Fixtures (``numa_machine``, ``fake_sysfs``, ``fake_cgroupfs``) come with the pytest plugin; see ``docs/testing.md``.
"""

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
from .machine.placement_map import PlacementMap

__all__ = [
    "Assignments",
    "Footprint",
    "MemoryAmounts",
    "PlacementMap",
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
