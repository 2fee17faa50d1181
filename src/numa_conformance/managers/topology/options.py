"""Options of the Topology Manager's policies (TOPO-OPT-01..10)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ...documentation.defaults import MAX_ALLOWABLE_NUMA_NODES
from ...documentation.quirks.topology import TopologyQuirks
from ...documentation.versions import DEFAULT
from ...errors import StartError
from ...kube.features import FeatureGates, Maturity

__all__ = ["STAGE", "TopologyOptions", "parse_options"]

STAGE = "topologymanager"
"""The stage of the start that refuses."""

CLOSEST = "prefer-closest-numa-nodes"
MOST_NODES = "max-allowable-numa-nodes"
_GROUPS: Mapping[Maturity, tuple[str, str]] = {
    "alpha": ("TopologyManagerPolicyAlphaOptions", "Alpha"),
    "beta": ("TopologyManagerPolicyBetaOptions", "Beta"),
}
_TRUE = frozenset(("1", "t", "T", "TRUE", "true", "True"))
_FALSE = frozenset(("0", "f", "F", "FALSE", "false", "False"))
_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class TopologyOptions:
    """The options in effect."""

    prefer_closest: bool = False
    max_nodes: int = MAX_ALLOWABLE_NUMA_NODES.at(DEFAULT)


def parse_options(
    options: Mapping[str, str] | None, gates: FeatureGates, quirks: TopologyQuirks, *, nodes: int
) -> TopologyOptions:
    """Read the options; raises ``StartError`` with the kubelet's text.

    Without the quirk ``node-limit-needs-a-number``, ``max-allowable-numa-nodes=true`` is accepted as the page writes it
    and allows ``nodes`` NUMA nodes (TOPO-OPT-03).
    """
    least = MAX_ALLOWABLE_NUMA_NODES.at(gates.version)
    if not options:
        return TopologyOptions(max_nodes=least)
    if not gates.enabled("TopologyManagerPolicyOptions"):
        shown = " ".join(f"{name}:{value}" for name, value in sorted(options.items()))
        raise StartError(
            STAGE,
            f"topology manager policy options map[{shown}] require feature gates "
            '"TopologyManagerPolicyOptions" enabled',
        )
    closest, most = False, least
    for name, value in sorted(options.items()):
        _check_name(name, gates)
        if name == CLOSEST:
            closest = _boolean(name, value)
        elif not quirks.node_limit_needs_a_number and value in _TRUE - {"1"}:
            most = max(nodes, least)
        else:
            most = _node_limit(name, value, least)
    return TopologyOptions(closest, most)


def _check_name(name: str, gates: FeatureGates) -> None:
    maturity = gates.maturity(name) if name in (CLOSEST, MOST_NODES) else None
    if maturity is None:
        raise StartError(STAGE, f'unknown Topology Manager Policy option: "{name}"')
    gate, level = _GROUPS.get(maturity, ("", ""))
    if gate and not gates.enabled(gate):
        raise StartError(
            STAGE, f'Topology Manager Policy {level}-level Options not enabled, but option "{name}" provided'
        )


def _boolean(name: str, value: str) -> bool:
    if value in _TRUE:
        return True
    if value in _FALSE:
        return False
    raise StartError(STAGE, f'bad value for option "{name}": strconv.ParseBool: parsing "{value}": invalid syntax')


def _node_limit(name: str, value: str, least: int) -> int:
    if not _INTEGER.fullmatch(value):
        raise StartError(
            STAGE,
            f'unable to convert policy option to integer "{name}": strconv.Atoi: parsing "{value}": invalid syntax',
        )
    limit = int(value)
    if limit < least:
        raise StartError(STAGE, f'the minimum value of "{name}" should not be less than {least}')
    return limit
