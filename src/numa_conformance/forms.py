"""Objects of a known form: a msgspec Struct says what is accepted. All faults come at once, each with its line."""

import os
import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import msgspec
import yaml
from msgspec import inspect

from .errors import Fault, UsageError, closest
from .fields import Fields, kind_of, shown, whole_number
from .files import read_bounded

_Form = TypeVar("_Form", bound=msgspec.Struct)
_LARGEST = 2**63 - 1
"""The largest limit that msgspec can name; as a limit it says nothing to a person."""
MAX_BYTES = 4 * 1024 * 1024
"""Faults in a larger file have a field path and no line."""
_DOCUMENT = re.compile(r"document ([0-9]{1,6})")
_ENTRY = re.compile(r"\[([0-9]{1,9})\]")
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_form(form: type[_Form], value: object, place: str = "", path: str = "") -> _Form:
    """Return the object at ``path`` of a place (a file, a document) as the Struct ``form``.

    Where a type does not say to a person what it accepts, ``Meta(extra={"accepted": "..."})`` does. A text with
    ``extra={"like": regular expression}`` is compared with it when anything else is wrong, so all faults come at once.
    Where nothing else is wrong, the user of the text compares it. Raises ``UsageError`` with every fault and its field
    path.
    """
    try:
        return msgspec.convert(value, form)
    except msgspec.ValidationError as error:
        # msgspec stops at the first fault and words it for programmers: look again, for all of them.
        fields = Fields(place)
        _check(inspect.type_info(form), value, path, fields)
        if fields.sound:
            fields.fault(path, str(error))
        fields.raise_if_any()
        raise AssertionError("a fault was recorded") from error


def _check(kind: inspect.Type, value: Any, path: str, fields: Fields, accepted: str = "") -> None:
    """Record how a value departs from its type; ``accepted`` is what the union around it says to a person."""
    bare = _bare(kind)
    accepted = _extra(kind, "accepted") or accepted
    if isinstance(bare, inspect.UnionType) and _suits(bare, value):
        _check(next(member for member in bare.types if _suits(member, value)), value, path, fields, accepted)
    elif not _suits(bare, value):
        _refuse_kind(bare, value, path, fields, accepted)
    elif isinstance(bare, inspect.StructType):
        _check_object(bare, value, path, fields)
    elif isinstance(bare, inspect.DictType):
        _check_names(bare, value, path, fields)
    elif isinstance(bare, inspect.ListType):
        _check_list(bare, value, path, fields)
    elif not _within(kind, value):
        near = closest(value, map(str, bare.values)) if isinstance(bare, inspect.LiteralType) else None
        fields.fault(path, f"is {shown(value)}", accepted or _accepted(bare), near)


def _refuse_kind(kind: inspect.Type, value: object, path: str, fields: Fields, accepted: str) -> None:
    """Record a value of another JSON kind than the type's."""
    if isinstance(kind, inspect.StrType) and value is not None and not accepted:
        fields.text(value, path)
    elif isinstance(kind, (inspect.StructType, inspect.DictType, inspect.ListType)):
        fields.fault(path, f"is {kind_of(value)}", accepted or _accepted(kind))
    else:
        fields.fault(path, f"is {shown(value)}", accepted or _accepted(kind))


def _check_object(kind: inspect.StructType, obj: Mapping[str, Any], path: str, fields: Fields) -> None:
    fields.known(obj, path, [field.encode_name for field in kind.fields])
    for field in kind.fields:
        if field.required or field.encode_name in obj:
            _check(field.type, obj.get(field.encode_name), _below(path, field.encode_name), fields)


def _check_names(kind: inspect.DictType, obj: Mapping[object, Any], path: str, fields: Fields) -> None:
    for name, value in obj.items():
        if not isinstance(name, str):
            fields.text(name, _below(path, str(name)))
        elif not _within(kind.key_type, name):
            fields.fault(_below(path, name), "is not accepted", _extra(kind.key_type, "accepted"))
        _check(kind.value_type, value, _below(path, str(name)), fields)


def _check_list(kind: inspect.ListType, entries: list[Any], path: str, fields: Fields) -> None:
    if kind.max_length is not None and len(entries) > kind.max_length:
        fields.fault(path, f"has {len(entries)} entries", f"at most {kind.max_length}")
        return
    if len(entries) < (kind.min_length or 0):
        fields.fault(path, f"has {len(entries)} entries", f"at least {kind.min_length}")
    for index, entry in enumerate(entries):
        _check(kind.item_type, entry, f"{path}[{index}]", fields)


