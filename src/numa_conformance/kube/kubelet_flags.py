"""The kubelet's command line, as far as it concerns the resource managers: flags override the configuration file."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from ..errors import Fault, UsageError, closest
from ..sources.quirks.node import NodeQuirks
from .kubelet_config import KubeletConfiguration

_BOOLEANS = {
    **dict.fromkeys(("1", "t", "T", "TRUE", "true", "True"), True),
    **dict.fromkeys(("0", "f", "F", "FALSE", "false", "False"), False),
}


@dataclass(frozen=True, slots=True)
class _Flag:
    """What a flag sets: a field of the configuration, and how its text is read.

    ``read`` raises ``ValueError`` with the part that is wrong. ``written`` shows how a value is written; an empty one
    is a text as it stands.
    """

    field: str
    read: Callable[[str], Any]
    written: str = ""


def _pairs(text: str, sign: str = "=") -> dict[str, str]:
    pairs: dict[str, str] = {}
    for item in text.split(","):
        pairs |= _pair(item, sign)
    return pairs


def _pair(item: str, sign: str = "=") -> dict[str, str]:
    name, separator, value = item.partition(sign)
    if not separator or not name.strip():
        raise ValueError(item)
    return {name.strip(): value.strip()}


def _thresholds(text: str) -> dict[str, str]:
    return _pairs(text, "<")


def _gates(text: str) -> dict[str, bool]:
    pairs = _pairs(text)
    for name, value in pairs.items():
        if value not in _BOOLEANS:
            raise ValueError(f"{name}={value}")
    return {name: _BOOLEANS[value] for name, value in pairs.items()}


def _memory(text: str) -> list[dict[str, Any]]:
    entries = []
    for item in text.split(";"):
        node, separator, limits = item.partition(":")
        if not separator or not (node.isascii() and node.isdecimal()):
            raise ValueError(item)
        entries.append({"numaNode": int(node), "limits": _pairs(limits)})
    return entries


_PAIR_FLAGS = frozenset({"cpu-manager-policy-options", "topology-manager-policy-options"})
_AMOUNTS = "name=amount,..."
_OPTIONS = "name=value,..."

FLAGS: Mapping[str, _Flag] = MappingProxyType(
    {
        "cpu-manager-policy": _Flag("cpuManagerPolicy", str),
        "cpu-manager-policy-options": _Flag("cpuManagerPolicyOptions", _pairs, _OPTIONS),
        "cpu-manager-reconcile-period": _Flag("cpuManagerReconcilePeriod", str),
        "eviction-hard": _Flag("evictionHard", _thresholds, "signal<amount,..."),
        "feature-gates": _Flag("featureGates", _gates, "name=true|false,..."),
        "kube-reserved": _Flag("kubeReserved", _pairs, _AMOUNTS),
        "memory-manager-policy": _Flag("memoryManagerPolicy", str),
        "node-status-update-frequency": _Flag("nodeStatusUpdateFrequency", str),
        "reserved-cpus": _Flag("reservedSystemCPUs", str),
        "reserved-memory": _Flag("reservedMemory", _memory, "node:type=amount,...[;node:...]"),
        "system-reserved": _Flag("systemReserved", _pairs, _AMOUNTS),
        "topology-manager-policy": _Flag("topologyManagerPolicy", str),
        "topology-manager-policy-options": _Flag("topologyManagerPolicyOptions", _pairs, _OPTIONS),
        "topology-manager-scope": _Flag("topologyManagerScope", str),
    }
)
"""Every flag that the pages of the resource managers name, without its dashes."""


def with_flags(config: KubeletConfiguration, text: str, quirks: NodeQuirks) -> KubeletConfiguration:
    """Return a configuration with what a command line says: ``--cpu-manager-policy=static --reserved-cpus 0``.

    A flag replaces the whole field, repeated flags of lists and maps add up, and feature gates are set one by one, all
    as in the kubelet. With ``options-flag-takes-one-pair`` options are not split at commas (CPU-OPT-01). Raises
    ``UsageError`` with every fault.
    """
    fields = fields_of_flags(text, quirks, "--flags")
    written = config.to_dict()
    if "featureGates" in fields:
        fields["featureGates"] = {**(written.get("featureGates") or {}), **fields["featureGates"]}
    if not fields:
        return config
    return replace(KubeletConfiguration.from_dict({**written, **fields}, "--flags"), passed_over=config.passed_over)


def fields_of_flags(text: str, quirks: NodeQuirks, place: str) -> dict[str, Any]:
    """Return the fields of a configuration that a command line sets; raises ``UsageError`` with every fault."""
    faults: list[Fault] = []
    fields: dict[str, Any] = {}
    for name, value in _parts(text, faults, place):
        flag = FLAGS[name]
        try:
            whole = name in _PAIR_FLAGS and quirks.options_flag_takes_one_pair
            read = _pair(value) if whole else flag.read(value)
        except ValueError as error:
            faults.append(Fault(f"{place}: --{name}", f"{str(error)!r} is no such value", flag.written))
            continue
        fields[flag.field] = _joined(fields.get(flag.field), read)
    if faults:
        raise UsageError(faults)
    return fields


def _parts(text: str, faults: list[Fault], place: str) -> Iterator[tuple[str, str]]:
    """Yield known flags with their values; what is none becomes a fault."""
    try:
        words = iter(shlex.split(text))
    except ValueError as error:
        raise UsageError(Fault(place, f"cannot be split into words: {error}", "quotes that are closed")) from None
    for word in words:
        name, separator, value = word.removeprefix("-").removeprefix("-").partition("=")
        if not word.startswith("-"):
            faults.append(Fault(place, f"{word!r} is no flag", "--name=value or --name value"))
        elif name not in FLAGS:
            near = closest(name, FLAGS)
            accepted = ", ".join(f"--{known}" for known in FLAGS)
            faults.append(Fault(place, f"there is no flag --{name} here", accepted, near and f"--{near}"))
            if not separator:
                return
        elif not separator and (value := next(words, "")) == "":
            faults.append(Fault(f"{place}: --{name}", "has no value", "--name=value or --name value"))
        else:
            yield name, value


def _joined(before: Any, read: Any) -> Any:
    match before, read:
        case dict(), dict():
            return {**before, **read}
        case list(), list():
            return [*before, *read]
        case _:
            return read
