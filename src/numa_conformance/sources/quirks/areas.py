"""Where Kubernetes departs from its documentation: the flags of each area."""

from .quirk import QuirkFlags, flags_of


@flags_of("cpu.txt")
class CpuQuirks(QuirkFlags):
    """Where the kubelet's CPU Manager departs from its documentation. True: as Kubernetes does."""


@flags_of("memory.txt")
class MemoryQuirks(QuirkFlags):
    """Where the Memory Manager departs from its documentation. True: as Kubernetes does."""


@flags_of("device.txt")
class DeviceQuirks(QuirkFlags):
    """Where the Device Manager departs from its documentation. True: as Kubernetes does."""


@flags_of("topology.txt")
class TopologyQuirks(QuirkFlags):
    """Where the Topology Manager departs from its documentation. True: as Kubernetes does."""


@flags_of("node.txt")
class NodeQuirks(QuirkFlags):
    """Where the kubelet departs from its documentation outside its managers. True: as Kubernetes does."""


@flags_of("scheduler.txt")
class SchedulerQuirks(QuirkFlags):
    """Where NodeResourcesFit departs from its documentation. True: as Kubernetes does."""
