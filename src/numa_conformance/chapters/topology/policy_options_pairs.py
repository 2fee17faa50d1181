"""The Topology Manager's options obeyed wrongly by one sentence, and rightly. Sets of NUMA nodes are bits."""

from __future__ import annotations

from ...asking.generators.workloads import guaranteed, kubelet, static
from ...asking.generators.worlds import admitted, held, node, start
from . import policy_options as chapter
from .merging_pairs import merged

NEAR = ((10, 20, 10, 20), (20, 10, 30, 25), (10, 30, 10, 40), (20, 25, 40, 10))
"""Distances of four NUMA nodes."""
PAIR, PAIR_IN_USE = ({0b0011: preferred, 0b0101: preferred} for preferred in (True, False))
THREE = {0b0111: True, 0b1011: True}
"""Neither is surely closer: 10, 20, 30 and 20, 20, 25 apart."""

NINE = guaranteed("p", 9)
CLOSEST = node(
    "t3-two-numa-per-socket",
    static(topology="best-effort", topologyManagerPolicyOptions={"prefer-closest-numa-nodes": "true"}),
)  # NUMA nodes 2 and 3 are of one socket


def restricted(limit: str | None = None, **gates: bool) -> dict[str, object]:
    """Return a configuration with policy restricted, the option for many NUMA nodes, and gates."""
    options = {"topologyManagerPolicyOptions": {"max-allowable-numa-nodes": limit}} if limit else {}
    return kubelet(topologyManagerPolicy="restricted", featureGates=gates, **options)


EIGHT, TWELVE = "t6-eight-numa-no-smt", "twelve-numa-nodes"
NONE = kubelet(topologyManagerPolicy="none")
HIDDEN = restricted("true", TopologyManagerPolicyBetaOptions=False)

PAIRS = {
    chapter.takes_the_closer_set: (
        merged("best-effort", PAIR, to=0b0011, distances=NEAR),
        merged("best-effort", PAIR, to=0b0101, distances=NEAR),
    ),
    chapter.takes_the_closer_unpreferred_set: (
        merged("best-effort", PAIR_IN_USE, to=0b0011, preferred=False, distances=NEAR),
        merged("best-effort", PAIR_IN_USE, to=0b0101, preferred=False, distances=NEAR),
    ),
    chapter.takes_the_smallest_average: (
        merged("best-effort", THREE, to=0b1011, distances=NEAR),
        merged("best-effort", THREE, to=0b0111, distances=NEAR),
    ),
    chapter.places_on_the_closer_set: (
        admitted(CLOSEST, NINE, c=held("4-7,20-23,8")),
        admitted(CLOSEST, NINE, c=held("8-11,24-27,12")),
    ),
    chapter.eight_are_accepted: (start(EIGHT, restricted(), up=False), start(EIGHT, restricted())),
    chapter.default_is_eight: (start(TWELVE, restricted()), start(TWELVE, restricted(), up=False)),
    chapter.none_has_no_limit: (start(TWELVE, NONE, up=False), start(TWELVE, NONE)),
    chapter.is_set_to_true: (start(TWELVE, restricted("true"), up=False), start(TWELVE, restricted("true"))),
    chapter.raises_the_limit: (start(TWELVE, restricted("12"), up=False), start(TWELVE, restricted("12"))),
    chapter.stays_a_limit: (start(TWELVE, restricted("11")), start(TWELVE, restricted("11"), up=False)),
    chapter.options_need_their_gates: (start(TWELVE, HIDDEN), start(TWELVE, HIDDEN, up=False)),
}
