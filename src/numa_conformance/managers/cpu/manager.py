"""``CpuManager``: what every CPU policy answers, and how a node's is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from ...documentation.quirks.cpu import CpuQuirks
from ...errors import StartError
from ...kube.container import Container
from ...kube.features import FeatureGates
from ...kube.kubelet_config import KubeletConfiguration
from ...kube.pod import Pod
from ..hint import Hint
from .allocator import CpuAllocator
from .none_policy import NonePolicy
from .options import OptionError, check_on_machine, go_map, parse_options
from .reservation import reserved_count, reserved_cpus
from .state import CpuState
from .static_policy import StaticPolicy
from .topology import CpuTopology

__all__ = ["CpuManager", "make_cpu_manager"]

_STAGE = "cpumanager"


class CpuManager(Protocol):
    """The CPU Manager of one node. Sets of CPUs are bits of an int; ``reserved`` is 0 under policy ``none``."""

    state: CpuState
    reusable: dict[str, int]

    @property
    def policy(self) -> str:
        """``none`` or ``static``."""
        ...

    @property
    def reserved(self) -> int:
        """The CPUs kept back for the system."""
        ...

    def hints(self, pod: Pod, container: Container) -> Mapping[str, list[Hint] | None] | None:
        """List the NUMA sets that can serve one container; None means no opinion, an empty list impossible."""
        ...

    def pod_hints(self, pod: Pod) -> Mapping[str, list[Hint] | None] | None:
        """List the NUMA sets that can serve a whole pod."""
        ...

    def allocate(self, pod: Pod, container: Container, affinity: Hint = ..., trace: list[str] | None = None) -> None:
        """Give a container its CPUs; raises ``Refusal``, or ``NeverEnds`` where the kubelet would not answer.

        ``affinity`` is the hint stored for the container. ``trace``, if given, receives the order in which groups of
        CPUs were taken.
        """
        ...

    def release(self, uid: str, container: str) -> None:
        """Give a container's CPUs back."""
        ...

    def remove_stale(self, active: Callable[[str, str], bool]) -> None:
        """Release all that belongs to no active (pod uid, container)."""
        ...

    def restore(self, state: CpuState) -> None:
        """Go on from a stored state; raises ``StartError`` when it does not fit."""
        ...

    def cpus_of(self, uid: str, container: str) -> int:
        """Return a container's exclusive CPUs, or the shared pool."""
        ...


def make_cpu_manager(
    topology: CpuTopology, config: KubeletConfiguration, gates: FeatureGates, quirks: CpuQuirks
) -> CpuManager:
    """Build the CPU Manager of a configuration; raises ``StartError`` with the kubelet's text (CPU-RSV-10)."""
    if not topology.num_cpus:
        raise StartError(_STAGE, "could not detect number of cpus")
    match config.cpu_manager_policy:
        case "none":
            return _none(config)
        case "static":
            return _static(topology, config, gates, quirks)
        case other:
            raise StartError(_STAGE, f'unknown policy: "{other}"')


def _none(config: KubeletConfiguration) -> NonePolicy:
    options = config.cpu_manager_policy_options
    if options:
        raise StartError(_STAGE, f"new none policy error: None policy: received unsupported options={go_map(options)}")
    return NonePolicy()


def _static(
    topology: CpuTopology, config: KubeletConfiguration, gates: FeatureGates, quirks: CpuQuirks
) -> StaticPolicy:
    count = reserved_count(config, quirks)
    try:
        options = parse_options(config.cpu_manager_policy_options, gates, quirks)
        check_on_machine(
            options, config.topology_manager_policy, sockets=topology.num_sockets, nodes=topology.num_nodes
        )
        allocator = CpuAllocator(topology, options, quirks)
        reserved = reserved_cpus(config, count, topology, allocator, quirks)
    except OptionError as fault:
        raise StartError(_STAGE, f"new static policy error: {fault}") from None
    return StaticPolicy(allocator, options, reserved, quirks)
