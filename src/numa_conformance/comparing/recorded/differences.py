"""Comparing what was recorded with what a target answered."""

import base64
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

ANY_OF = "any_of"
"""The one key of a recorded value of which the kubelet gives another by chance: all that it was seen to give."""
_OPTIONAL = "alignments cpu_quota cpuset mems phase qos scores updates writes"
OPTIONAL_FIELDS = frozenset(_OPTIONAL.split())
"""Fields that stand beside an answer: the protocol lets a target leave them out, and many do."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where an answer departs from the record. ``path`` reads ``step 3 (admit p1): containers.c0.cpus``."""

    path: str
    expected: Any
    got: Any

    def __str__(self) -> str:
        return f"{self.path}\n  - recorded: {_show(self.expected)}\n  + answered: {_show(self.got)}"


def compare(expected: Any, got: Any, path: str, *, messages: bool = True) -> Iterator[Difference]:
    """Yield the differences between two JSON values.

    Objects are compared key by key in both directions; null and absent are the same. Lists are compared element by
    element when they are of one length. With ``messages`` false the free text ``message`` is not compared. What no
    answer must tell is compared where both sides tell it. Of ``any_of`` one value has to match.
    """
    if isinstance(expected, dict) and expected.keys() == {ANY_OF}:
        tried = [list(compare(allowed, got, path, messages=messages)) for allowed in expected[ANY_OF]]
        yield from min(tried, key=len, default=())
        return
    if isinstance(expected, dict) and isinstance(got, dict):
        for key in sorted(expected.keys() | got.keys()):
            if not messages and key == "message":
                continue
            if key in OPTIONAL_FIELDS and None in (expected.get(key), got.get(key)):
                continue
            inner = f"{path}.{key}" if path and not path.endswith(": ") else f"{path}{key}"
            yield from compare(expected.get(key), got.get(key), inner, messages=messages)
    elif isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        for index, (allowed, answered) in enumerate(zip(expected, got, strict=True)):
            yield from compare(allowed, answered, f"{path}[{index}]", messages=messages)
    elif expected != got or isinstance(expected, bool) != isinstance(got, bool):
        yield Difference(path, expected, got)


def _show(value: Any) -> str:
    if value is None:
        return "(nothing)"
    text = value if isinstance(value, str) else repr(value)
    text = text or '""'
    return text if len(text) <= 600 else text[:600] + f"... ({len(text)} characters)"


_BLOCK = r'\{\\?"numaAffinity\\?":[^{}]*\}'
"""As the file holds it, or the text in its envelope."""
_SEVERAL = re.compile(rf"{_BLOCK}(?:,{_BLOCK})+")
_CHECKSUM = re.compile(r'("checksum"|"dataChecksum"):[0-9]+')


def comparable_memory_file(text: str) -> str:
    """Return the file with the blocks of each container in order, and without checksums where their order is chance.

    The kubelet iterates over a Go map, so several blocks of a container have any order. Otherwise every byte counts.
    """
    in_order, several = _SEVERAL.subn(lambda match: ",".join(sorted(re.findall(_BLOCK, match[0]))), text)
    return _CHECKSUM.sub(r"\1:", in_order) if several else text


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
