"""What the containers of a pod need together, at the pod's busiest moment (ADM-REQ-01..03)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from .container import Container
from .quantity import Quantity

_Amount = TypeVar("_Amount", int, Quantity)
_NOTHING = Quantity(0)


def busiest_moment(
    init: Sequence[Container], apps: Sequence[Container], amount: Callable[[Container], _Amount], nothing: _Amount
) -> _Amount:
    """Return the largest sum of the amounts of containers that run at the same time; ``nothing`` is the zero.

    Sidecars run from their place in the list on; an ordinary init container runs beside the sidecars before it.
    """
    sidecars = peak = nothing
    for container in init:
        running = sidecars + amount(container)
        peak = max(peak, running)
        if container.restart_always:
            sidecars = running
    together = sidecars
    for container in apps:
        together = together + amount(container)
    return max(together, peak)


def total_requests(init: Sequence[Container], apps: Sequence[Container]) -> dict[str, Quantity]:
    """Return the effective requests per resource of init containers and app containers."""
    return _totals(init, apps, lambda container: container.requests)


def total_limits(init: Sequence[Container], apps: Sequence[Container]) -> dict[str, Quantity]:
    """Return the effective limits per resource of init containers and app containers."""
    return _totals(init, apps, lambda container: container.limits)


def _totals(
    init: Sequence[Container], apps: Sequence[Container], amounts: Callable[[Container], Mapping[str, Quantity]]
) -> dict[str, Quantity]:
    names = dict.fromkeys(name for container in (*init, *apps) for name in amounts(container))

    def total(name: str) -> Quantity:
        return busiest_moment(init, apps, lambda container: amounts(container).get(name, _NOTHING), _NOTHING)

    return {name: total(name) for name in names}
