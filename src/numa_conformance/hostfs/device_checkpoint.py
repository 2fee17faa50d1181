"""``kubelet_internal_checkpoint``: the Device Manager's state file (DEV-CKPT-01..04)."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .fnv import fnv1a_32
from .go_json import dump

__all__ = [
    "DEVICE_FILE",
    "DeviceCheckpoint",
    "DeviceRecord",
    "decode_device_checkpoint",
    "device_checksum_fits",
    "encode_device_checkpoint",
]

DEVICE_FILE = "kubelet_internal_checkpoint"


@dataclass(frozen=True)
class DeviceRecord:
    """Devices of one resource that a container has, by NUMA node (-1: without topology)."""

    uid: str
    container: str
    resource: str
    devices: Mapping[int, tuple[str, ...]]
    response: bytes = b""


@dataclass(frozen=True)
class DeviceCheckpoint:
    """The content: who has what, and the healthy devices of each resource."""

    entries: tuple[DeviceRecord, ...] = ()
    registered: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def encode_device_checkpoint(content: DeviceCheckpoint) -> str:
    """Return the file's text; entries and ids are written in the order given, which the checksum follows."""
    data = {
        "PodDeviceEntries": [
            {
                "PodUID": one.uid,
                "ContainerName": one.container,
                "ResourceName": one.resource,
                "DeviceIDs": {str(node): list(one.devices[node]) for node in sorted(one.devices, key=str)},
                "AllocResp": base64.b64encode(one.response).decode("ascii"),
            }
            for one in content.entries
        ]
        or None,
        "RegisteredDevices": {name: list(ids) for name, ids in sorted(content.registered.items())},
    }
    return dump({"Data": data, "Checksum": _checksum(content)})


def decode_device_checkpoint(text: str) -> DeviceCheckpoint | None:
    """Read a file; None when it is damaged, which the kubelet logs and goes on without (DEV-CKPT-03)."""
    try:
        record = json.loads(text)
        content = _read(record["Data"])
        checksum = record["Checksum"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return content if checksum == _checksum(content) else None


def device_checksum_fits(text: str) -> bool:
    """Tell whether a file's checksum fits its bytes."""
    return decode_device_checkpoint(text) is not None


def _read(data: Any) -> DeviceCheckpoint:
    return DeviceCheckpoint(
        entries=tuple(
            DeviceRecord(
                uid=str(one["PodUID"]),
                container=str(one["ContainerName"]),
                resource=str(one["ResourceName"]),
                devices={int(node): tuple(map(str, ids or ())) for node, ids in (one["DeviceIDs"] or {}).items()},
                response=base64.b64decode(one.get("AllocResp") or ""),
            )
            for one in data.get("PodDeviceEntries") or ()
        ),
        registered={
            str(name): tuple(map(str, ids or ())) for name, ids in (data.get("RegisteredDevices") or {}).items()
        },
    )


def _checksum(content: DeviceCheckpoint) -> int:
    entries = " ".join(map(_dump_entry, content.entries))
    listed = f"[{entries}]" if content.entries else "<nil>"
    registered = " ".join(f"{name}:{_dump_list(ids)}" for name, ids in sorted(content.registered.items()))
    return fnv1a_32(
        f"(checkpoint.checkpointData){{PodDeviceEntries:([]checkpoint.PodDevicesEntry){listed} "
        f"RegisteredDevices:(map[string][]string)map[{registered}]}}"
    )


def _dump_entry(one: DeviceRecord) -> str:
    devices = " ".join(f"{node}:{_dump_list(ids)}" for node, ids in sorted(one.devices.items()))
    response = f"[{' '.join(map(str, one.response))}]"
    return (
        f"{{PodUID:(string){one.uid} ContainerName:(string){one.container} ResourceName:(string){one.resource} "
        f"DeviceIDs:(checkpoint.DevicesPerNUMA)map[{devices}] AllocResp:([]uint8){response}}}"
    )


def _dump_list(ids: tuple[str, ...]) -> str:
    return f"[{' '.join(ids)}]"
