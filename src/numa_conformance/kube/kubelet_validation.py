"""What the kubelet refuses in its configuration before any manager is built."""

import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from posixpath import normpath
from typing import Any

from ..errors import Fault, StartError, closest
from ..fields import object_at, objects_at
from ..sources.configuration_fields import FIELDS, ConfigurationField, FieldCheck
from ..sources.policies import TOPOLOGY_POLICIES, TOPOLOGY_SCOPES
from ..sources.versions import DEFAULT, KubernetesVersion
from .eviction import threshold_faults
from .features import FeatureGates, gate_faults
from .kubelet_config import KubeletConfiguration
from .quantity import is_duration, microseconds
from .reservation import explicit_reserved_cpus
from .resource_names import is_huge_page

_RESERVABLE = ("cpu", "memory", "ephemeral-storage", "pid")
_EFFECTS = ("", "NoSchedule", "PreferNoSchedule", "NoExecute")


def validate(config: KubeletConfiguration, kubernetes_version: str | KubernetesVersion = DEFAULT) -> None:
    """Check a configuration as the kubelet does before it builds managers; its validator says all at once.

    Raises ``StartError`` at stage ``kubelet``. Building the managers checks again what they use, with other words: a
    caller that builds them without this sees those. Whether reserved CPUs exist needs the machine and is not checked.
    """
    messages = list(dict.fromkeys(fault.message for fault in validation_faults(config, kubernetes_version)))
    messages = [text for text in messages if text.startswith(("invalid c", "invalid t"))] or messages[:1]
    if messages:
        raise StartError("kubelet", messages[0] if len(messages) == 1 else f"[{', '.join(messages)}]")


def validation_faults(
    config: KubeletConfiguration, kubernetes_version: str | KubernetesVersion = DEFAULT
) -> list[Fault]:
    """Return what the kubelet refuses before it builds managers, in its order and words, each with its field.

    Where gates are refused, nothing else is said.
    """
    version = KubernetesVersion.supported(kubernetes_version)
    config = config.at(version)
    if faults := gate_faults(version, config.feature_gates):
        return faults
    try:
        gates = FeatureGates.build(version, config.feature_gates)
    except StartError as error:
        return [Fault("featureGates", error.message)]
    obj = config.to_dict()
    known = (field for field in _CHECKED if field.since <= version and (field.concerns_absence or field.root in obj))
    return [fault for field in known for fault in _faults(field, obj, config, gates)]


_CHECKED = [field for field in FIELDS.values() if field.checks]


def _faults(
    field: ConfigurationField, obj: Mapping[str, Any], config: KubeletConfiguration, gates: FeatureGates
) -> Iterator[Fault]:
    """Yield the rules of a field that are broken, none behind a gate that is off, or what its function finds."""
    for check in field.checks:
        if not check.message:
            yield from _FUNCTIONS[check.rule[0]](config, gates.version)
        elif gates.version in check.versions and (broken := _broken(field, check, obj, gates)):
            yield broken
            if check.rule[0] == "gate":
                return


def _broken(field: ConfigurationField, check: FieldCheck, obj: Mapping[str, Any], gates: FeatureGates) -> Fault | None:
    """Return the fault where a rule is broken; a field that is not set breaks none."""
    *parents, last = field.name.split(".")
    value = object_at(obj, *parents).get(last)
    if value is None or not (field.kind.endswith("?") or _is_set(value)):
        return None
    near, other = None, obj.get(check.rule[1]) if len(check.rule) > 1 else None
    match check.rule:
        case ("in", *accepted):
            near = closest(str(value), accepted)
            holds = (str(value).lower() if isinstance(value, bool) else value) in accepted
        case ("gate", gate, *default):
            holds = gates.enabled(gate) or _same(value, *default[1:])
        case ("with", _, *default):
            holds = bool(default if other is None else other)
        case ("without", _):
            holds = not _is_set(other)
        case ("if", _, wanted):
            holds = other == wanted
        case ("most" | "below" | "above" as relation, _, default):
            other = default if other is None or (isinstance(other, str) and not _is_set(other)) else other
            more = _amount(value) - _amount(other)
            holds = more > 0 if relation == "above" else more < 0 or (relation == "most" and not more)
        case ("multiple", step):
            holds = value % int(step) == 0
        case ("absolute",):
            holds = value.startswith("/")
        case ("normalized",):
            holds = value == normpath(value)
        case (bounds, *only):
            holds = _within(_amount(value), bounds) or bool(only and not obj.get(only[1]))
    if holds:
        return None
    amount = _amount(value) if field.kind.startswith("duration") else 0
    text = check.message.format(value, other=other, seconds=f"{float(amount):g}", nanoseconds=int(amount * 10**9))
    return Fault(field.name, text, suggestion=near)


def _is_set(value: object) -> bool:
    return bool(value) and not (isinstance(value, str) and is_duration(value) and not microseconds(value))


def _same(value: object, *texts: str) -> bool:
    return any(text in (str(value), value) or (is_duration(text) and _amount(text) == _amount(value)) for text in texts)


