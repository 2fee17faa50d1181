"""Objects of ``resource.k8s.io``: protobuf or JSON, of any served version, into the form of v1."""

from collections.abc import Iterator, Mapping, MutableSequence
from typing import Any

import msgspec
from google.protobuf.message import DecodeError
from msgspec import defstruct

from ..kubelet_apis.interfaces import RESOURCE_API, RESOURCE_API_V1BETA1

VERSIONS = ("v1", "v1beta2", "v1beta1")
"""The versions that are served. v1beta1 has a device's fields below ``basic``, a request's not below ``exactly``."""
MOST_DEVICES = 128
"""Devices of one slice, by the API."""
_MAGIC = b"k8s\x00"


_METADATA = defstruct("Metadata", [("name", str, ""), ("generateName", str, "")])
_POOL = defstruct("Pool", [("name", str, ""), ("generation", int, 0), ("resourceSliceCount", int, 0)])
_DEVICE = defstruct("Device", [("basic", dict[str, Any] | None, None)])
_DEVICES = list[_DEVICE] | None  # type: ignore[valid-type]  # it is one, as the line above says
_SPEC = defstruct("Spec", [("driver", str, ""), ("pool", _POOL | None, None), ("devices", _DEVICES, None)])
_SLICE = defstruct("Slice", [("metadata", _METADATA | None, None), ("spec", _SPEC | None, None)])
"""The parts of a ResourceSlice that are looked at here; all else is the judge's."""


def read_slice(body: bytes, version: str) -> dict[str, Any]:
    """Read a ResourceSlice; raises ``ValueError`` for what the API takes for none."""
    package = RESOURCE_API_V1BETA1 if version == "v1beta1" else RESOURCE_API
    if body.startswith(_MAGIC):
        try:
            envelope = RESOURCE_API.Unknown.FromString(body[len(_MAGIC) :])
            document = dict(_fields(package.ResourceSlice.FromString(envelope.raw)))
        except (DecodeError, UnicodeDecodeError) as error:
            raise ValueError(f"no protobuf of a ResourceSlice: {error}") from error
    else:
        document = msgspec.json.decode(body, type=dict[str, Any])
    msgspec.convert(document, _SLICE)
    count = len((document.get("spec") or {}).get("devices") or ())
    if count > MOST_DEVICES:
        raise ValueError(f"spec.devices: Too many: {count}: must have at most {MOST_DEVICES} items")
    return document


def _fields(message: Any) -> Iterator[tuple[str, Any]]:
    for field, value in message.ListFields():
        if field.message_type is not None and field.message_type.name.endswith("Entry"):
            yield field.name, {entry.key: _plain(entry.value) for entry in value}
        else:
            yield field.name, [_plain(each) for each in value] if isinstance(value, MutableSequence) else _plain(value)


def _plain(value: Any) -> Any:
    if not hasattr(value, "ListFields"):
        return value
    return value.string if value.DESCRIPTOR.name == "Quantity" else dict(_fields(value))


def spec_of(written: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a slice says, in the form of v1."""
    spec = dict(written.get("spec") or {})
    if "devices" in spec:
        spec["devices"] = [_lifted(device, "basic") for device in spec["devices"] or ()]
    return spec


def _lifted(written: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return an object with the fields of an inner one in its place."""
    return {**{key: value for key, value in written.items() if key != name}, **(written.get(name) or {})}


def claim_for(version: str, claim: Mapping[str, Any]) -> dict[str, Any]:
    """Return a claim in the form of a version."""
    document = {**claim, "apiVersion": f"resource.k8s.io/{version}", "kind": "ResourceClaim"}
    if version == "v1beta1":
        devices = (claim.get("spec") or {}).get("devices") or {}
        requests = [_lifted(request, "exactly") for request in devices.get("requests") or ()]
        document["spec"] = {**(claim.get("spec") or {}), "devices": {**devices, "requests": requests}}
    return document
