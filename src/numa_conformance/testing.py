"""For tests: drawn machines and pods, invariants, pods in one line each, and the reference as an oracle. Public.

Fixtures (``numa_machine``, ``fake_sysfs``, ``fake_cgroupfs``) come with the pytest plugin; see ``docs/testing.md``.
"""

from .lazy_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "asking.examples.invariants": "Assignments Footprint MemoryAmounts cpu_violations device_violations footprint"
        " memory_violations split_cores",
        "asking.generators.workloads": "best_effort burstable container guaranteed kubelet pod static",
        "asking.strategies": "containers kubelet_configurations machines pods workloads",
        "cpuset": "CpuSet",
        "kube": "Pod",
        "machine.picture": "PlacementMap",
        "plugin.numa_cluster": "NumaCluster",
        "reference.advice": "Advice advise",
        "reference.node": "Node",
    },
)
