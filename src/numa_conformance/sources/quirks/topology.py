"""Where the Topology Manager departs from its documentation."""

from dataclasses import dataclass
from typing import ClassVar

from .quirk import QuirkFlags

_RECORDS = """\
node-limit-needs-a-number; 1.31+; TOPO-OPT-03
  max-allowable-numa-nodes needs an integer; the value true is refused
  documented: the option is enabled with max-allowable-numa-nodes=true, which lifts the limit of eight nodes
distances-by-node-id; 1.26+; TOPO-DIST-04
  prefer-closest-numa-nodes takes a NUMA node's id for its column in the table of distances: where ids have gaps it
    reads another node's distance, or crashes
  documented: sets of NUMA nodes with shorter distance between them are preferred, whatever their ids
node-past-63-crashes; 1.18+; TOPO-HINT-02
  a set of NUMA nodes is a word of 64 bits: with a NUMA node id past 63 the first pod crashes the kubelet, unless the
    policy is none
  documented: NUMA node ids have no limit
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TopologyQuirks(QuirkFlags):
    """Where the Topology Manager departs from its documentation. True: as Kubernetes does."""

    records: ClassVar[str] = _RECORDS
    node_limit_needs_a_number: bool = False
    distances_by_node_id: bool = False
    node_past_63_crashes: bool = False
