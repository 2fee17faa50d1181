"""Resources of a pod as a whole, ``spec.resources`` (gate PodLevelResources; ADM-DEF-02, SCH-REQ-04)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..errors import did_you_mean
from ..fields import Fields
from .container import Container, total_limits, total_requests
from .quantity import Quantity, canonical, quantities
from .resource_names import amount_faults, is_huge_page

PodLevel = tuple[Mapping[str, Quantity], Mapping[str, Quantity]]
"""Requests and limits of the pod."""
_SUPPORTED = ("cpu", "memory")


def read_pod_level(
    spec: Mapping[str, Any], init: Sequence[Container], apps: Sequence[Container], fields: Fields, *, validate: bool
) -> PodLevel:
    """Return requests and limits after API defaulting; both are empty for a pod that has none.

    A request that is not given is the containers' effective one, and where they have none the pod's limit. A limit of
    huge pages that is neither given nor requested is the containers'.
    """
    if not spec.get("resources"):
        return {}, {}
    resources = fields.mapping(spec.get("resources"), "spec.resources")
    limits = quantities(resources.get("limits"), "spec.resources.limits", fields)
    requests = quantities(resources.get("requests"), "spec.resources.requests", fields)
    if validate and resources.get("claims") is not None:
        fields.fault("spec.resources.claims", "Forbidden: claims may not be set for Resources at pod-level")
    written = requests
    if requests or limits:
        limits = {**{name: amount for name, amount in _huge(init, apps).items() if name not in requests}, **limits}
        inherited = {name: amount for name, amount in total_requests(init, apps).items() if name in _SUPPORTED}
        requests = {**limits, **inherited, **requests}
    if validate:
        below = _below_containers(written, limits, init, apps)
        for path, message in (*_unsupported(written, limits), *amount_faults(requests, limits), *below):
            fields.fault(f"spec.resources.{path}".rstrip("."), message)
    return canonical(requests), canonical(limits)


def _below_containers(
    requests: Mapping[str, Quantity],
    limits: Mapping[str, Quantity],
    init: Sequence[Container],
    apps: Sequence[Container],
) -> Iterator[tuple[str, str]]:
    """Yield (field path below ``spec.resources``, message) where a pod has less than its containers together."""
    wanted = total_requests(init, apps)
    for kind, amounts, totals in (("requests", requests, wanted), ("limits", limits, _huge(init, apps))):
        for name, total in totals.items():
            if name in amounts and total > amounts[name]:
                text = f"must be greater than or equal to aggregate container {kind} of {total}"
                yield f"{kind}[{name}]", f'Invalid value: "{amounts[name]}": {text}'
    for index, container in enumerate(apps):
        for name, limit in container.limits.items():
            if name in limits and limit > limits[name]:
                text = f"must be less than or equal to pod limits of {limits[name]}"
                yield f"containers[{index}][{name}].limits", f'Invalid value: "{limit}": {text}'


def _huge(init: Sequence[Container], apps: Sequence[Container]) -> dict[str, Quantity]:
    return {name: amount for name, amount in total_limits(init, apps).items() if is_huge_page(name)}


def default_limits(level: PodLevel, init: Sequence[Container], apps: Sequence[Container]) -> dict[str, Quantity]:
    """Return the limits of a pod with those that the API server adds since 1.37 (ADM-DEF-03).

    Where all containers have a limit for what the pod requests, its own is theirs together, or its request if that is
    larger.
    """
    requests, limits = level
    together = total_limits(init, apps)
    added = {
        name: max(amount, together[name], key=lambda quantity: quantity.as_number)
        for name, amount in requests.items()
        if _supported(name) and name not in limits and all(name in container.limits for container in (*init, *apps))
    }
    return {**added, **limits}


def _supported(name: str) -> bool:
    return name in _SUPPORTED or is_huge_page(name)


def _unsupported(requests: Mapping[str, Quantity], limits: Mapping[str, Quantity]) -> Iterator[tuple[str, str]]:
    for kind, amounts in (("requests", requests), ("limits", limits)):
        for name in amounts:
            if not _supported(name):
                hint = did_you_mean(name, _SUPPORTED)
                yield f"{kind}.{name}", f"Unsupported value: a pod has cpu, memory and hugepages-<size>{hint}"
