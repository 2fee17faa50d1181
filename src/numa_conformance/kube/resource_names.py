"""Resource names, and what the API server requires of their amounts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from .quantity import Quantity

__all__ = ["amount_faults", "is_extended", "is_huge_page", "is_scalar"]

_QUALIFIED = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?", re.ASCII)


def is_huge_page(name: str) -> bool:
    """Tell whether this is ``hugepages-<size>``."""
    return name.startswith("hugepages-")


def is_extended(name: str) -> bool:
    """Tell whether this is an extended resource, such as a device plugin offers (SCH-REQ-08)."""
    if "kubernetes.io/" in name or name.startswith("requests."):
        return False
    return _QUALIFIED.fullmatch(f"requests.{name}") is not None


def is_scalar(name: str) -> bool:
    """Tell whether scoring skips the resource when a pod does not ask for it (SCH-REQ-06)."""
    return is_extended(name) or is_huge_page(name) or "kubernetes.io/" in name or name.startswith("attachable-volumes-")


def amount_faults(requests: Mapping[str, Quantity], limits: Mapping[str, Quantity]) -> Iterator[tuple[str, str]]:
    """Yield (field path below ``resources``, message) for amounts that the API server refuses."""
    for name, amount in limits.items():
        if amount.as_number < 0:
            yield f"limits.{name}", "must be greater than or equal to 0"
        if is_extended(name) and amount.as_number.denominator != 1:
            yield f"limits.{name}", "must be an integer"
    for name, amount in requests.items():
        if amount.as_number < 0:
            yield f"requests.{name}", "must be greater than or equal to 0"
        limit = limits.get(name)
        if is_extended(name) or is_huge_page(name):
            if limit is None:
                yield f"limits.{name}", "must be set for a resource that cannot be overcommitted"
            elif limit != amount:
                yield f"requests.{name}", f"must be equal to {name} limit of {limit}"
        elif limit is not None and amount > limit:
            yield f"requests.{name}", f"must be less than or equal to {name} limit of {limit}"
