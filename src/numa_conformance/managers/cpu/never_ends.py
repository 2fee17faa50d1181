"""The outcome for which the kubelet has no answer."""

from __future__ import annotations

from ...errors import NumaConformanceError

__all__ = ["NeverEnds"]


class NeverEnds(NumaConformanceError):  # noqa: N818  (what the kubelet does, not a fault of ours)
    """The kubelet would never answer: its distribution over NUMA nodes turns in circles (CPU-DIST-16).

    ``count`` CPUs in groups of ``group`` were asked for. The kubelet holds its CPU Manager lock while it loops.
    """

    def __init__(self, count: int, group: int) -> None:
        """Take the request."""
        self.count = count
        self.group = group
        super().__init__(
            f"the kubelet never answers: distributing {count} CPUs over NUMA nodes in groups of {group} comes to nodes "
            "that have no whole group left and goes round them for ever (CPU-DIST-16, quirk distribution-hang)"
        )
