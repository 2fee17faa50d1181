"""Reading the options of the Topology Manager's policies, with the kubelet's texts (TOPO-OPT-01..10)."""

import re
from collections.abc import Mapping

from ....errors import StartError
from ....kube.features import FeatureGates
from ....sources.defaults import MAX_ALLOWABLE_NUMA_NODES
from ....sources.options import TOPOLOGY_OPTIONS, TopologyOptions
from ....sources.quirks.areas import TopologyQuirks
from ..policy_options import OptionError, check_available, check_topology_gate, parse_bool

STAGE = "topologymanager"
"""The stage of the start that refuses."""

_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)


def parse_options(
    options: Mapping[str, str] | None, gates: FeatureGates, quirks: TopologyQuirks, *, nodes: int
) -> TopologyOptions:
    """Read the options; raises ``StartError`` with the kubelet's text.

    Without the quirk ``node-limit-needs-a-number``, ``max-allowable-numa-nodes=true`` is accepted as the page writes it
    and allows ``nodes`` NUMA nodes (TOPO-OPT-03).
    """
    least = MAX_ALLOWABLE_NUMA_NODES.at(gates.version)
    if not options:
        return TopologyOptions(max_allowable_numa_nodes=least)
    try:
        return _parse(options, gates, quirks, nodes, least)
    except OptionError as fault:
        raise StartError(STAGE, str(fault)) from None


def _parse(
    options: Mapping[str, str], gates: FeatureGates, quirks: TopologyQuirks, nodes: int, least: int
) -> TopologyOptions:
    check_topology_gate(options, gates)
    closest, most = False, least
    for name, text in sorted(options.items()):
        check_available(name, TOPOLOGY_OPTIONS, "Topology Manager", gates)
        if name == "prefer-closest-numa-nodes":
            closest = parse_bool(name, text)
        elif not quirks.node_limit_needs_a_number and _lifts_the_limit(name, text):
            most = max(nodes, least)
        else:
            most = _node_limit(name, text, least)
    return TopologyOptions(prefer_closest_numa_nodes=closest, max_allowable_numa_nodes=most)


def _lifts_the_limit(name: str, text: str) -> bool:
    """Tell whether the text says true; ``1`` is a limit."""
    try:
        return text != "1" and parse_bool(name, text)
    except OptionError:
        return False


def _node_limit(name: str, text: str, least: int) -> int:
    if not _INTEGER.fullmatch(text):
        raise OptionError(
            f'unable to convert policy option to integer "{name}": strconv.Atoi: parsing "{text}": invalid syntax'
        )
    limit = int(text)
    if limit < least:
        raise OptionError(f'the minimum value of "{name}" should not be less than {least}')
    return limit
