"""Where the kubelet departs from its documentation outside its managers."""

from .quirk import QuirkFlags, flags_of


@flags_of("node.txt")
class NodeQuirks(QuirkFlags):
    """Where the kubelet departs from its documentation outside its managers. True: as Kubernetes does."""
