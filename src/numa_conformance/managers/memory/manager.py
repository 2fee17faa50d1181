"""The Memory Manager: which NUMA nodes' memory a container of a Guaranteed pod gets (MEM-ALLOC, MEM-REUSE, MEM-REL)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from ...documentation.quirks.memory import MemoryQuirks
from ...errors import StartError
from ...kube.container import Container
from ...kube.features import FeatureGates
from ...kube.kubelet_config import KubeletConfiguration
from ...kube.pod import Pod
from ...machine.model import Machine
from ..families import HintFamily
from ..hint import Hint
from .reservation import reserved_by_node
from .state import Blocks, NodeMemory, initial_nodes
from .static_policy import StaticMemoryManager

__all__ = ["MemoryAnswer", "MemoryManager", "NoneMemoryManager", "make_memory_manager"]

MemoryAnswer = Mapping[str, list[Hint] | HintFamily | None] | None


class MemoryManager(Protocol):
    """What the node needs of the Memory Manager, whatever its policy."""

    @property
    def policy(self) -> str:
        """``None`` or ``Static``."""

    @property
    def nodes(self) -> dict[int, NodeMemory]:
        """The books per NUMA node; empty under policy None."""

    @property
    def blocks(self) -> Blocks:
        """The blocks of every container."""

    def hints(self, pod: Pod, container: Container) -> MemoryAnswer:
        """Offer hints for one container."""

    def pod_hints(self, pod: Pod) -> MemoryAnswer:
        """Offer hints for a pod as a whole."""

    def allocate(self, pod: Pod, container: Container, affinity: Hint, trace: list[str] | None = None) -> None:
        """Give a container its memory; raises ``Refusal``."""

    def release(self, uid: str, container: str) -> None:
        """Take back the memory of a container."""

    def remove_stale(self, active: Callable[[str, str], bool]) -> bool:
        """Take back the memory of containers that are gone; tells whether there were any."""

    def container_starts(self, pod: Pod, container: Container) -> bool:
        """Take back what ordinary init containers before this one hold; tells whether there was any (MEM-REUSE-07)."""

    def restore(self, nodes: Mapping[int, NodeMemory], blocks: Blocks) -> bool:
        """Take over a state file's content; tells whether it must be written anew. Raises ``StartError``."""


class NoneMemoryManager:
    """Policy None: no opinion, no memory pinned (MEM-POL-03)."""

    policy = "None"

    def __init__(self) -> None:
        self.nodes: dict[int, NodeMemory] = {}
        self.blocks = Blocks()

    def hints(self, pod: Pod, container: Container) -> MemoryAnswer:
        """Have no opinion."""
        return None

    def pod_hints(self, pod: Pod) -> MemoryAnswer:
        """Have no opinion."""
        return None

    def allocate(self, pod: Pod, container: Container, affinity: Hint, trace: list[str] | None = None) -> None:
        """Give nothing."""

    def release(self, uid: str, container: str) -> None:
        """Hold nothing."""

    def remove_stale(self, active: Callable[[str, str], bool]) -> bool:
        """Hold nothing."""
        return False

    def container_starts(self, pod: Pod, container: Container) -> bool:
        """Hold nothing."""
        return False

    def restore(self, nodes: Mapping[int, NodeMemory], blocks: Blocks) -> bool:
        """Keep nothing: the file of policy None is not looked into."""
        return False


def make_memory_manager(
    machine: Machine, config: KubeletConfiguration, gates: FeatureGates, quirks: MemoryQuirks
) -> MemoryManager:
    """Build the manager a configuration asks for; raises ``StartError`` with the kubelet's text (MEM-POL-02)."""
    policy = config.memory_manager_policy
    if policy == "None":
        return NoneMemoryManager()
    if policy == "BestEffort":
        raise StartError("memorymanager", 'policy "BestEffort" is not available for platform "linux"')
    if policy != "Static":
        raise StartError("memorymanager", f'unknown policy: "{policy}"')
    reserved = reserved_by_node(machine, config, quirks)
    nodes = initial_nodes(machine, reserved, quirks)
    return StaticMemoryManager(nodes, quirks)
