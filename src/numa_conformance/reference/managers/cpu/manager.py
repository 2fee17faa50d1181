"""How a node's CPU Manager is made: options with the kubelet's texts (CPU-OPT), and the CPUs kept back (CPU-RSV)."""

from collections.abc import Mapping

from ....cpuset import format_bits
from ....errors import StartError
from ....kube.features import FeatureGates
from ....kube.kubelet_config import KubeletConfiguration
from ....kube.reservation import explicit_reserved_cpus, reserved_cpu_milli
from ....sources.options import STATIC_OPTIONS, StaticOptions
from ....sources.quirks.areas import CpuQuirks
from ..policy_options import OptionError, check_available, check_cpu_gate, go_map, parse_bool
from ..provider import NodeSetup
from ..state_file import FileStyle
from .accumulator import NotEnoughCpus
from .allocator import CpuAllocator
from .options import align_by_socket
from .provider import CpuManager, NonePolicy
from .static_policy import StaticPolicy
from .topology import CpuTopology, lowest, view_of

_STAGE = "cpumanager"


def reserved_count(config: KubeletConfiguration, quirks: CpuQuirks) -> int:
    """Return how many CPUs to reserve (CPU-RSV-02, 04, 06); raise ``StartError`` for none at all (CPU-RSV-05)."""
    if (total := reserved_cpu_milli(config)) > 0:
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


def provide(setup: NodeSetup) -> CpuManager:
    """Build the CPU Manager of a node."""
    view = setup.view or view_of(setup.machine, setup.quirks.cpu)
    return make_cpu_manager(CpuTopology.of(view), setup.config, setup.gates, setup.quirks.cpu)


def make_cpu_manager(
    topology: CpuTopology, config: KubeletConfiguration, gates: FeatureGates, quirks: CpuQuirks
) -> CpuManager:
    """Build the CPU Manager of a configuration; raises ``StartError`` with the kubelet's text (CPU-RSV-10)."""
    if not topology.num_cpus:
        raise StartError(_STAGE, "could not detect number of cpus")
    manager: CpuManager
    match config.cpu_manager_policy:
        case "none":
            if options := config.cpu_manager_policy_options:
                what = f"None policy: received unsupported options={go_map(options)}"
                raise StartError(_STAGE, f"new none policy error: {what}")
            manager = NonePolicy()
        case "static":
            manager = _static(topology, config, gates, quirks)
        case other:
            raise StartError(_STAGE, f'unknown policy: "{other}"')
    manager.file_style = FileStyle.of(gates)
    return manager


def _static(
    topology: CpuTopology, config: KubeletConfiguration, gates: FeatureGates, quirks: CpuQuirks
) -> StaticPolicy:
    count, changes = reserved_count(config, quirks), gates.changes
    try:
        options = parse_options(config.cpu_manager_policy_options, gates, quirks)
        if options.align_by_socket:
            align_by_socket.check(config.topology_manager_policy, topology)
        allocator = CpuAllocator.of(quirks, changes)(topology, options)
        reserved = reserved_cpus(config, count, topology, allocator, quirks)
    except OptionError as fault:
        raise StartError(_STAGE, f"new static policy error: {fault}") from None
    return StaticPolicy.of(quirks, changes)(allocator, options, reserved)


def parse_options(options: Mapping[str, str] | None, gates: FeatureGates, quirks: CpuQuirks) -> StaticOptions:
    """Read the policy options; raise ``OptionError`` with the first fault (CPU-OPT-10..12).

    Which of several faults the kubelet names is not determined; here it is the first in the order given.
    """
    check_cpu_gate(options, gates)
    switched = {}
    for name, text in (options or {}).items():
        check_available(name, STATIC_OPTIONS, "CPU Manager", gates)
        switched[name] = parse_bool(name, text)
    for name, option in STATIC_OPTIONS.items():
        refused = option.refused_with if quirks.undocumented_incompatible_options else ()
        for other in (*option.excludes, *refused) if switched.get(name) else ():
            if switched.get(other):
                raise OptionError(f"static policy options {name} and {other} can not be used at the same time")
    return StaticOptions.from_names(switched)
