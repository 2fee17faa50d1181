"""The devices of a compactly described machine."""

from __future__ import annotations

from .fields import MAX_DEVICES, MAX_NODES, Fields
from .model import Device

__all__ = ["DEVICE_FIELDS", "expand_devices"]

DEVICE_FIELDS = ("resource", "id", "count", "perNuma", "numa", "healthy")


def expand_devices(value: object, nodes: list[int], fields: Fields) -> tuple[Device, ...]:
    """Return the devices: one by its id, ``count`` of one kind, or ``perNuma`` on each NUMA node with CPUs.

    Devices without an id are numbered within their resource: ``gpu-0`` for ``example.com/gpu``.
    """
    numbered: dict[str, int] = {}
    entries = fields.items(
        value, "devices", MAX_DEVICES, lambda item, path: _entry(item, path, nodes, fields, numbered)
    )
    return tuple(device for entry in entries for device in entry)


def _entry(item: object, path: str, nodes: list[int], fields: Fields, numbered: dict[str, int]) -> list[Device]:
    obj = fields.mapping(item, path, DEVICE_FIELDS)
    resource = fields.text(obj.get("resource"), f"{path}.resource", needed=True)
    healthy = fields.flag(obj.get("healthy", True), f"{path}.healthy")
    numa = obj.get("numa", [])
    own = tuple(fields.items(numa if isinstance(numa, list) else [numa], f"{path}.numa", MAX_NODES, fields.id))
    ways = [key for key in ("id", "count", "perNuma") if key in obj]
    if len(ways) > 1:
        fields.fault(path, f"has {' and '.join(ways)}", "one of them")
    if "perNuma" in obj and "numa" in obj:
        fields.fault(f"{path}.numa", "cannot stand beside perNuma")
    if "id" in obj:
        return [Device(resource, fields.text(obj["id"], f"{path}.id", needed=True), own, healthy)]
    each = fields.whole(obj.get("perNuma", obj.get("count", 1)), f"{path}.{ways[0] if ways else 'count'}", 1, 4096)
    first = numbered.get(resource, 0)
    places = [(node,) for node in nodes for _ in range(each)] if "perNuma" in obj else [own] * each
    numbered[resource] = first + len(places)
    if sum(numbered.values()) > MAX_DEVICES:
        fields.fault(path, f"makes more than {MAX_DEVICES} devices")
        return []
    kind = resource.rpartition("/")[2]
    return [Device(resource, f"{kind}-{first + at}", place, healthy) for at, place in enumerate(places)]