def _amount(value: object) -> Fraction:
    """Return a number, of a duration in seconds."""
    text = str(value)
    return Fraction(microseconds(text), 10**6) if text[-1:].isalpha() else Fraction(text)


def _within(amount: Fraction, bounds: str) -> bool:
    """Tell whether a number is within bounds such as ``1..65535``, ``1s..`` or, without the lower one, ``0<..1``."""
    low, _, high = bounds.partition("..")
    if low.endswith("<"):
        return _amount(low[:-1]) < amount <= _amount(high)
    return (not low or _amount(low) <= amount) and (not high or amount <= _amount(high))


def _reservations(config: KubeletConfiguration, _version: KubernetesVersion) -> Iterator[Fault]:
    for field, amounts in (("kubeReserved", config.kube_reserved), ("systemReserved", config.system_reserved)):
        flag = "--kube-reserved" if field == "kubeReserved" else "--system-reserved"
        for name, amount in amounts.items():
            text, accepted = "", "0 or more"
            if name not in _RESERVABLE:
                text, accepted = f'cannot reserve "{name}" resource', ", ".join(_RESERVABLE)
            elif amount.as_number < 0 and not (name == "cpu" and config.reserved_system_cpus):
                text = f'resource quantity for "{name}" cannot be negative: {amount}'
            if text:
                near = closest(name, _RESERVABLE) if name not in _RESERVABLE else None
                yield Fault(f"{field}.{name}", f"{flag} value failed to parse: {text}", accepted, near)


def _quality(config: KubeletConfiguration, _version: KubernetesVersion) -> Iterator[Fault]:
    for name, text in object_at(config.to_dict(), "qosReserved").items():
        number = str(text).rstrip("%")
        if name != "memory":
            wrong = f'cannot reserve "{name}" resource'
        elif not str(text).endswith("%"):
            wrong = f"percentage expected, got '{text}'"
        elif not re.fullmatch(r"[+-]?[0-9]{1,18}", number, re.ASCII):
            wrong = f"invalid number in percentage '{text}'"
        elif not 0 <= int(number) <= 100:
            wrong = "percentage must be between 0 and 100"
        else:
            continue
        if name == "memory":
            wrong = f'failed to parse percentage "{text}" for "{name}" resource: {wrong}'
        yield Fault(f"qosReserved.{name}", f"--qos-reserved value failed to parse: {wrong}", "memory: a percentage")


def _taints(config: KubeletConfiguration, _version: KubernetesVersion) -> Iterator[Fault]:
    for index, taint in enumerate(objects_at(config.to_dict(), "registerWithTaints")):
        key, value, effect = (str(taint.get(name) or "") for name in ("key", "value", "effect"))
        if not key or effect not in _EFFECTS:
            near = None if effect in _EFFECTS else closest(effect, _EFFECTS[1:])
            place = f"registerWithTaints[{index}].{'effect' if key else 'key'}"
            yield Fault(place, f"invalid taint: {{{key} {value} {effect} <nil>}}", ", ".join(_EFFECTS[1:]), near)


_COMPRESSIBLE = KubernetesVersion(1, 32)


def _enforcement(config: KubeletConfiguration, version: KubernetesVersion) -> Iterator[Fault]:
    """ADM-RSV-02: what enforceNodeAllocatable names, and the cgroups that belong to it."""
    field, flag = "enforceNodeAllocatable", "enforceNodeAllocatable (--enforce-node-allocatable)"
    obj = config.to_dict()
    listed = obj.get(field)
    names = ["pods"] if listed is None else listed
    is_new, by_qos = version >= KubernetesVersion(1, 31), obj.get("cgroupsPerQOS") is not False
    kinds = ("system-reserved", "kube-reserved")
    each = {kind: (kind, f"{kind}-compressible") if version >= _COMPRESSIBLE else (kind,) for kind in kinds}
    known = ["pods", *(name for kind in kinds for name in each[kind]), "none"]
    texts = []
    if names and not by_qos and not is_new:
        texts.append(f"{flag} is not supported unless cgroupsPerQOS (--cgroups-per-qos) is set to true")
    for kind in kinds:
        if len(each[kind]) == 2 and set(each[kind]) <= set(names):
            texts.append(f'both "{kind}" and "{kind}-compressible" cannot be specified together in {flag}')
    for index, name in enumerate(names):
        kind = str(name).removesuffix("-compressible")
        if is_new and name in names[:index]:
            texts.append(f'duplicated enforcements "{name}" in {flag}')
            continue
        if name not in known:
            quoted = [f'"{each}"' for each in known]
            last = f"{' ' if is_new and version >= _COMPRESSIBLE else ', '}or {quoted[-1]}"
            texts.append(f'option "{name}" specified for {flag}. Valid options are {", ".join(quoted[:-1])}{last}')
            continue
        group = f"{kind.partition('-')[0]}ReservedCgroup"
        if kind in kinds and not obj.get(group):
            included = " or ".join(f'"{name}"' for name in each[kind])
            verb = "included" if version >= _COMPRESSIBLE else "contained"
            flagged = f"{group} (--{kind}-cgroup)"
            texts.append(f"{flagged} must be specified when {included} {verb} in {flag}")
        if name == "none" and len(names) > 1:
            texts.append(f'{flag} may not contain additional enforcements when "none" is specified')
        elif is_new and not by_qos and name != "none":
            texts.append(f'cgroupsPerQOS (--cgroups-per-qos) must be set to true when "{name}" contained in {flag}')
    yield from (Fault(field, f"invalid configuration: {text}") for text in texts)


