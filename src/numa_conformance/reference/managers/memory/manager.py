"""How a node's Memory Manager is made, and the memory kept back on NUMA nodes, checked (MEM-POL, MEM-RSV-04..10)."""

from collections.abc import Callable, Mapping

from ....errors import StartError
from ....kube.features import FeatureGates
from ....kube.kubelet_config import KubeletConfiguration
from ....kube.quantity import Quantity
from ....kube.reservation import node_reservation
from ....kube.resource_names import is_huge_page
from ....machine.model import Machine
from ....sources.policies import MEMORY_POLICIES, Platform
from ....sources.quirks.areas import MemoryQuirks
from ..departures import Documented
from ..provider import NodeSetup
from ..state_file import FileStyle
from .memory_state import EmptyTables
from .provider import MemoryManager, NoneMemoryManager
from .static_policy import StaticMemoryManager

_STAGE = "memorymanager"


class MemoryReservation(Documented):
    """What ``reservedMemory`` keeps back, held against the node's reservation."""

    def by_node(self, machine: Machine, config: KubeletConfiguration) -> dict[int, dict[str, int]]:
        """Return bytes per NUMA node and resource; raises ``StartError``, the first fault in the kubelet's order."""
        known = set(machine.numa_ids)
        for entry in config.reserved_memory:
            if entry.numa_node not in known:
                raise StartError(
                    _STAGE,
                    f"the reserved memory configuration references a NUMA node {entry.numa_node} "
                    "that does not exist on this machine",
                )
        self._check_totals(machine, config)
        reserved: dict[int, dict[str, int]] = {node: {} for node in machine.numa_ids}
        for entry in config.reserved_memory:
            for name, amount in entry.limits.items():
                if not amount.is_int64:
                    raise StartError(_STAGE, "could not covert a variable of type Quantity to int64")
                # Of an amount that is given twice, which validation refuses before, the last one holds.
                reserved[entry.numa_node][name] = amount.value
        if not sum(amounts.get("memory", 0) for amounts in reserved.values()):
            raise StartError(_STAGE, "[memorymanager] you should specify the system reserved memory")
        return reserved

    def _check_totals(self, machine: Machine, config: KubeletConfiguration) -> None:
        totals: dict[str, Quantity] = {}
        for entry in config.reserved_memory:
            for name, amount in entry.limits.items():
                totals[name] = totals[name] + amount if name in totals else amount
        wanted = _node_reservation(machine, config)
        for name in sorted(filter(self._is_compared, totals.keys() | wanted.keys())):
            split, whole = totals.get(name, Quantity(0)), wanted.get(name, Quantity(0))
            if split != whole:
                raise StartError(
                    _STAGE,
                    f'the total amount "{split}" of type "{name}" is not equal to the value "{whole}" '
                    "determined by Node Allocatable feature",
                )

    def _is_compared(self, name: str) -> bool:
        """Tell whether a node's reservation says anything of a resource: of huge pages it does not."""
        return not is_huge_page(name)


class _WithHugePages(MemoryReservation, quirk="huge_pages_cannot_be_reserved"):
    """Holds huge pages too against a node reservation that never has any."""

    def _is_compared(self, name: str) -> bool:
        return True


def _node_reservation(machine: Machine, config: KubeletConfiguration) -> Mapping[str, Quantity]:
    return node_reservation(config, {"memory": machine.total_memory})


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
