"""Where the Memory Manager departs from its documentation."""

from .quirk import QuirkFlags, flags_of


@flags_of("memory.txt")
class MemoryQuirks(QuirkFlags):
    """Where the Memory Manager departs from its documentation. True: as Kubernetes does."""
