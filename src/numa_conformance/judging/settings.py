"""``Settings``: a KubeletConfiguration as the judge reads it."""

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import msgspec

from ..cpuset import CpuSet, checked
from ..errors import CpuSetSyntaxError
from ..wire.history.quantities import amount, read_amount, read_once
from ..wire.history.values import NodeId
from .choice import STRICT
from .pods import NOTHING

Amounts = dict[str, Fraction]

_TRUE = frozenset({"1", "t", "T", "TRUE", "true", "True"})
FALSE = frozenset({"0", "f", "F", "FALSE", "false", "False"})
"""How an option is written that is off."""


class MemoryReservation(msgspec.Struct, frozen=True, rename={"node": "numaNode"}):
    """Memory that is reserved on a NUMA node."""

    node: NodeId
    limits: Amounts


class KubeletDocument(msgspec.Struct, frozen=True, rename="camel"):
    """The JSON object of a KubeletConfiguration, as far as it is read here."""

    cpu_manager_policy: str | None = None
    cpu_manager_policy_options: dict[str, str] | None = None
    reserved_cpus: str | None = msgspec.field(default=None, name="reservedSystemCPUs")
    kube_reserved: Amounts | None = None
    system_reserved: Amounts | None = None
    eviction_hard: dict[str, str] | None = None
    topology_manager_policy: str | None = None
    topology_manager_scope: str | None = None
    topology_manager_policy_options: dict[str, str] | None = None
    memory_manager_policy: str | None = None
    reserved_memory: tuple[MemoryReservation, ...] | None = None
    quota: bool | None = msgspec.field(default=None, name="cpuCFSQuota")
    feature_gates: dict[str, bool] | None = None

    def __post_init__(self) -> None:
        for text in (self.eviction_hard or {}).values():
            amount(text.removesuffix("%"))


class Settings(msgspec.Struct, frozen=True):
    """What a configuration asks for, defaults filled in.

    ``reserved``: the CPUs of an explicit reservation as bits, None without one; ``reserved_count``: how many are
    reserved either way; ``reserved_by_fraction``: by amounts that add up to no whole number. ``options`` and
    ``topology_options``: the policy options that are on, or their text. ``reserved_memory``: bytes by NUMA
    node and type. ``quota``: whether CPU limits are enforced by CFS quota. ``pod_level``: whether pods are
    served by their resources as a whole.
    """

    static: bool
    options: frozenset[str]
    reserved: int | None
    reserved_count: int
    reserved_by_fraction: bool
    topology: str
    scope: str
    topology_options: Mapping[str, str]
    memory_static: bool
    reserved_memory: Mapping[int, Mapping[str, int]]
    quota: bool = True
    pod_level: bool = False

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> "Settings":
        """Read a KubeletConfiguration in its JSON form; raises ``ValueError`` where it is none."""
        return read_once(cls.read, document)

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> "Settings":
        """Read the same, each time anew."""
        kubelet = msgspec.convert(document, KubeletDocument, dec_hook=read_amount)
        reserved = _explicit(kubelet.reserved_cpus or "")
        reserved_cpus = sum(
            amounts.get("cpu", NOTHING) for amounts in (kubelet.kube_reserved, kubelet.system_reserved) if amounts
        )
        return cls(
            static=kubelet.cpu_manager_policy == "static",
            options=frozenset(
                name for name, text in (kubelet.cpu_manager_policy_options or {}).items() if text in _TRUE
            ),
            reserved=reserved,
            reserved_count=math.ceil(reserved_cpus) if reserved is None else reserved.bit_count(),
            reserved_by_fraction=reserved is None and reserved_cpus != int(reserved_cpus),
            topology=kubelet.topology_manager_policy or "none",
            scope=kubelet.topology_manager_scope or "container",
            topology_options={
                name: text
                for name, text in (kubelet.topology_manager_policy_options or {}).items()
                if text not in FALSE
            },
            memory_static=kubelet.memory_manager_policy == "Static",
            reserved_memory=_by_node(kubelet.reserved_memory or ()),
            quota=kubelet.quota is not False,
            pod_level=bool((kubelet.feature_gates or {}).get("PodLevelResourceManagers")),
        )

    @property
    def strict(self) -> bool:
        """Whether reserved CPUs are kept out of the shared pool."""
        return STRICT in self.options


def _by_node(entries: Iterable[MemoryReservation]) -> Mapping[int, Mapping[str, int]]:
    """Return bytes by NUMA node and type: a NUMA node may have an entry for each type."""
    reserved: dict[int, dict[str, int]] = {}
    for entry in entries:
        reserved.setdefault(checked(entry.node), {}).update(
            (kind, int(number)) for kind, number in entry.limits.items()
        )
    return reserved


def _explicit(text: str) -> int | None:
    try:
        return CpuSet.parse(text).bits if text else None
    except CpuSetSyntaxError:
        return None
