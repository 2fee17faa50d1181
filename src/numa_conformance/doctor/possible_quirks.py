"""Which quirks can show on a node: most need an option, a policy, or a machine of some shape."""

from __future__ import annotations

from ..machine import Machine
from .look import Sight

_OPTIONS = {
    "align-by-socket": ("align-by-socket-only-adds-hints", "align-by-socket-leaves-hinted-nodes"),
    "distribute-cpus-across-cores": ("spread-by-cpu-id",),
    "distribute-cpus-across-numa": (
        "distribution-of-single-node-requests",
        "distribution-aliasing",
        "distribution-hang",
    ),
    "full-pcpus-only": (
        "full-pcpus-only-takes-partial-cores",
        "smt-check-by-machine-average",
        "smt-check-ignores-reusable",
        "smt-check-before-own-cpus",
    ),
    "prefer-align-cpus-by-uncorecache": ("uncore-after-larger-groups", "uncore-half-used-core-unaligned"),
    "strict-cpu-reservation": ("strict-pool-may-empty",),
}
"""Options of the static policy to the quirks that show with them alone."""
_MEMORY = (
    "groups-may-cross",
    "no-memory-anywhere-is-no-opinion",
    "init-only-types-are-dropped",
    "memory-reservation-wraps",
)
_UNEVEN = ("full-by-machine-average", "smt-check-by-machine-average")
_SEVERAL_NODES = ("cores-gathered-across-nodes", "distribution-of-single-node-requests", "groups-may-cross")


def can_show(quirk: str, sight: Sight) -> bool:
    """Tell whether a quirk can be the cause of anything on this node; True where nothing is known against it."""
    config, machine = sight.configured.kubelet, sight.machine
    options = config.cpu_manager_policy_options or {}
    lacks_option = any(quirk in ids and options.get(name) in (None, "false") for name, ids in _OPTIONS.items())
    return not (
        lacks_option
        or (quirk in _MEMORY and config.memory_manager_policy != "Static")
        or (quirk in _UNEVEN and not _is_uneven(machine))
        or (quirk in _SEVERAL_NODES and sum(map(bool, machine.numa_bits.values())) < 2)
        or (quirk == "distribution-aliasing" and len(machine.numa_ids) < 5)
        or (quirk == "overlapping-groups-taken-twice" and not _crosses(machine))
        or (quirk == "reservation-by-allocator" and config.reserved_system_cpus)
        or (quirk == "devices-without-topology-never-count" and not sight.state.devices)
    )


def _is_uneven(machine: Machine) -> bool:
    """Tell whether cores, or sockets, have different numbers of CPUs."""
    groups = (machine.core_bits, machine.socket_bits.values(), machine.numa_bits.values())
    return any(len({cpus.bit_count() for cpus in each if cpus}) > 1 for each in groups)


def _crosses(machine: Machine) -> bool:
    """Tell whether a socket or a cache shares some of its CPUs, and not all, with a NUMA node that has others too."""
    groups = (*machine.socket_bits.values(), *machine.uncore_bits.values())
    nodes = [cpus for cpus in machine.numa_bits.values() if cpus]
    return any(each & node not in (0, each, node) for each in groups for node in nodes)
