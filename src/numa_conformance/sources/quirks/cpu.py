"""Where the kubelet's CPU Manager departs from its documentation."""

from .quirk import QuirkFlags, flags_of


@flags_of("cpu.txt")
class CpuQuirks(QuirkFlags):
    """Where the kubelet's CPU Manager departs from its documentation. True: as Kubernetes does."""
