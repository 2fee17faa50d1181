"""JSON as the kubelet writes and reads it: key order, escapes, case-insensitive keys, and the wording of its errors."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
_NUMBERS = {"int": range(-(2**63), 2**63), "uint64": range(2**64), "checksum.Checksum": range(2**64)}
"""Types that hold a number, and which: the decoder tells one that does not fit."""


class GoJsonError(ValueError):
    """A text that is not the JSON expected, worded as the kubelet does."""


def dump(value: Any) -> str:
    """Write compact JSON; key order is that of the mapping, text is escaped as the kubelet's encoder does."""
    try:
        text = msgspec.json.encode(value).decode()
    except (UnicodeEncodeError, OverflowError):  # half a character of a damaged file, an amount beyond 64 bits
        text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    for char, escape in _ESCAPES.items():
        text = text.replace(char, escape)
    return text


def load(text: str) -> Any:
    """Parse JSON; raises ``GoJsonError``. Objects come as lists of pairs wrapped in ``Pairs``, keys as written."""
    try:
        return json.loads(text, object_pairs_hook=Pairs)
    except json.JSONDecodeError as error:
        raise GoJsonError(_word(error, text)) from error
    except (RecursionError, ValueError) as error:
        raise GoJsonError("exceeded max depth") from error


class Pairs(list[tuple[str, Any]]):
    """The members of a JSON object in the order of the text."""


def _word(error: json.JSONDecodeError, text: str) -> str:
    at = error.pos
    rest = text[at:]
    if not rest.strip(" \t\r\n") or error.msg.startswith("Unterminated string"):
        return "unexpected end of JSON input"
    if error.msg == "Expecting value":
        return _word_value(text, at)
    if error.msg.startswith("Invalid control character"):
        return f"invalid character {_quoted(text[at])} in string literal"
    if error.msg.startswith("Invalid \\"):
        return f"invalid character {_quoted(text[at + 1 : at + 2])} in string escape code"
    at += len(rest) - len(rest.lstrip(" \t\r\n"))
    shown = f"invalid character {_quoted(text[at])} "
    if error.msg == "Extra data":
        return shown + "after top-level value"
    if error.msg.startswith("Expecting ':'"):
        return shown + "after object key"
    if error.msg.startswith("Expecting ','"):
        return shown + ("after object key:value pair" if _in_object(text[:at]) else "after array element")
    return shown + "looking for beginning of object key string"


def _word_value(text: str, at: int) -> str:
    word = text[at:]
    for literal in ("true", "false", "null"):
        if literal.startswith(word):
            return "unexpected end of JSON input"
        if word[0] == literal[0]:
            same = next(index for index, char in enumerate(literal) if word[index : index + 1] != char)
            return f"invalid character {_quoted(word[same])} in literal {literal} (expecting {_quoted(literal[same])})"
    return f"invalid character {_quoted(text[at])} looking for beginning of value"


def _quoted(char: str) -> str:
    if char == "'":
        return "'\\''"
    if char == '"':
        return "'\"'"
    return f"'{char}'" if char.isprintable() else f"'\\x{ord(char):02x}'"


def _in_object(before: str) -> bool:
    depth: list[str] = []
    quoted = escaped = False
    for char in before:
        if quoted:
            quoted = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char == '"':
            quoted = True
        elif char in "{[":
            depth.append(char)
        elif char in "}]" and depth:
            depth.pop()
    return bool(depth) and depth[-1] == "{"


def fields(value: Any, known: Mapping[str, str], owner: str) -> Iterator[tuple[str, Any]]:
    """Yield (known name, value) of an object's members, matched without regard to case; unknown ones are ignored.

    ``known`` maps a lower-case name to the name to yield; null members say nothing. Raises ``GoJsonError`` when the
    value is no object.
    """
    if value is None:
        return
    if not isinstance(value, Pairs):
        raise GoJsonError(f"json: cannot unmarshal {kind(value)} into Go value of type {owner}")
    for name, member in value:
        matched = known.get(name.lower())
        if matched is not None and member is not None:
            yield matched, member


def kind(value: Any) -> str:
    """Name a JSON value's type as the kubelet's decoder does."""
    return {bool: "bool", str: "string", Pairs: "object", list: "array"}.get(type(value), "number")


def type_error(value: Any, field: str, wanted: str) -> GoJsonError:
    """Word a member of the wrong type: ``field`` reads ``CPUManagerCheckpoint.policyName``."""
    shown = kind(value)
    if shown == "number" and wanted in _NUMBERS:
        shown = f"number {json.dumps(value)}"
    return GoJsonError(f"json: cannot unmarshal {shown} into Go struct field {field} of type {wanted}")


def string(value: Any, field: str) -> str:
    """Read a text."""
    if not isinstance(value, str):
        raise type_error(value, field, "string")
    return value


def number(value: Any, field: str, wanted: str) -> int:
    """Read a number that fits its type."""
    if isinstance(value, bool) or not isinstance(value, int) or value not in _NUMBERS[wanted]:
        raise type_error(value, field, wanted)
    return value


def string_map(value: Any, field: str) -> dict[str, str]:
    """Read an object of texts."""
    if not isinstance(value, Pairs):
        raise type_error(value, field, "map[string]string")
    for _, member in value:
        if member is not None and not isinstance(member, str):
            raise type_error(member, field, "string")
    return {name: member or "" for name, member in value}
