"""The Memory Manager: which NUMA nodes' memory a container of a Guaranteed pod gets (MEM-ALLOC, MEM-REUSE, MEM-REL)."""

from collections.abc import Callable, Mapping

from ....errors import StartError
from ....kube.features import FeatureGates
from ....kube.kubelet_config import KubeletConfiguration
from ....machine.model import Machine
from ....sources.policies import MEMORY_POLICIES, Platform
from ....sources.quirks.areas import MemoryQuirks
from ..provider import NodeSetup
from ..state_file import FileStyle
from .memory_state import EmptyTables
from .none_policy import NoneMemoryManager
from .reservation import MemoryReservation
from .state_file import MemoryManager
from .static_policy import StaticMemoryManager

_STAGE = "memorymanager"


def provide(setup: NodeSetup) -> MemoryManager:
    """Build the Memory Manager of a node."""
    return make_memory_manager(setup.machine, setup.config, setup.gates, setup.quirks.memory)


def make_memory_manager(
    machine: Machine, config: KubeletConfiguration, gates: FeatureGates, quirks: MemoryQuirks
) -> MemoryManager:
    """Build the manager a configuration asks for; raises ``StartError`` with the kubelet's text (MEM-POL-02)."""
    policy = config.memory_manager_policy
    if policy not in MEMORY_POLICIES:
        raise StartError(_STAGE, f'unknown policy: "{policy}"')
    make = _POLICIES.get(policy)
    if make is None:
        raise StartError(_STAGE, f'policy "{policy}" is not available for platform "{_PLATFORM}"')
    manager = make(machine, config, quirks)
    manager.file_style = FileStyle.of(gates)
    return manager


def _static(machine: Machine, config: KubeletConfiguration, quirks: MemoryQuirks) -> MemoryManager:
    reserved = MemoryReservation.of(quirks)().by_node(machine, config)
    return StaticMemoryManager.of(quirks)(EmptyTables.of(quirks)().nodes(machine, reserved))


_POLICIES: Mapping[str, Callable[[Machine, KubeletConfiguration, MemoryQuirks], MemoryManager]] = {
    "None": lambda *_: NoneMemoryManager(),
    "Static": _static,
}
_PLATFORM: Platform = "linux"
"""The kubelet that is reproduced; policies of Windows are known by name and refused."""
