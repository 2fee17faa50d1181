"""The narrow waist: choose so many of these CPUs."""

from __future__ import annotations

from contextlib import suppress

from ...cpuset import CpuSet, bits_of, format_bits
from ...errors import Fault, UsageError, closest
from ...sources.changes import Changes
from ...sources.options import STATIC_OPTIONS, StaticOptions
from ...sources.quirks.cpu import CpuQuirks
from ...wire.messages.pick import Pick, Picked, PickRefused
from ..managers.cpu import CpuAllocator, CpuTopology, NotEnoughCpus
from ..managers.cpu.options.align_by_socket import SocketAlignment
from ..managers.cpu.options.full_pcpus_only import FullPcpusOnly
from .view import cpu_topology


def pick(request: Pick, quirks: CpuQuirks, changes: Changes) -> Picked | PickRefused:
    """Choose CPUs as the static policy does for one container (CPU-STEP-04..06), without refusing partial cores.

    Raises ``KubeletHangs`` where the kubelet does not come back.
    """
    options = _options(request.options)
    topology = cpu_topology(request.machine, quirks)
    allocator = CpuAllocator.of(quirks, changes)(topology, options)
    try:
        available = CpuSet.parse(request.available).bits
    except UsageError as error:
        raise error.within("available") from error
    whole = FullPcpusOnly.of(quirks, changes)(topology, 0) if options.full_pcpus_only else None
    if whole:
        available = whole.offered_for(available, request.count)
    near = 0
    if request.affinity and request.affinity.nodes is not None:
        near = available & _near(topology, request.affinity.nodes, options)
    if options.align_by_socket and not options.distribute_cpus_across_cores:
        near = SocketAlignment.of(quirks)(topology).of_socket(near, available, request.count)
    if whole and whole.chooses and whole.offered(available) == available:
        with suppress(NotEnoughCpus):
            return Picked(format_bits(whole.choose((whole.offered(near), available), request.count, options)))
    try:
        taken = allocator.allocate(near, min(request.count, near.bit_count()))
        taken |= allocator.allocate(available & ~taken, request.count - taken.bit_count())
    except NotEnoughCpus as error:
        return PickRefused(str(error))
    return Picked(format_bits(taken))


def _near(topology: CpuTopology, nodes: list[int], options: StaticOptions) -> int:
    try:
        mask = bits_of(nodes)
    except ValueError as error:
        raise UsageError(Fault("affinity.nodes", str(error))) from error
    return topology.cpus_in_sockets_of(mask) if options.align_by_socket else topology.cpus_in_nodes(mask)


def _options(switches: dict[str, bool]) -> StaticOptions:
    faults = [
        Fault(f"options.{name}", "unknown option", ", ".join(STATIC_OPTIONS), closest(name, STATIC_OPTIONS))
        for name in switches
        if name not in STATIC_OPTIONS
    ]
    if faults:
        raise UsageError(faults)
    return StaticOptions.from_names(switches)
