"""Values that several messages share."""

from __future__ import annotations

from typing import Any

import msgspec

from .message import Message

JsonObject = dict[str, Any]
"""A machine, a configuration or a pod: documents with schemas of their own, passed through as they are."""


class HintValue(Message, frozen=True, omit_defaults=False):
    """A topology hint: NUMA node ids (null: any node will do) and whether it is preferred."""

    nodes: list[int] | None
    preferred: bool


HintLists = dict[str, list[HintValue] | None]
"""Resource to hints; null: no opinion; an empty list: impossible."""


class PriorState(Message, frozen=True, omit_defaults=False):
    """What is given already: shared pool, pod uid to container to CPUs, and what init containers leave for reuse."""

    default: str
    assignments: dict[str, dict[str, str]] = msgspec.field(default_factory=dict)
    reusable: dict[str, str] = msgspec.field(default_factory=dict)
