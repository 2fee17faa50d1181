"""Where the Topology Manager departs from its documentation."""

from __future__ import annotations

from dataclasses import dataclass

from .quirk import QuirkFlags, quirk

__all__ = ["TopologyQuirks"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TopologyQuirks(QuirkFlags):
    """Where the Topology Manager departs from its documentation. True: as Kubernetes does."""

    node_limit_needs_a_number: bool = quirk(
        rule="TOPO-OPT-03",
        summary="max-allowable-numa-nodes needs an integer; the value true is refused",
        documented="the option is enabled with max-allowable-numa-nodes=true, which lifts the limit of eight nodes",
        versions="1.31+",
    )
