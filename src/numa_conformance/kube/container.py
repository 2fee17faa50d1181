"""One container of a pod; the needs and the quality-of-service class of several together."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, TypeVar

from ..fields import Fields
from .quantity import NOTHING, Quantity, canonical, quantities
from .resource_names import amount_faults


@dataclass(frozen=True, slots=True)
class Container:
    """One container after API defaulting: requests include what only limits name (ADM-DEF-01).

    ``restart_always`` on an init container makes it a sidecar (ADM-REQ-02). ``claims``: the names of the pod's resource
    claims that it uses (``resources.claims``).
    """

    name: str
    requests: Mapping[str, Quantity] = field(default_factory=dict)
    limits: Mapping[str, Quantity] = field(default_factory=dict)
    restart_always: bool = False
    claims: tuple[str, ...] = ()

    @property
    def whole_cpus(self) -> int:
        """The CPU request when it is a positive integer, else 0 (ADM-QTY-06, CPU-ELIG-03)."""
        request = self.requests.get("cpu")
        return request.whole if request is not None else 0


def read_container(path: str, item: object, fields: Fields, *, validate: bool, init: bool = False) -> Container:
    """Read an entry of a pod's list at a field path; with ``validate`` its amounts are checked."""
    obj = fields.mapping(item, path)
    resources = fields.mapping(obj.get("resources"), f"{path}.resources")
    limits = quantities(resources.get("limits"), f"{path}.resources.limits", fields)
    requests = quantities(resources.get("requests"), f"{path}.resources.requests", fields)
    if validate:
        for field_path, message in amount_faults(requests, limits):
            fields.fault(f"{path}.resources.{field_path}".rstrip("."), message)
    defaulted = {**requests, **{name: amount for name, amount in limits.items() if name not in requests}}  # ADM-DEF-01
    return Container(
        name=fields.name(obj.get("name"), f"{path}.name"),
        requests=canonical(defaulted),
        limits=canonical(limits),
        restart_always=init and obj.get("restartPolicy") == "Always",
        claims=read_claims(resources.get("claims"), f"{path}.resources.claims", fields),
    )


def read_claims(listed: object, path: str, fields: Fields) -> tuple[str, ...]:
    """Return the names in a list of resource claims."""
    named = fields.entries(listed, path)
    return tuple(fields.name(fields.mapping(item, at).get("name"), f"{at}.name") for at, item in named)


_Amount = TypeVar("_Amount", int, Quantity)


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
        return busiest_moment(init, apps, lambda container: amounts(container).get(name, NOTHING), NOTHING)

    return {name: total(name) for name in names}


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
