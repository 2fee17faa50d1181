"""Which CPUs are kept back for the system (CPU-RSV)."""

from ....cpuset import format_bits
from ....errors import StartError
from ....kube.kubelet_config import KubeletConfiguration
from ....kube.reservation import explicit_reserved_cpus, reserved_cpu_milli
from ....sources.quirks.areas import CpuQuirks
from ..policy_options import OptionError
from .accumulator import NotEnoughCpus
from .allocator import CpuAllocator
from .topology import CpuTopology, lowest

_STAGE = "cpumanager"


def reserved_count(config: KubeletConfiguration, quirks: CpuQuirks) -> int:
    """Return how many CPUs to reserve (CPU-RSV-02, 04, 06); raise ``StartError`` for none at all (CPU-RSV-05)."""
    total = reserved_cpu_milli(config)
    if total > 0:
        return -(-total // 1000)
    if quirks.zero_reservation_undetermined:
        raise StartError(_STAGE, "[cpumanager] unable to determine reserved CPU resources for static policy")
    raise StartError(
        _STAGE, "[cpumanager] the static policy requires systemreserved.cpu + kubereserved.cpu to be greater than zero"
    )


def reserved_cpus(
    config: KubeletConfiguration, count: int, topology: CpuTopology, allocator: CpuAllocator, quirks: CpuQuirks
) -> int:
    """Return the reserved CPUs (CPU-RSV-07); raise ``OptionError`` when there are not ``count`` of them."""
    reserved = explicit_reserved_cpus(config)
    if not reserved:
        if quirks.reservation_by_allocator:
            try:
                reserved = allocator.allocate(topology.all, count)
            except NotEnoughCpus:
                reserved = 0
        else:
            reserved = _ascending_cores(topology, count)
    if reserved.bit_count() != count:
        raise OptionError(
            "[cpumanager] unable to reserve the required amount of CPUs "
            f"(size of {format_bits(reserved)} did not equal {count})"
        )
    return reserved


def _ascending_cores(topology: CpuTopology, count: int) -> int:
    """Take CPUs in ascending order of core id, as documented (CPU-RSV-09)."""
    reserved = 0
    for cpus in topology.cores.values():
        reserved |= lowest(cpus, min(count - reserved.bit_count(), cpus.bit_count()))
    return reserved
