"""The quality-of-service class of a pod (ADM-QOS-01..06)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Literal

from .container import Container
from .quantity import Quantity

QosClass = Literal["Guaranteed", "Burstable", "BestEffort"]
QOS_CLASSES: tuple[QosClass, ...] = ("Guaranteed", "Burstable", "BestEffort")
_COUNTED = ("cpu", "memory")


def qos_class(containers: Iterable[Container], *, by_container: bool = False) -> QosClass:
    """Compute the class from app and init containers.

    Only positive cpu and memory amounts count; sums over the pod are compared, or container by container (ADM-QOS-07).
    """
    if by_container:
        classes = {qos_class([container]) for container in containers}
        return classes.pop() if len(classes) == 1 else "Burstable" if classes else "BestEffort"
    requested: dict[str, Fraction | int] = {}
    limited: dict[str, Fraction | int] = {}
    fully_limited = True
    for container in containers:
        _add(requested, container.requests)
        if _add(limited, container.limits) < len(_COUNTED):
            fully_limited = False
    if not requested and not limited:
        return "BestEffort"
    return "Guaranteed" if fully_limited and requested == limited else "Burstable"


def _add(sums: dict[str, Fraction | int], amounts: Mapping[str, Quantity]) -> int:
    counted = 0
    for name in _COUNTED:
        amount = amounts.get(name)
        if amount is not None and amount.as_number > 0:
            sums[name] = sums.get(name, 0) + amount.as_number
            counted += 1
    return counted
