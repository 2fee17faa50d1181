"""Where the Topology Manager departs from its documentation."""

from __future__ import annotations

from dataclasses import dataclass

from .quirk import QuirkFlags, quirk


@dataclass(frozen=True, slots=True, kw_only=True)
class TopologyQuirks(QuirkFlags):
    """Where the Topology Manager departs from its documentation. True: as Kubernetes does."""

    node_limit_needs_a_number: bool = quirk(
        rule="TOPO-OPT-03",
        summary="max-allowable-numa-nodes needs an integer; the value true is refused",
        documented="the option is enabled with max-allowable-numa-nodes=true, which lifts the limit of eight nodes",
        versions="1.31+",
    )

    distances_by_node_id: bool = quirk(
        rule="TOPO-DIST-04",
        summary="prefer-closest-numa-nodes takes a NUMA node's id for its column in the table of distances: where ids "
        "have gaps it reads another node's distance, or crashes",
        documented="sets of NUMA nodes with shorter distance between them are preferred, whatever their ids",
        versions="1.26+",
    )

    node_past_63_crashes: bool = quirk(
        rule="TOPO-HINT-02",
        summary="a set of NUMA nodes is a word of 64 bits: with a NUMA node id past 63 the first pod crashes the "
        "kubelet, unless the policy is none",
        documented="NUMA node ids have no limit",
        versions="1.18+",
    )
