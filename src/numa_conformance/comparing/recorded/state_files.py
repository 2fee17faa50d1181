"""State files of managers in a form that compares: parsed, and in order where the kubelet's order is chance."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_BLOCK = r'\{\\?"numaAffinity\\?":[^{}]*\}'
"""As the file holds it, or the text in its envelope."""
_SEVERAL = re.compile(rf"{_BLOCK}(?:,{_BLOCK})+")
_CHECKSUM = re.compile(r'("checksum"|"dataChecksum"):[0-9]+')


def comparable_memory_file(text: str) -> str:
    """Return the file with the blocks of each container in order; where some has several, without its checksums.

    The kubelet goes through a Go map of what a container asks for, so its blocks, and the checksums over them, are
    chance. Of any other file every byte counts.
    """
    in_order, several = _SEVERAL.subn(lambda match: ",".join(sorted(re.findall(_BLOCK, match[0]))), text)
    return _CHECKSUM.sub(r"\1:", in_order) if several else text


DEVICE_FILE = "kubelet_internal_checkpoint"


def comparable_device_file(text: str) -> Any:
    """Return the file in order; a wrong checksum alone is reported, and any other text stays as it is."""
    try:
        parsed = json.loads(text)
        data = parsed["Data"]
        entries, registered = data["PodDeviceEntries"] or [], data.get("RegisteredDevices") or {}
        fits = parsed["Checksum"] == _checksum(entries, registered)
        in_order = [
            {**entry, "DeviceIDs": {node: sorted(ids) for node, ids in entry["DeviceIDs"].items()}} for entry in entries
        ]
        in_order.sort(key=lambda entry: (entry["PodUID"], entry["ContainerName"], entry["ResourceName"]))
        registered = {name: sorted(ids) for name, ids in registered.items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return text
    if not fits:
        return f"checksum {parsed['Checksum']} does not fit the bytes"
    return {"PodDeviceEntries": in_order, "RegisteredDevices": registered}


def _checksum(entries: Sequence[Mapping[str, Any]], registered: Mapping[str, Iterable[str]]) -> int:
    """Return the FNV-1a hash of what Go prints of the data with ``%#v`` (DEV-CKPT-02)."""
    listed = f"[{' '.join(map(_printed_entry, entries))}]" if entries else "<nil>"
    text = (
        f"(checkpoint.checkpointData){{PodDeviceEntries:([]checkpoint.PodDevicesEntry){listed} "
        f"RegisteredDevices:(map[string][]string){_printed_map(registered)}}}"
    )
    value = 0x811C9DC5
    for byte in text.encode("utf-8", "surrogateescape"):
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return value


def _printed_entry(entry: Mapping[str, Any]) -> str:
    response = " ".join(map(str, base64.b64decode(entry.get("AllocResp") or "")))
    devices = {int(node): ids or () for node, ids in (entry["DeviceIDs"] or {}).items()}
    return (
        f"{{PodUID:(string){entry['PodUID']} ContainerName:(string){entry['ContainerName']} "
        f"ResourceName:(string){entry['ResourceName']} DeviceIDs:(checkpoint.DevicesPerNUMA){_printed_map(devices)} "
        f"AllocResp:([]uint8)[{response}]}}"
    )


def _printed_map(lists: Mapping[Any, Iterable[str]]) -> str:
    return f"map[{' '.join(f'{key}:[{chr(32).join(ids)}]' for key, ids in sorted(lists.items()))}]"
