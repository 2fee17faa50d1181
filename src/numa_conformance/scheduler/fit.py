"""The filter part of NodeResourcesFit: which resources are insufficient (SCH-FIT-01..04)."""

from __future__ import annotations

from collections.abc import Iterable

from ..kube.resource_names import is_extended
from .inputs import Amounts

__all__ = ["insufficient"]


def insufficient(
    allocatable: Amounts,
    used: Amounts,
    pods_on_node: int,
    asked: Amounts,
    *,
    ignored: Iterable[str] = (),
    ignored_groups: Iterable[str] = (),
) -> list[str]:
    """Return why a pod does not fit, sorted; empty when it does."""
    reasons = []
    if pods_on_node + 1 > allocatable.get("pods", 0):
        reasons.append("Too many pods")
    skipped, groups = set(ignored), set(ignored_groups)
    for name, amount in asked.items():
        if is_extended(name) and (name in skipped or name.partition("/")[0] in groups):
            continue
        if amount > 0 and amount > allocatable.get(name, 0) - used.get(name, 0):
            reasons.append(f"Insufficient {name}")
    return sorted(reasons)
