"""``align-by-socket``: CPUs count as aligned at the socket in place of the NUMA node."""

from __future__ import annotations

from ...policy_options import OptionError
from ..topology import CpuTopology

__all__ = ["check"]


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
