"""numa-conformance: the documentation of Kubernetes' node resource managers, made executable.

``simulate`` and ``explain`` say what a node does with pods, ``Node`` takes them one by one.

PYTEST_DONT_REWRITE, which pytest looks for here: ``plugin/unchanged_modules.py`` says why.
"""

from . import moved as moved  # old names of rooms
from .lazy_names import lazy_names

__version__ = "0.2.0"
__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "cpuset": "CpuSet",
        "errors": "Fault NumaConformanceError StartError UsageError",
        "kube": "KubeletConfiguration Pod",
        "machine": "Amounts Cpu Device Machine MemoryNode allocation_map catalogue_names load_machine machine_svg",
        "plugin.numa_cluster": "NumaCluster",
        "reference.advice": "Advice advise",
        "reference.node": "AdmissionResult Node Placement",
        "reference.simulation": "Answer Explanation explain simulate",
        "reference.simulation.what_if": "Comparison",
        "sources.quirks": "Quirks",
        "sources.versions": "KubernetesVersion",
    },
)
