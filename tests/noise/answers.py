"""Well-typed nonsense: an answer of the protocol with one field changed, as its schema allows."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from numa_conformance.files import data_folder

NUMBERS = (-1, 0, 1, 4095, 5000, 2**31, 2**63 - 1)
TEXTS = ("", "x", "0-99999", "5-3", "0-65535", "4000", "0,0", " 1", "٣", "\U0001f980", "a/b", "9" * 50)
LEFT_OUT = object()
Change = Callable[[Any], Any]
Place = tuple[tuple[Any, ...], list[Change]]
"""The way to a field, and what may become of it."""


@cache
def schema() -> dict[str, Any]:
    return json.loads((data_folder("fixtures") / "schemas" / "protocol.schema.json").read_text("utf-8"))


def odd(method: str, answer: Mapping[str, Any], lot: random.Random) -> dict[str, Any]:
    """Return an answer with one field changed, anywhere in it; one that says nothing stays as it is."""
    places = [place for place in _places(answer, schema()["methods"][method]["result"], ()) if place[1]]
    if not places:
        return dict(answer)
    path, changes = lot.choice(places)
    changed: dict[str, Any] = _changed(answer, path, lot.choice(changes))
    return changed


def _places(value: Any, form: Mapping[str, Any], path: tuple[Any, ...]) -> Iterator[Place]:
    """Yield where something may be changed, and how."""
    form = _form_of(value, form)
    yield path, list(_changes(value, form))
    if isinstance(value, dict):
        for name, inner in value.items():
            properties = form.get("properties", {})
            below = properties.get(name) or form.get("additionalProperties") or {}
            optional = name in properties and name not in form["required"]
            if isinstance(below, dict) and name != "result":
                if optional:
                    yield (*path, name), [lambda _: LEFT_OUT]
                if any(option.get("type") == "null" for option in below.get("anyOf", ())):
                    yield (*path, name), [lambda _: None]
                yield from _places(inner, below, (*path, name))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _places(inner, form.get("items", {}), (*path, number))


def _form_of(value: Any, form: Mapping[str, Any]) -> Mapping[str, Any]:
    if "$ref" in form:
        return _form_of(value, schema()["$defs"][form["$ref"].rpartition("/")[2]])
    for option in form.get("anyOf", ()):
        known = _form_of(value, option)
        tags = known.get("properties", {}).get("result", {}).get("enum")
        if (value is None) == (known.get("type") == "null") and (tags is None or value["result"] in tags):
            return known
    return form


def _changes(value: Any, form: Mapping[str, Any]) -> Iterator[Change]:
    match value:
        case bool():
            yield lambda was: not was
        case int():
            yield from (lambda _, number=number: number for number in NUMBERS)
        case str():
            yield from (lambda _, text=text: text for text in TEXTS)
        case list():
            yield lambda _: []
            yield lambda was: was + was
            if value:
                yield lambda was: was[1:]
                yield lambda was: was[::-1]
        case dict() if "properties" not in form:
            yield lambda _: {}
            if value:
                yield lambda was: dict(list(was.items())[1:])
                yield lambda was: {f"{name} of another": one for name, one in was.items()}
                yield lambda was: {**was, "another": next(iter(was.values()))}


def _changed(value: Any, path: tuple[Any, ...], change: Change) -> Any:
    if not path:
        return change(value)
    first, *rest = path
    inner = _changed(value[first], tuple(rest), change)
    if isinstance(value, list):
        return [*value[:first], inner, *value[first + 1 :]]
    kept = {name: one for name, one in value.items() if name != first or inner is not LEFT_OUT}
    return kept if inner is LEFT_OUT else {**kept, first: inner}
