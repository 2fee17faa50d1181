"""The forms that the protocol tells apart in each place of an answer, and answers with another form in one place."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin

import msgspec
from msgspec import UnsetType

from numa_conformance.cpuset import CpuSet
from numa_conformance.wire import values as wire
from numa_conformance.wire.history.answers import HISTORY_METHODS

__all__ = ["FORMS", "Place", "form_of", "places", "replaced", "simplest"]

SIZES = ("empty", "one", "many")
NUMBERS = ("zero", "positive")
TRUTH = ("false", "true")


class Place(NamedTuple):
    """A place of an answer: its name, the keys that lead there, its type, and what is there."""

    name: str
    keys: tuple[Any, ...]
    kind: Any
    value: Any


def _options(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def _alternatives(kind: Any) -> list[Any]:
    """Return the types that a value may have, null and absent apart."""
    return [option for option in _options(kind) if option not in (NoneType, UnsetType)]


def _bare(kind: Any) -> Any:
    return get_args(kind)[0] if get_origin(kind) is Annotated else kind


def _is_message(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _tag(kind: Any) -> str:
    return str(msgspec.inspect.type_info(kind).tag)  # type: ignore[attr-defined]


def forms(kind: Any) -> tuple[str, ...]:
    """Return the forms of a place of this type; none where nothing is told apart."""
    alternatives = _alternatives(kind)
    null = ("null",) if len(alternatives) < len(_options(kind)) else ()
    if any(map(_is_message, alternatives)):
        return (*null, *map(_tag, alternatives)) if len(alternatives) > 1 else (*null, *(("message",) * bool(null)))
    (inner,) = alternatives
    bare = _bare(inner)
    if inner == wire.IdList or get_origin(bare) in (list, dict):
        return (*null, *SIZES)
    if null and bare is str:
        return (*null, "text")
    if inner in (wire.NodeId, wire.NodeIdOrNone):
        return null
    return (*null, *{int: NUMBERS, float: NUMBERS, bool: TRUTH}.get(bare, ()))


def form_of(kind: Any, value: Any) -> str:
    """Return the form of what is in a place."""
    if value is None:
        return "null"
    alternatives = _alternatives(kind)
    if any(map(_is_message, alternatives)):
        return str(value["result"]) if len(alternatives) > 1 else "message"
    if alternatives == [wire.IdList]:
        return SIZES[min(len(CpuSet.parse(value)), 2)]
    match value:
        case bool():
            return TRUTH[value]
        case int() | float():
            return NUMBERS[value != 0]
        case str():
            return "text"
        case _:
            return SIZES[min(len(value), 2)]


def _below(kind: Any, value: Any, name: str, keys: tuple[Any, ...]) -> Iterator[Place]:
    """Yield a place that is told forms apart, and all below."""
    if forms(kind):
        yield Place(name, keys, kind, value)
    if value is None:
        return
    alternatives = _alternatives(kind)
    if any(map(_is_message, alternatives)):
        several = len(alternatives) > 1
        message = next(each for each in alternatives if not several or _tag(each) == value["result"])
        for field in msgspec.structs.fields(message):
            here = f"{name} {_tag(message)}" if several else name
            yield from _below(field.type, value.get(field.encode_name), f"{here}.{field.name}", (*keys, field.name))
        return
    inner = _bare(alternatives[0])
    if get_origin(inner) is list:
        for number, item in enumerate(value):
            yield from _below(get_args(inner)[0], item, f"{name}[]", (*keys, number))
    elif get_origin(inner) is dict and get_args(inner)[1] is not Any:
        for key, item in value.items():
            yield from _below(get_args(inner)[1], item, f"{name}{{}}", (*keys, key))


def places(method: str, answer: Mapping[str, Any]) -> Iterator[Place]:
    """Yield every place of an answer in which forms are told apart."""
    yield from _below(HISTORY_METHODS[method].reply, answer, method, ())


def _named(kind: Any, name: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    if forms(kind):
        yield name, forms(kind)
    alternatives = _alternatives(kind)
    for each in alternatives:
        inner = _bare(each)
        if _is_message(each):
            here = f"{name} {_tag(each)}" if len(alternatives) > 1 else name
            for field in msgspec.structs.fields(each):
                yield from _named(field.type, f"{here}.{field.name}")
        elif get_origin(inner) is list:
            yield from _named(get_args(inner)[0], f"{name}[]")
        elif get_origin(inner) is dict and get_args(inner)[1] is not Any:
            yield from _named(get_args(inner)[1], f"{name}{{}}")


FORMS: Mapping[str, tuple[str, ...]] = {
    name: told for method, known in HISTORY_METHODS.items() for name, told in _named(known.reply, method)
}
"""Every place of the answers of every method that a history has, and its forms."""


def replaced(answer: Any, keys: tuple[Any, ...], value: Any) -> Any:
    """Return an answer with another value in one place."""
    if not keys:
        return value
    made = copy.copy(answer)
    made[keys[0]] = replaced(answer.get(keys[0]) if isinstance(answer, dict) else answer[keys[0]], keys[1:], value)
    return made


def simplest(kind: Any, form: str, value: Any) -> Any:
    """Return the nearest value of another form; raises ``LookupError`` where there is none at hand."""
    simple = {"null": None, "false": False, "true": True, "zero": 0, "positive": 1, "text": "another"}
    if form in simple:
        return simple[form]
    is_ids = _alternatives(kind) == [wire.IdList]
    if form == "empty":
        return "" if is_ids or isinstance(value, str) else type(value)() if value is not None else _empty(kind)
    if is_ids and value:
        first = min(CpuSet.parse(value))
        return str(first) if form == "one" else f"{first},{first + 1}"
    if form == "one" and value and isinstance(value, (list, dict)):
        return value[:1] if isinstance(value, list) else dict(list(value.items())[:1])
    if form == "many" and value and isinstance(value, list):
        return [*value, _another(value[0])]
    raise LookupError(form)


def _another(item: Any) -> Any:
    """Return an item of a list beside one: another number or text, or a message once more."""
    return item + 1 if isinstance(item, int) else f"another-{item}" if isinstance(item, str) else item


def _empty(kind: Any) -> Any:
    inner = _bare(_alternatives(kind)[0])
    return (get_origin(inner) or inner)()
