"""``Settings``: a KubeletConfiguration as the judge reads it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...cpuset import CpuSet
from ...errors import CpuSetSyntaxError
from .choice import STRICT
from .quantities import amount

__all__ = ["Settings"]

_TRUE = frozenset({"1", "t", "T", "TRUE", "true", "True"})


@dataclass(frozen=True, slots=True)
class Settings:
    """What a configuration asks for, defaults filled in.

    ``reserved``: the CPUs of an explicit reservation as bits, None without one; ``reserved_count``: how many are
    reserved either way. ``options`` and ``topology_options``: the policy options that are on, or their text.
    ``reserved_memory``: bytes by NUMA node and type. ``quota``: whether CPU limits are enforced by CFS quota.
    """

    static: bool
    options: frozenset[str]
    reserved: int | None
    reserved_count: int
    topology: str
    scope: str
    topology_options: Mapping[str, str]
    memory_static: bool
    reserved_memory: Mapping[int, Mapping[str, int]]
    quota: bool = True

    @classmethod
    def of(cls, kubelet: Mapping[str, Any]) -> Settings:
        """Read a KubeletConfiguration in its JSON form, as the suite's own generators write it."""
        options = kubelet.get("cpuManagerPolicyOptions") or {}
        reserved = _explicit(kubelet.get("reservedSystemCPUs") or "")
        kept = sum(amount((kubelet.get(key) or {}).get("cpu", "0")) for key in ("kubeReserved", "systemReserved"))
        return cls(
            static=kubelet.get("cpuManagerPolicy") == "static",
            options=frozenset(name for name, text in options.items() if text in _TRUE),
            reserved=reserved,
            reserved_count=math.ceil(kept) if reserved is None else reserved.bit_count(),
            topology=kubelet.get("topologyManagerPolicy") or "none",
            scope=kubelet.get("topologyManagerScope") or "container",
            topology_options=kubelet.get("topologyManagerPolicyOptions") or {},
            memory_static=kubelet.get("memoryManagerPolicy") == "Static",
            reserved_memory={
                entry["numaNode"]: {kind: int(amount(text)) for kind, text in entry["limits"].items()}
                for entry in kubelet.get("reservedMemory") or ()
            },
            quota=kubelet.get("cpuCFSQuota") is not False,
        )

    @property
    def strict(self) -> bool:
        """Whether reserved CPUs are kept out of the shared pool."""
        return STRICT in self.options


def _explicit(text: str) -> int | None:
    try:
        return CpuSet.parse(text).bits if text else None
    except CpuSetSyntaxError:
        return None
