"""Where the Topology Manager departs from its documentation."""

from __future__ import annotations

from ...quirk import Quirk

__all__ = ["QUIRKS"]

QUIRKS: tuple[Quirk, ...] = (
    Quirk(
        id="node-limit-needs-a-number",
        area="topology",
        rule="TOPO-OPT-03",
        summary="max-allowable-numa-nodes needs an integer; the value true is refused",
        documented="the option is enabled with max-allowable-numa-nodes=true, which lifts the limit of eight nodes",
        versions="1.31+",
    ),
)
