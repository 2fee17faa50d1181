"""``align-by-socket``: CPUs count as aligned at the socket in place of the NUMA node.

https://v1-32.docs.kubernetes.io/docs/concepts/policy/node-resource-managers/#align-by-socket
"""

from ...departures import Documented
from ...hint import Hint
from ...policy_options import OptionError
from ..topology import CpuTopology


def check(topology_policy: str, topology: CpuTopology) -> None:
    """Refuse the option where it cannot work (CPU-OPT-13); raises ``OptionError``."""
    if topology_policy == "single-numa-node":
        raise OptionError(
            "Topolgy manager single-numa-node policy is incompatible with CPUManager align-by-socket policy option"
        )
    if topology.num_sockets > topology.num_nodes:
        raise OptionError(
            "Align by socket is not compatible with hardware where number of sockets are more than number of NUMA"
        )


class SocketAlignment(Documented):
    """What counts as aligned on a machine."""

    def __init__(self, topology: CpuTopology) -> None:
        self._topology = topology

    def preference(self, topology: CpuTopology, smallest: int) -> tuple[tuple[Hint, ...], ...]:
        """Return all hints by size, preferred where they touch no more sockets than needed (CPU-HINT-10).

        ``smallest`` is the number of NUMA nodes that the request needs.
        """
        nodes_per_socket = topology.num_nodes // topology.num_sockets if topology.num_sockets else 0
        if not nodes_per_socket:
            return topology.subsets.by_size(smallest)
        return topology.subsets.by_socket(self._also_preferred(smallest), -(-smallest // nodes_per_socket))

    def near(self, available: int, mask: int) -> list[int]:
        """Return the pools to take from first: the hinted NUMA nodes, then the whole of their sockets (CPU-STEP-05)."""
        return [available & self._topology.cpus_in_nodes(mask), available & self._topology.cpus_in_sockets_of(mask)]

    def of_socket(self, near: int, available: int, count: int) -> int:
        """Return what to take from first where one hint counts: of what is near the fullest socket that has so many."""
        sockets = [(near or available) & cpus for cpus in self._topology.sockets.masks]
        return min((cpus for cpus in sockets if cpus.bit_count() >= count), key=int.bit_count, default=near)

    def _also_preferred(self, smallest: int) -> int:
        """Return of how many NUMA nodes sets are preferred as well, whatever their sockets: of none."""
        return 0


class _AddsHints(SocketAlignment, quirk="align_by_socket_only_adds_hints"):
    """Prefers sets of as few NUMA nodes as will do as well."""

    def of_socket(self, near: int, available: int, count: int) -> int:
        return near

    def _also_preferred(self, smallest: int) -> int:
        return smallest


class _LeavesHintedNodes(SocketAlignment, quirk="align_by_socket_leaves_hinted_nodes"):
    """Takes from the whole sockets of the hinted NUMA nodes at once."""

    def near(self, available: int, mask: int) -> list[int]:
        return super().near(available, mask)[1:]
