"""The narrow waist: choose so many of these CPUs."""

from contextlib import suppress
from functools import lru_cache
from typing import Any

import msgspec

from ...cpuset import CpuSet, bits_of, format_bits
from ...errors import Fault, UsageError, closest
from ...machine.codec import machine_from_dict
from ...machine.model import Machine
from ...sources.changes import Changes
from ...sources.options import STATIC_OPTIONS, StaticOptions
from ...sources.quirks.areas import CpuQuirks
from ...wire.messages.pick import Pick, Picked, PickRefused
from ..managers.cpu import CpuAllocator, CpuTopology, NotEnoughCpus, view_of
from ..managers.cpu.options.align_by_socket import SocketAlignment
from ..managers.cpu.options.full_pcpus_only import FullPcpusOnly


def cpu_topology(machine: dict[str, Any], quirks: CpuQuirks) -> CpuTopology:
    """Return the topology as the kubelet sees it, or as the hardware is where that quirk is off."""
    return _topology(msgspec.json.encode(machine), quirks)


def machine_of(machine: dict[str, Any]) -> Machine:
    """Return the machine; raises ``UsageError`` for one that is none."""
    return _read(msgspec.json.encode(machine))


@lru_cache(maxsize=8)
def _topology(text: bytes, quirks: CpuQuirks) -> CpuTopology:
    return CpuTopology.of(view_of(_read(text), quirks))


@lru_cache(maxsize=8)
def _read(text: bytes) -> Machine:
    """Read a machine once: many questions are asked of one."""
    return machine_from_dict(msgspec.json.decode(text), "machine")


@lru_cache(maxsize=32)
def _allocator(topology: CpuTopology, options: StaticOptions, quirks: CpuQuirks, changes: Changes) -> CpuAllocator:
    """Return the allocator of a policy, which is made once, as on a node."""
    return CpuAllocator.of(quirks, changes)(topology, options)


def pick(request: Pick, quirks: CpuQuirks, changes: Changes) -> Picked | PickRefused:
    """Choose CPUs as the static policy does for one container (CPU-STEP-04..06), without refusing partial cores.

    Raises ``KubeletHangs`` where the kubelet does not come back.
    """
    options = _options(request.options)
    topology = cpu_topology(request.machine, quirks)
    allocator = _allocator(topology, options, quirks, changes)
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
