"""numa-conformance: the documentation of Kubernetes' node resource managers, made executable.

``simulate`` and ``explain`` say what a node does with pods, ``Node`` takes them one by one. A name is imported when it
is first used. PYTEST_DONT_REWRITE, which pytest looks for here: ``plugin/unchanged_modules.py`` says why.
"""

from . import moved as moved  # old names of rooms

TYPE_CHECKING = False  # what typing has of this name costs the import of typing
if TYPE_CHECKING:
    from .cpuset import CpuSet as CpuSet
    from .errors import Fault as Fault
    from .errors import NumaConformanceError as NumaConformanceError
    from .errors import StartError as StartError
    from .errors import UsageError as UsageError
    from .kube import KubeletConfiguration as KubeletConfiguration
    from .kube import Pod as Pod
    from .machine import Cpu as Cpu
    from .machine import Device as Device
    from .machine import Machine as Machine
    from .machine import MemoryNode as MemoryNode
    from .machine import allocation_map as allocation_map
    from .machine import catalogue_names as catalogue_names
    from .machine import load_machine as load_machine
    from .machine import machine_svg as machine_svg
    from .reference.advice import Advice as Advice
    from .reference.advice import advise as advise
    from .reference.node import AdmissionResult as AdmissionResult
    from .reference.node import Node as Node
    from .reference.node import Placement as Placement
    from .reference.simulation import Answer as Answer
    from .reference.simulation import Comparison as Comparison
    from .reference.simulation import Explanation as Explanation
    from .reference.simulation import explain as explain
    from .reference.simulation import simulate as simulate
    from .sources.quirks import Quirks as Quirks
    from .sources.versions import KubernetesVersion as KubernetesVersion

__version__ = "0.2.0"
_ROOMS = {
    "cpuset": "CpuSet",
    "errors": "Fault NumaConformanceError StartError UsageError",
    "kube": "KubeletConfiguration Pod",
    "machine": "Cpu Device Machine MemoryNode allocation_map catalogue_names load_machine machine_svg",
    "reference.advice": "Advice advise",
    "reference.node": "AdmissionResult Node Placement",
    "reference.simulation": "Answer Comparison Explanation explain simulate",
    "sources.quirks": "Quirks",
    "sources.versions": "KubernetesVersion",
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names.split()}
__all__ = ["__version__", *_ROOM_OF]


def __getattr__(name: str) -> object:
    """Import a public name from its room (PEP 562)."""
    if name not in _ROOM_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f".{_ROOM_OF[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names, for completion."""
    return __all__
