"""``kubelet_internal_checkpoint``: the text of the Device Manager's state file (DEV-CKPT-01..04)."""

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

from ....machine.hostfs.go_json import dump
from ..state_formats import fnv1a_32
from .device_state import DeviceEntry

DEVICE_FILE = "kubelet_internal_checkpoint"


def encode(entries: Sequence[DeviceEntry], registered: Mapping[str, tuple[str, ...]]) -> str:
    """Return the file's text; ``registered`` are the healthy devices of each resource.

    Entries and ids are written in the order given, which the checksum follows.
    """
    data = {
        "PodDeviceEntries": [
            {
                "PodUID": entry.uid,
                "ContainerName": entry.container,
                "ResourceName": entry.resource,
                "DeviceIDs": {str(node): list(entry.devices[node]) for node in sorted(entry.devices, key=str)},
                "AllocResp": base64.b64encode(entry.response).decode("ascii"),
            }
            for entry in entries
        ]
        or None,
        "RegisteredDevices": {name: list(ids) for name, ids in sorted(registered.items())},
    }
    return dump({"Data": data, "Checksum": _checksum(entries, registered)})


def decode(text: str) -> tuple[DeviceEntry, ...] | None:
    """Read a file; None when it is damaged, which the kubelet logs and goes on without (DEV-CKPT-03)."""
    record = _read(text)
    return record[0] if record and record[2] == _checksum(*record[:2]) else None


def sealed(text: str) -> str:
    """Return a file with the checksum of what it says; one that cannot be read stays as it is."""
    record = _read(text)
    return encode(*record[:2]) if record else text


def _read(text: str) -> tuple[tuple[DeviceEntry, ...], dict[str, tuple[str, ...]], object] | None:
    """Return entries, registered devices and checksum, None where a file is malformed."""
    try:
        record = json.loads(text)
        data = record["Data"]
        entries = tuple(map(_read_entry, data.get("PodDeviceEntries") or ()))
        devices = (data.get("RegisteredDevices") or {}).items()
        return entries, {str(name): tuple(map(str, ids or ())) for name, ids in devices}, record.get("Checksum")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _read_entry(entry: Any) -> DeviceEntry:
    return DeviceEntry(
        uid=str(entry["PodUID"]),
        container=str(entry["ContainerName"]),
        resource=str(entry["ResourceName"]),
        devices={int(node): tuple(map(str, ids or ())) for node, ids in (entry["DeviceIDs"] or {}).items()},
        response=base64.b64decode(entry.get("AllocResp") or ""),
    )


def _checksum(entries: Sequence[DeviceEntry], registered: Mapping[str, tuple[str, ...]]) -> int:
    listed = f"[{' '.join(map(_dump_entry, entries))}]" if entries else "<nil>"
    healthy = " ".join(f"{name}:{_dump_list(ids)}" for name, ids in sorted(registered.items()))
    return fnv1a_32(
        f"(checkpoint.checkpointData){{PodDeviceEntries:([]checkpoint.PodDevicesEntry){listed} "
        f"RegisteredDevices:(map[string][]string)map[{healthy}]}}"
    )


def _dump_entry(entry: DeviceEntry) -> str:
    devices = " ".join(f"{node}:{_dump_list(ids)}" for node, ids in sorted(entry.devices.items()))
    response = f"[{' '.join(map(str, entry.response))}]"
    return (
        f"{{PodUID:(string){entry.uid} ContainerName:(string){entry.container} ResourceName:(string){entry.resource} "
        f"DeviceIDs:(checkpoint.DevicesPerNUMA)map[{devices}] AllocResp:([]uint8){response}}}"
    )


def _dump_list(ids: tuple[str, ...]) -> str:
    return f"[{' '.join(ids)}]"
