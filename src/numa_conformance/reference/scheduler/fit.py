"""The filter part of NodeResourcesFit: which resources are insufficient (SCH-FIT-01..04)."""

from __future__ import annotations

from collections.abc import Iterable

from ...kube.resource_names import is_extended, is_scalar
from ...sources.quirks.scheduler import SchedulerQuirks
from .inputs import Amounts

_PLAIN = ("cpu", "memory", "ephemeral-storage")
"""Resources that every node is asked about."""


def insufficient(
    allocatable: Amounts,
    used: Amounts,
    pods_on_node: int,
    request: Amounts,
    *,
    quirks: SchedulerQuirks,
    ignored: Iterable[str] = (),
    ignored_groups: Iterable[str] = (),
) -> list[str]:
    """Return why a pod does not fit, sorted; empty when it does."""
    reasons = []
    if pods_on_node + 1 > allocatable.get("pods", 0):
        reasons.append("Too many pods")
    skipped, groups = set(ignored), set(ignored_groups)
    for name, amount in _checked(request, quirks).items():
        if is_extended(name) and (name in skipped or name.partition("/")[0] in groups):
            continue
        if amount > allocatable.get(name, 0) - used.get(name, 0):
            reasons.append(f"Insufficient {name}")
    return sorted(reasons)


def _checked(request: Amounts, quirks: SchedulerQuirks) -> Amounts:
    """Return what is held against the node: what is asked for, and with the quirk also what is not."""
    wanted = {name: amount for name, amount in request.items() if amount > 0}
    if quirks.overcommitted_node_fits_nothing and (wanted or any(map(is_scalar, request))):
        return {**dict.fromkeys(_PLAIN, 0), **wanted}
    return wanted
