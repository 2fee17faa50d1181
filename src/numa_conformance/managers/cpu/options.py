"""The options of the static policy: reading and checking them, with the kubelet's texts (CPU-OPT)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...documentation.quirks.cpu import CpuQuirks
from ...kube.features import FeatureGates

__all__ = ["OPTION_NAMES", "OptionError", "StaticOptions", "check_on_machine", "go_map", "parse_options"]

_FIELDS: Mapping[str, str] = {
    "full-pcpus-only": "full_pcpus_only",
    "distribute-cpus-across-numa": "distribute_across_numa",
    "align-by-socket": "align_by_socket",
    "distribute-cpus-across-cores": "distribute_across_cores",
    "strict-cpu-reservation": "strict_reservation",
    "prefer-align-cpus-by-uncorecache": "prefer_uncore",
}
OPTION_NAMES = tuple(_FIELDS)
"""The options as Kubernetes names them."""
_TRUE = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_FALSE = frozenset({"0", "f", "F", "FALSE", "false", "False"})

_EXCLUSIVE = (
    ("full-pcpus-only", "distribute-cpus-across-cores"),
    ("distribute-cpus-across-numa", "distribute-cpus-across-cores"),
)
_EXCLUSIVE_UNDOCUMENTED = (
    ("prefer-align-cpus-by-uncorecache", "distribute-cpus-across-cores"),
    ("prefer-align-cpus-by-uncorecache", "distribute-cpus-across-numa"),
)


class OptionError(Exception):
    """An option set the policy refuses; the text is the kubelet's."""


@dataclass(frozen=True, slots=True)
class StaticOptions:
    """The options of the static policy."""

    full_pcpus_only: bool = False
    distribute_across_numa: bool = False
    align_by_socket: bool = False
    distribute_across_cores: bool = False
    strict_reservation: bool = False
    prefer_uncore: bool = False

    @classmethod
    def from_names(cls, switched: Mapping[str, bool]) -> StaticOptions:
        """Return the options that are on by their Kubernetes names; what is not named is off."""
        return cls(**{_FIELDS[name]: on for name, on in switched.items()})


def go_map(options: Mapping[str, str]) -> str:
    """Write a map as the kubelet prints it, sorted by key."""
    return "map[" + " ".join(f"{name}:{options[name]}" for name in sorted(options)) + "]"


def parse_options(options: Mapping[str, str] | None, gates: FeatureGates, quirks: CpuQuirks) -> StaticOptions:
    """Read the policy options; raise ``OptionError`` with the first fault (CPU-OPT-10..12).

    Which of several faults the kubelet names is not determined; here it is the first in the order given.
    """
    if options is not None and not gates.enabled("CPUManagerPolicyOptions"):
        raise OptionError(
            f"CPU Manager policy options {go_map(options)} require feature gates "
            '"CPUManager", "CPUManagerPolicyOptions" enabled'
        )
    found = {name: _read(name, text, gates) for name, text in (options or {}).items()}
    undocumented = _EXCLUSIVE_UNDOCUMENTED if quirks.undocumented_incompatible_options else ()
    for first, second in (*_EXCLUSIVE, *undocumented):
        if found.get(first) and found.get(second):
            raise OptionError(f"static policy options {first} and {second} can not be used at the same time")
    return StaticOptions.from_names(found)


def _read(name: str, text: str, gates: FeatureGates) -> bool:
    maturity = gates.maturity(name) if name in _FIELDS else None
    if maturity is None:
        raise OptionError(f'unknown CPU Manager Policy option: "{name}"')
    for level in ("alpha", "beta"):
        word = level.capitalize()
        if maturity == level and not gates.enabled(f"CPUManagerPolicy{word}Options"):
            raise OptionError(f'CPU Manager Policy {word}-level Options not enabled, but option "{name}" provided')
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    raise OptionError(f'bad value for option "{name}": strconv.ParseBool: parsing "{text}": invalid syntax')


def check_on_machine(options: StaticOptions, topology_policy: str, *, sockets: int, nodes: int) -> None:
    """Refuse ``align-by-socket`` where it cannot work (CPU-OPT-13); raises ``OptionError``."""
    if not options.align_by_socket:
        return
    if topology_policy == "single-numa-node":
        raise OptionError(
            "Topolgy manager single-numa-node policy is incompatible with CPUManager align-by-socket policy option"
        )
    if sockets > nodes:
        raise OptionError(
            "Align by socket is not compatible with hardware where number of sockets are more than number of NUMA"
        )