def _suits(kind: inspect.Type, value: object) -> bool:
    """Tell whether a value is of the type's JSON kind, whatever its limits are."""
    bare = _bare(kind)
    if isinstance(bare, inspect.UnionType):
        return any(_suits(member, value) for member in bare.types)
    if isinstance(bare, inspect.IntType):
        return type(value) is int  # Python's bool is an int
    if isinstance(bare, inspect.BoolType):
        return isinstance(value, bool)
    if isinstance(bare, (inspect.StrType, inspect.LiteralType)):
        return isinstance(value, str)
    if isinstance(bare, inspect.ListType):
        return isinstance(value, list)
    if isinstance(bare, (inspect.DictType, inspect.StructType)):
        return isinstance(value, Mapping)
    return isinstance(bare, inspect.NoneType) and value is None


def _within(kind: inspect.Type, value: Any) -> bool:
    """Tell whether a number or a text of the right kind is within the type's limits."""
    bare = _bare(kind)
    if isinstance(bare, inspect.IntType):
        return (bare.ge is None or value >= bare.ge) and (bare.le is None or value <= bare.le)
    if isinstance(bare, inspect.StrType):
        like = _extra(kind, "like")
        return len(value) >= (bare.min_length or 0) and (not like or bool(re.fullmatch(like, value)))
    return not isinstance(bare, inspect.LiteralType) or value in bare.values


def _accepted(kind: inspect.Type) -> str:
    """Return what a type accepts, for a person."""
    bare = _bare(kind)
    if isinstance(bare, inspect.UnionType):
        return " or ".join(_extra(member, "accepted") or _accepted(member) for member in bare.types)
    if isinstance(bare, inspect.LiteralType):
        return ", ".join(map(str, bare.values))
    if isinstance(bare, inspect.IntType):
        return whole_number(bare.ge, None if bare.le == _LARGEST else bare.le)
    names = {
        inspect.StrType: "a text",
        inspect.BoolType: "true or false",
        inspect.ListType: "a list",
        inspect.NoneType: "null",
    }
    return names.get(type(bare), "an object")


def _bare(kind: inspect.Type) -> inspect.Type:
    return kind.type if isinstance(kind, inspect.Metadata) else kind


def _extra(kind: inspect.Type, name: str) -> str:
    """Return what ``Meta(extra={...})`` says beside a type."""
    extra = kind.extra if isinstance(kind, inspect.Metadata) else None
    return str((extra or {}).get(name, ""))


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def with_position(fault: Fault, texts: Mapping[str, str] = MappingProxyType({})) -> Fault:
    """Return a fault whose place names line and column behind the file, where its field can be found in there.

    ``texts``: those that stand in for files, by the names that faults have for them.
    """
    file, *path = fault.place.split(": ")
    try:
        position = _position(file, texts.get(file), path) if path and (file in texts or Path(file).is_file()) else None
    except (UsageError, OSError, yaml.YAMLError, ValueError, RecursionError):
        return fault
    if position is None:
        return fault
    place = ": ".join((f"{file}:{position[0]}:{position[1]}", *path))
    return Fault(place, fault.message, fault.accepted, fault.suggestion)


def _position(file: str, text: str | None, path: list[str]) -> tuple[int, int] | None:
    """Return line and column, from 1, of what a field path leads to; of what is missing, those of what lacks it."""
    numbered = _DOCUMENT.fullmatch(path[0])
    wanted = int(numbered[1]) - 1 if numbered else 0
    node = next(islice(_documents(file, os.stat(file).st_mtime_ns if text is None else text), wanted, None), None)
    mark = None
    for part in path[1:] if numbered else path:
        node, mark = _last(node, mark, part)
    return None if mark is None else (mark.line + 1, mark.column + 1)


@lru_cache(maxsize=1)
def _documents(file: str, content: int | str) -> list[yaml.Node]:
    """Return the documents of a text, or of a file as it is since a time: each may have many faults."""
    text = content[:MAX_BYTES] if isinstance(content, str) else read_bounded(Path(file), MAX_BYTES)
    return list(yaml.compose_all(text, Loader=_LOADER))


def _last(node: yaml.Node | None, mark: yaml.Mark | None, path: str) -> tuple[yaml.Node | None, yaml.Mark | None]:
    """Return what a field path leads to, as far as it is there, and where it begins: a field where its name stands."""
    while path and node is not None:
        step, inner, begin = _step(node, path)
        if inner is None:
            break
        node, mark = inner, begin
        path = path[len(step) :].removeprefix(".")
    return node, mark


def _step(node: yaml.Node, path: str) -> tuple[str, yaml.Node | None, yaml.Mark | None]:
    if isinstance(node, yaml.SequenceNode) and (entry := _ENTRY.match(path)) and int(entry[1]) < len(node.value):
        inner = node.value[int(entry[1])]
        return entry[0], inner, inner.start_mark
    if isinstance(node, yaml.MappingNode):
        # The longest, as names of resources have dots of their own.
        keys = [pair for pair in node.value if re.match(rf"{re.escape(str(pair[0].value))}(?=[.\[]|$)", path)]
        if keys:
            key, value = max(keys, key=lambda pair: len(pair[0].value))
            return key.value, value, key.start_mark
    return "", None, None
