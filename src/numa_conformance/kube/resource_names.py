"""Resource names, and what the API server requires of their amounts."""

import re
from collections.abc import Iterator, Mapping

from ..errors import UsageError, did_you_mean
from .quantity import Quantity

_STANDARD = ("cpu", "memory", "ephemeral-storage")
_QUALIFIED = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?", re.ASCII)


def is_huge_page(name: str) -> bool:
    """Tell whether this is ``hugepages-<size>``."""
    return name.startswith("hugepages-")


def page_bytes(size: str) -> int:
    """Return the bytes of a huge page, whose size is written as in a resource's name (``2Mi``)."""
    return Quantity.parse(size).value


def is_extended(name: str) -> bool:
    """Tell whether this is an extended resource, such as a device plugin offers (SCH-REQ-08)."""
    if "kubernetes.io/" in name or name.startswith("requests."):
        return False
    return _QUALIFIED.fullmatch(f"requests.{name}") is not None


def is_scalar(name: str) -> bool:
    """Tell whether scoring skips the resource when a pod does not ask for it (SCH-REQ-06)."""
    return is_extended(name) or is_huge_page(name) or "kubernetes.io/" in name or name.startswith("attachable-volumes-")


def amount_faults(requests: Mapping[str, Quantity], limits: Mapping[str, Quantity]) -> Iterator[tuple[str, str]]:
    """Yield (field path below ``resources``, message) for amounts that the API server refuses, both as written."""
    for kind, amounts in (("limits", limits), ("requests", requests)):
        for name, amount in amounts.items():
            for message in _amount_faults(name, amount):
                yield f"{kind}.{name}", f'Invalid value: "{amount}": {message}'
    for name, amount in requests.items():
        limit = limits.get(name)
        fixed = is_extended(name) or is_huge_page(name)
        if limit is None:
            if fixed:
                yield f"limits.{name}", "Required value: Limit must be set for non overcommitable resources"
        elif fixed and amount != limit:
            yield f"requests.{name}", f'Invalid value: "{amount}": must be equal to {name} limit of {limit}'
        elif amount > limit:
            message = f"must be less than or equal to {name} limit of {limit}"
            yield f"requests.{name}", f'Invalid value: "{amount}": {message}'
    named = requests.keys() | limits.keys()
    if any(map(is_huge_page, named)) and not named & {"cpu", "memory"}:
        yield "", "Forbidden: HugePages require cpu or memory"


def _amount_faults(name: str, amount: Quantity) -> Iterator[str]:
    if amount.as_number < 0:
        yield "must be greater than or equal to 0"
    if "/" not in name and name not in _STANDARD and not is_huge_page(name):
        yield f"{name} is not a standard resource for containers{did_you_mean(name, _STANDARD)}"
    elif name not in _STANDARD and amount.as_number.denominator != 1:
        yield "must be an integer"
    elif is_huge_page(name) and amount.value % (_page_size(name) or 1):
        yield f"must be a multiple of the page size {name.partition('-')[2]}"


def _page_size(name: str) -> int:
    """Return the page size in bytes, 0 where the name has none."""
    try:
        return page_bytes(name.partition("-")[2])
    except UsageError:
        return 0
