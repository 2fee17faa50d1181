"""Values that several messages share."""

from __future__ import annotations

from typing import Any

import msgspec

__all__ = ["AllocationFault", "CpuChoice", "HintValue", "JsonObject", "Message", "PriorState"]

JsonObject = dict[str, Any]
"""A machine, a configuration or a pod: documents with schemas of their own, passed through as they are."""


class Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of every message and of the values inside."""


class HintValue(Message, frozen=True, omit_defaults=False):
    """A topology hint: NUMA node ids (null: any node will do) and whether it is preferred."""

    nodes: list[int] | None
    preferred: bool


class AllocationFault(Message, frozen=True):
    """A refusal: the reason (one word, as in the pod's status) and a message for people."""

    message: str
    reason: str | None = None


class CpuChoice(Message, frozen=True):
    """CPUs given, the shared pool afterwards, what later containers of the pod may reuse; or an error."""

    cpus: str | None = None
    default_cpuset: str | None = None
    reusable: str | None = None
    error: AllocationFault | None = None


class PriorState(Message, frozen=True, omit_defaults=False):
    """What is given already: shared pool, pod uid to container to CPUs, and what init containers leave for reuse."""

    default: str
    assignments: dict[str, dict[str, str]] = msgspec.field(default_factory=dict)
    reusable: dict[str, str] = msgspec.field(default_factory=dict)
