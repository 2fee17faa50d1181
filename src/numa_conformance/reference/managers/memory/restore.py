"""Checking a Memory Manager state that comes from a file against the machine (MEM-CKPT-03..06)."""

from collections.abc import Mapping
from copy import deepcopy

from ....cpuset import checked
from ....errors import KubeletCrashes, StartError
from ..departures import Documented
from .charging import charge
from .memory_state import WRAP, MemoryBlocks, NodeMemory, PinnedBlock


class StateCheck(Documented):
    """Whether a state fits the machine."""

    def takes_over(
        self, empty: Mapping[int, NodeMemory], nodes: Mapping[int, NodeMemory], blocks: MemoryBlocks
    ) -> bool:
        """Return whether the state can be taken over; False when it is empty and the machine's is to be used.

        Raises ``StartError`` with the kubelet's text, and ``KubeletCrashes``.
        """
        if not nodes:
            if blocks.by_pod:
                raise _refused("machine state can not be empty when it has memory assignments")
            return False
        expected = deepcopy(dict(empty))
        for uid, containers in sorted(blocks.by_pod.items()):
            whole = blocks.pods.get(uid)
            for container, held in [("", whole)] if whole else sorted(containers.items()):
                for block in held:
                    place = f"(pod: {uid}, container: {container})"
                    if any(node not in expected for node in block.nodes):
                        raise _refused(f"{place} the memory assignment uses the NUMA that does not exist")
                    members = [checked(node) for node in block.nodes]
                    lacking = [node for node in members if block.type not in expected[node].tables]
                    if self._is_unknown(lacking, block):
                        raise _refused(f"{place} the memory assignment uses memory resource that does not exist")
                    charge(expected, members, block.type, block.bytes)
        if not self._agree(expected, nodes):
            raise _refused("the expected machine state is different from the real one")
        return True

    def _is_unknown(self, lacking: list[int], block: PinnedBlock) -> bool:
        """Tell whether no NUMA node of a block lists its resource; ``lacking`` are those that do not."""
        return len(lacking) == len(block.nodes)

    def _agree(self, expected: Mapping[int, NodeMemory], real: Mapping[int, NodeMemory]) -> bool:
        return expected.keys() == real.keys() and all(_same_node(expected, real, node) for node in expected)


class _NodeByNode(StateCheck, quirk="restart_compares_every_node"):
    """Compares what is free and reserved node by node, not over groups alone."""

    def _agree(self, expected: Mapping[int, NodeMemory], real: Mapping[int, NodeMemory]) -> bool:
        return super()._agree(expected, real) and all(expected[node].tables == real[node].tables for node in real)


class _EvenPageSizes(StateCheck, quirk="restart_with_uneven_page_sizes_crashes"):
    """Crashes where one NUMA node of a group lists a huge page size that another does not.

    A state that differs from the machine's as well may be refused before the kubelet comes to such a group; here it
    always is.
    """

    def takes_over(
        self, empty: Mapping[int, NodeMemory], nodes: Mapping[int, NodeMemory], blocks: MemoryBlocks
    ) -> bool:
        taken = super().takes_over(empty, nodes, blocks)
        for node, memory in nodes.items():
            for name in memory.tables:
                if lacking := [cell for cell in memory.group if name not in nodes[cell].tables]:
                    raise KubeletCrashes(
                        "restart-with-uneven-page-sizes-crashes",
                        f"NUMA node {lacking[0]} does not know {name}, which node {node} of its group lists",
                    )
        return taken

    def _is_unknown(self, lacking: list[int], block: PinnedBlock) -> bool:
        return bool(lacking)


def _same_node(expected: Mapping[int, NodeMemory], real: Mapping[int, NodeMemory], node: int) -> bool:
    """Compare one node; what is free and reserved is compared over its group only (MEM-CKPT-06)."""
    wanted, stored = expected[node], real[node]
    if wanted.assignments != stored.assignments or sorted(wanted.group) != sorted(stored.group):
        return False
    if wanted.tables.keys() != stored.tables.keys() or any(cell not in real for cell in wanted.group):
        return False
    for name, table in wanted.tables.items():
        stored_table = stored.tables[name]
        if (table.total, table.system_reserved, table.allocatable) != (
            stored_table.total,
            stored_table.system_reserved,
            stored_table.allocatable,
        ):
            return False
        if _over_group(expected, wanted.group, name) != _over_group(real, wanted.group, name):
            return False
    return True


def _over_group(nodes: Mapping[int, NodeMemory], cells: tuple[int, ...], name: str) -> tuple[int, int]:
    tables = [nodes[cell].tables[name] for cell in cells if name in nodes[cell].tables]
    return sum(table.free for table in tables) % WRAP, sum(table.reserved for table in tables) % WRAP


def _refused(message: str) -> StartError:
    return StartError("memorymanager-start", f"[memorymanager] {message}")
