"""Reading the options of the static policy and checking them, with the kubelet's texts (CPU-OPT)."""

from collections.abc import Mapping

from ....kube.features import FeatureGates
from ....sources.options import STATIC_OPTIONS, StaticOptions
from ....sources.quirks.areas import CpuQuirks
from ..policy_options import OptionError, check_available, check_cpu_gate, parse_bool


def parse_options(options: Mapping[str, str] | None, gates: FeatureGates, quirks: CpuQuirks) -> StaticOptions:
    """Read the policy options; raise ``OptionError`` with the first fault (CPU-OPT-10..12).

    Which of several faults the kubelet names is not determined; here it is the first in the order given.
    """
    check_cpu_gate(options, gates)
    switched = {}
    for name, text in (options or {}).items():
        check_available(name, STATIC_OPTIONS, "CPU Manager", gates)
        switched[name] = parse_bool(name, text)
    _check_pairs([name for name in STATIC_OPTIONS if switched.get(name)], quirks)
    return StaticOptions.from_names(switched)


def _check_pairs(names: list[str], quirks: CpuQuirks) -> None:
    """Refuse options that exclude each other (CPU-OPT-12)."""
    for name in names:
        option = STATIC_OPTIONS[name]
        refused = option.refused_with if quirks.undocumented_incompatible_options else ()
        for other in (*option.excludes, *refused):
            if other in names:
                raise OptionError(f"static policy options {name} and {other} can not be used at the same time")
