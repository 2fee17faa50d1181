"""``align-by-socket``: CPUs count as aligned at the socket in place of the NUMA node.

https://v1-32.docs.kubernetes.io/docs/concepts/policy/node-resource-managers/#align-by-socket
"""

from __future__ import annotations

from .....sources.quirks.cpu import CpuQuirks
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


def preference(topology: CpuTopology, smallest: int, quirks: CpuQuirks) -> tuple[tuple[Hint, ...], ...]:
    """Return all hints by size, preferred where they touch no more sockets than needed (CPU-HINT-10).

    ``smallest`` is the number of NUMA nodes that the request needs. With the quirk ``align-by-socket-only-adds-hints``
    the sets of so many nodes are preferred as well.
    """
    nodes_per_socket = topology.num_nodes // topology.num_sockets if topology.num_sockets else 0
    if not nodes_per_socket:
        return topology.subsets.by_size(smallest)
    also_preferred = smallest if quirks.align_by_socket_only_adds_hints else 0
    return topology.subsets.by_socket(also_preferred, -(-smallest // nodes_per_socket))


def near(available: int, mask: int, topology: CpuTopology, quirks: CpuQuirks) -> list[int]:
    """Return the pools to take from first: the hinted NUMA nodes, then the whole of their sockets (CPU-STEP-05).

    With the quirk ``align-by-socket-leaves-hinted-nodes`` only the latter.
    """
    sockets = available & topology.cpus_in_sockets_of(mask)
    if quirks.align_by_socket_leaves_hinted_nodes:
        return [sockets]
    return [available & topology.cpus_in_nodes(mask), sockets]


def socket_that_holds(available: int, count: int, topology: CpuTopology) -> int:
    """Return the available CPUs of the fullest socket that still has ``count``; none where no socket has so many."""
    sockets = [available & cpus for cpus in topology.sockets.masks]
    return min((cpus for cpus in sockets if cpus.bit_count() >= count), key=int.bit_count, default=0)
