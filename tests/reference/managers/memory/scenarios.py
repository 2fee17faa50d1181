"""Memory Managers and pods for tests, in a line each."""

from typing import Any

from numa_conformance.asking.generators.workloads import guaranteed, kubelet
from numa_conformance.kube import FeatureGates, KubeletConfiguration, Pod
from numa_conformance.machine import Machine, MemoryNode
from numa_conformance.reference.managers.hint import NO_AFFINITY, Hint
from numa_conformance.reference.managers.memory import StaticMemoryManager, make_memory_manager
from numa_conformance.sources.quirks import Quirks
from numa_conformance.sources.quirks.areas import MemoryQuirks
from numa_conformance.sources.versions import KubernetesVersion

EXACT = Quirks.of(KubernetesVersion(1, 32)).memory
DOCUMENTED: MemoryQuirks = MemoryQuirks()
GIB = 2**30


def made(described: Machine, quirks: MemoryQuirks = EXACT, **fields: Any) -> Any:
    """Make a manager of a configuration."""
    config = KubeletConfiguration.from_dict(kubelet(memoryManagerPolicy="Static", **fields))
    return make_memory_manager(described, config, FeatureGates.build("1.32", {}), quirks)


def machine(*sizes: int, huge: int = 0) -> Machine:
    """Describe nodes of so many bytes, each with huge pages of 1 GiB."""
    pages = {"1Gi": huge} if huge else {}
    return Machine("m", (), tuple(MemoryNode(node, size, pages) for node, size in enumerate(sizes)))


def make_manager(*gib: int, huge: int = 0, quirks: MemoryQuirks = EXACT) -> StaticMemoryManager:
    """Make a manager whose nodes have so many GiB of memory to give, beside huge pages of 1 GiB."""
    sizes = [(amount + huge) * GIB for amount in gib]
    sizes[-1] += 100 * 2**20
    reserved = [{"numaNode": len(gib) - 1, "limits": {"memory": "100Mi"}}]
    manager = made(machine(*sizes, huge=huge), quirks, reservedMemory=reserved)
    assert isinstance(manager, StaticMemoryManager)
    return manager


def asking(uid: str, memory: int, **other: str) -> Pod:
    """Describe a Guaranteed pod of so many GiB."""
    return Pod.from_dict(guaranteed(uid, 1, f"{memory}Gi", **other))


def give(manager: StaticMemoryManager, asked: Pod, affinity: Hint = NO_AFFINITY) -> None:
    """Allocate for every container in order."""
    for one in asked.all_containers:
        manager.allocate(asked, one, affinity)


def used(*pods: tuple[int, int]) -> StaticMemoryManager:
    """Two nodes of 10 GiB, with pods of so many GiB on masks."""
    manager = make_manager(10, 10)
    for index, (memory, mask) in enumerate(pods):
        give(manager, asking(f"before{index}", memory), Hint(mask, True))
    return manager
