"""The devices of a compactly described machine."""

from __future__ import annotations

from collections.abc import Sequence

from ..fields import Fields
from .forms import MAX_DEVICES, CompactDeviceForm
from .model import Device


def expand_devices(
    forms: Sequence[CompactDeviceForm] | None, nodes: Sequence[int], fields: Fields
) -> tuple[Device, ...]:
    """Return the devices: one by its id, ``count`` of one kind, or ``perNuma`` on each NUMA node with CPUs.

    Devices without an id are numbered within their resource: ``gpu-0`` for ``example.com/gpu``.
    """
    numbered: dict[str, int] = {}
    devices: list[Device] = []
    for index, form in enumerate(forms or ()):
        _refuse_doubled(form, f"devices[{index}]", fields)
        places = _places(form, nodes)
        first = numbered.get(form.resource, 0)
        if form.id is None:
            numbered[form.resource] = first + len(places)
        if sum(numbered.values()) > MAX_DEVICES:
            fields.fault(f"devices[{index}]", f"makes more than {MAX_DEVICES} devices")
            break
        kind = form.resource.rpartition("/")[2]
        devices += [
            Device(form.resource, form.id or f"{kind}-{first + at}", place, form.healthy)
            for at, place in enumerate(places)
        ]
    return tuple(devices)


def _places(form: CompactDeviceForm, nodes: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the NUMA nodes of each device of an entry."""
    if form.per_numa is not None:
        return [(node,) for node in nodes for _ in range(form.per_numa)]
    nodes_of_each = (form.numa,) if isinstance(form.numa, int) else tuple(form.numa or ())
    return [nodes_of_each] * (form.count or 1)


def _refuse_doubled(form: CompactDeviceForm, path: str, fields: Fields) -> None:
    ways = {"id": form.id, "count": form.count, "perNuma": form.per_numa}
    named = [key for key, value in ways.items() if value is not None]
    if len(named) > 1:
        fields.fault(path, f"has {' and '.join(named)}", "one of them")
    if form.per_numa is not None and form.numa is not None:
        fields.fault(f"{path}.numa", "cannot stand beside perNuma")
