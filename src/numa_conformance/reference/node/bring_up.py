"""Building the managers of a node in the kubelet's order, each refusing what it cannot work with."""

from __future__ import annotations

from collections.abc import Sequence

from ...cpuset import format_bits
from ...errors import StartError
from ...kube.reservation import explicit_reserved_cpus
from ..managers.policy_options import check_gates
from ..managers.provider import Provider
from ..managers.setup import MakeProvider, NodeSetup
from ..managers.topology import TopologyPolicy, make_topology_policy


def bring_up(setup: NodeSetup, managers: Sequence[MakeProvider]) -> tuple[TopologyPolicy, tuple[Provider, ...]]:
    """Build the Topology Manager's policy and then the managers, in this order.

    Raises ``StartError`` with the first stage that refuses; the configuration itself is looked at first.
    """
    _check_reserved_cpus(setup)
    check_gates(setup.config, setup.gates)
    machine = setup.machine
    policy = make_topology_policy(setup.config, machine.numa_ids, machine.distances, setup.gates, setup.quirks.topology)
    return policy, tuple(make(setup) for make in managers)


def _check_reserved_cpus(setup: NodeSetup) -> None:
    online = setup.machine.online_bits
    if explicit_reserved_cpus(setup.config) & ~online:
        raise StartError(
            "kubelet",
            f"reserved-cpus: {setup.config.reserved_system_cpus} is not a subset of online-cpus: {format_bits(online)}",
        )
