"""Reading policy options, with the texts that the CPU Manager and the Topology Manager have in common."""

from collections.abc import Mapping

from ...errors import StartError
from ...kube.features import FeatureGates
from ...kube.kubelet_config import KubeletConfiguration
from ...sources.options import PolicyOption

_TRUE = frozenset(("1", "t", "T", "TRUE", "true", "True"))
_FALSE = frozenset(("0", "f", "F", "FALSE", "false", "False"))
"""What Go's ``strconv.ParseBool`` reads."""


class OptionError(Exception):
    """Options that a policy refuses; the text is the kubelet's."""


def go_map(options: Mapping[str, str]) -> str:
    """Write a map as the kubelet prints it, sorted by key."""
    return "map[" + " ".join(f"{name}:{options[name]}" for name in sorted(options)) + "]"


def check_gates(config: KubeletConfiguration, gates: FeatureGates) -> None:
    """Refuse options where the gate of all options is off, whatever the policy is; raises ``StartError``.

    The kubelet looks at this before it makes a manager.
    """
    for check, options in (
        (check_cpu_gate, config.cpu_manager_policy_options),
        (check_topology_gate, config.topology_manager_policy_options),
    ):
        try:
            check(options, gates)
        except OptionError as fault:
            raise StartError("kubelet", str(fault)) from None


def check_cpu_gate(options: Mapping[str, str] | None, gates: FeatureGates) -> None:
    """Refuse options of the static policy where their gate is off; raises ``OptionError``."""
    if options is not None and not gates.enabled("CPUManagerPolicyOptions"):
        raise OptionError(
            f"CPU Manager policy options {go_map(options)} require feature gates "
            '"CPUManager", "CPUManagerPolicyOptions" enabled'
        )


def check_topology_gate(options: Mapping[str, str] | None, gates: FeatureGates) -> None:
    """Refuse options of the Topology Manager where their gate is off; raises ``OptionError``."""
    if options is not None and not gates.enabled("TopologyManagerPolicyOptions"):
        raise OptionError(
            f"topology manager policy options {go_map(options)} require feature gates "
            '"TopologyManagerPolicyOptions" enabled'
        )


def check_available(name: str, options: Mapping[str, PolicyOption], manager: str, gates: FeatureGates) -> None:
    """Refuse an option that the version does not have, or whose stage is switched off (CPU-OPT-10, TOPO-OPT-01)."""
    maturity = gates.maturity(name) if name in options else None
    if maturity is None:
        raise OptionError(f'unknown {manager} Policy option: "{name}"')
    stage = maturity.capitalize()
    if maturity != "ga" and not gates.enabled(f"{manager.replace(' ', '')}Policy{stage}Options"):
        text = f"{manager} Policy {stage}-level Options not enabled"
        if manager == "Topology Manager" and gates.changes.texts_of_topology_options_in_lower_case:
            text = text.lower()
        raise OptionError(f'{text}, but option "{name}" provided')


def is_on(config: KubeletConfiguration, option: str) -> bool:
    """Tell whether a configuration switches an option of the CPU Manager on."""
    return (config.cpu_manager_policy_options or {}).get(option) in _TRUE


def parse_bool(name: str, text: str) -> bool:
    """Read the value of an option; raises ``OptionError``."""
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    raise OptionError(f'bad value for option "{name}": strconv.ParseBool: parsing "{text}": invalid syntax')