def _topology(config: KubeletConfiguration, _version: KubernetesVersion) -> Iterator[Fault]:
    """TOPO-OPT-08."""
    listed = " ".join(f'"{name}"' for name in TOPOLOGY_POLICIES)
    for field, flag, value, known, accepted in (
        ("topologyManagerPolicy", "policy", config.topology_manager_policy, TOPOLOGY_POLICIES, f"[{listed}]"),
        ("topologyManagerScope", "scope", config.topology_manager_scope, TOPOLOGY_SCOPES, '"container", or "pod"'),
    ):
        if value not in known:
            text = f'invalid configuration: {field} (--topology-manager-{flag}) "{value}" must be one of: {accepted}'
            yield Fault(field, text, suggestion=closest(value, known))


def _reserved_memory(config: KubeletConfiguration, _version: KubernetesVersion) -> Iterator[Fault]:
    """MEM-RSV-01, MEM-RSV-02, MEM-RSV-03."""
    known: set[tuple[int, str]] = set()
    for index, entry in enumerate(config.reserved_memory):
        node = entry.numa_node
        for name, amount in entry.limits.items():
            field = f"reservedMemory[{index}].limits.{name}"
            if name != "memory" and not is_huge_page(name):
                text, only = f'the limit type "{name}" for NUMA node {node}', "[memory hugepages-<HugePageSize>]"
                yield Fault(field, f"invalid configuration: {text} is not supported, only {only} is accepted")
            if not amount:
                text = f'reserved memory may not be zero for NUMA node {node} and resource "{name}"'
                yield Fault(field, f"invalid configuration: {text}")
            if (node, name) in known:
                text = f'the reserved memory has a duplicate value for NUMA node {node} and resource "{name}"'
                yield Fault(field, f"invalid configuration: {text}")
            known.add((node, name))


def _reserved_cpus(config: KubeletConfiguration, _version: KubernetesVersion) -> Iterator[Fault]:
    """CPU-RSV-03, as far as it needs no machine."""
    if not config.reserved_system_cpus:
        return
    if config.system_reserved_cgroup or config.kube_reserved_cgroup:
        groups = "systemReservedCgroup (--system-reserved-cgroup) or kubeReservedCgroup (--kube-reserved-cgroup)"
        text = f"invalid configuration: can't use reservedSystemCPUs (--reserved-cpus) with {groups}"
        yield Fault("reservedSystemCPUs", text)
    try:
        explicit_reserved_cpus(config)
    except StartError as error:
        yield Fault("reservedSystemCPUs", error.message, "a list such as 0-3,8")


_SYSCTL = r"([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*([a-z0-9][-_a-z0-9]*)?[a-z0-9*]"
_NAMESPACED = r"kernel\.(sem|shm(all|max|mni|_rmid_forced)?|msg(max|mnb|mni)?)|(net|fs\.mqueue)\..*"
"""Sysctls and beginnings of sysctls of which the kernel has one for each namespace; others came later."""


def _sysctls(config: KubeletConfiguration, version: KubernetesVersion) -> Iterator[Fault]:
    is_old, newer = version < KubernetesVersion(1, 29), version >= KubernetesVersion(1, 37)
    known = rf"{_NAMESPACED}{'|kernel[.](shm|msg).*' * is_old}{'|kernel[.]domainname|user[.].*' * newer}"
    for index, entry in enumerate(config.to_dict().get("allowedUnsafeSysctls") or ()):
        name, star, _ = dotted(entry).partition("*")
        text = ""
        if len(entry) > 253 or not re.fullmatch(_SYSCTL, entry):
            text = f'sysctl "{entry}" must have at most 253 characters and match regex {_SYSCTL}'
        elif not re.fullmatch(known, name):
            many = "" if is_old and not star else "s"
            text = f'the sysctl{many} "{name}{star if is_old else ""}" are not known to be namespaced'
        if text:
            yield Fault(f"allowedUnsafeSysctls[{index}]", text, "a sysctl such as kernel.sem, or a beginning as net.*")


def dotted(sysctl: str) -> str:
    """Return a sysctl's name with dots between its parts: where a slash comes first, both change places."""
    first = next((sign for sign in sysctl if sign in "./"), ".")
    return sysctl if first == "." else sysctl.translate(str.maketrans("./", "/."))


_FUNCTIONS: Mapping[str, Callable[[KubeletConfiguration, KubernetesVersion], Iterator[Fault]]] = {
    "taints": _taints,
    "topology": _topology,
    "enforcement": _enforcement,
    "reserved-cpus": _reserved_cpus,
    "reserved-memory": _reserved_memory,
    "reservations": _reservations,
    "thresholds": threshold_faults,
    "sysctls": _sysctls,
    "quality": _quality,
}
"""What ``configuration_fields.txt`` names in place of a rule."""
