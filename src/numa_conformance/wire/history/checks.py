"""Messages of the protocol held to more than their form: bounds of numbers, texts that are sets of ids."""

from __future__ import annotations

from functools import cache, reduce
from operator import or_
from types import NoneType, UnionType, new_class
from typing import Any, Union, get_args, get_origin

import msgspec
from msgspec import NODEFAULT, UNSET, UnsetType

from .. import values as wire
from .values import BookedBytes, Bytes, CpuCount, IdText, MaybeNode, NodeId, NodeList, Number

_HELD_TO: dict[Any, Any] = {
    int: Number,
    wire.IdList: IdText,
    wire.NodeIds: NodeList,
    wire.NodeId: NodeId,
    wire.NodeIdOrNone: MaybeNode,
    wire.Bytes: Bytes,
    wire.Booked: BookedBytes,
    wire.CpuCount: CpuCount,
}
"""What stands for a type of the protocol where a history is read."""


def with_checks(kind: Any) -> Any:
    """Return a type of the protocol with its checks: of a message an heir, so that what is read is such a message."""
    if kind in _HELD_TO:
        return _HELD_TO[kind]
    inner = get_args(kind)
    if inner:
        options = tuple(map(with_checks, inner))
        return reduce(or_, options) if get_origin(kind) in (Union, UnionType) else get_origin(kind)[options]
    return class_with_checks(kind) if isinstance(kind, type) and issubclass(kind, msgspec.Struct) else kind


@cache
def class_with_checks(kind: type[msgspec.Struct], **options: bool) -> type[msgspec.Struct]:
    """Return an heir of a message whose fields are checked; what is left out of one that may be null is null."""
    kinds: dict[str, Any] = {}
    defaults: dict[str, Any] = {}
    for field in msgspec.structs.fields(kind):
        of, default = field.type, field.default
        if default is UNSET and NoneType in get_args(of):
            of, default = reduce(or_, (option for option in get_args(of) if option is not UnsetType)), None
        if not field.required:
            factory = field.default_factory
            defaults[field.name] = msgspec.field(default_factory=factory) if default is NODEFAULT else default
        kinds[field.name] = with_checks(of)
    body = {"__annotations__": kinds, "__module__": __name__, "__doc__": kind.__doc__, **defaults}
    made: type[msgspec.Struct] = new_class(
        kind.__name__, (kind,), {"frozen": True, "kw_only": True, **options}, lambda names: names.update(body)
    )
    return made
