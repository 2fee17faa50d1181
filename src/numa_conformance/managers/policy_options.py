"""Reading policy options, with the texts that the CPU Manager and the Topology Manager have in common."""

from __future__ import annotations

from collections.abc import Mapping

from ..documentation.options import PolicyOption
from ..kube.features import FeatureGates

__all__ = ["OptionError", "check_available", "go_map", "parse_bool"]

_TRUE = frozenset(("1", "t", "T", "TRUE", "true", "True"))
_FALSE = frozenset(("0", "f", "F", "FALSE", "false", "False"))
"""What Go's ``strconv.ParseBool`` reads."""


class OptionError(Exception):
    """Options that a policy refuses; the text is the kubelet's."""


def go_map(options: Mapping[str, str]) -> str:
    """Write a map as the kubelet prints it, sorted by key."""
    return "map[" + " ".join(f"{name}:{options[name]}" for name in sorted(options)) + "]"


def check_available(name: str, options: Mapping[str, PolicyOption], manager: str, gates: FeatureGates) -> None:
    """Refuse an option that the version does not have, or whose stage is switched off (CPU-OPT-10, TOPO-OPT-01)."""
    maturity = gates.maturity(name) if name in options else None
    if maturity is None:
        raise OptionError(f'unknown {manager} Policy option: "{name}"')
    stage = maturity.capitalize()
    if maturity != "ga" and not gates.enabled(f"{manager.replace(' ', '')}Policy{stage}Options"):
        raise OptionError(f'{manager} Policy {stage}-level Options not enabled, but option "{name}" provided')


def parse_bool(name: str, text: str) -> bool:
    """Read the value of an option; raises ``OptionError``."""
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    raise OptionError(f'bad value for option "{name}": strconv.ParseBool: parsing "{text}": invalid syntax')
