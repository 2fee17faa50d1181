"""Where the Topology Manager departs from its documentation."""

from .quirk import QuirkFlags, flags_of


@flags_of("topology.txt")
class TopologyQuirks(QuirkFlags):
    """Where the Topology Manager departs from its documentation. True: as Kubernetes does."""
