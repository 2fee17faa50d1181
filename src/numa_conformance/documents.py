"""Reading YAML and JSON from strangers: safe, bounded, and with the place of every fault."""

import gc
import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from .errors import Fault, UsageError
from .fields import object_once
from .files import parts_of, read_bounded, text_of
from .pasted import decoded, plain_documents, plain_lines
from .yaml_loader import BASE, Loader

MAX_JSON_BYTES = 256 * 1024 * 1024
"""Enough for what kubectl prints of 18,000 pods."""
MAX_YAML_BYTES = 32 * 1024 * 1024
"""Less, since YAML takes twenty times the time and memory."""
MAX_NODES = 4_500_000
"""Values a document may expand to: aliases are counted each time they are used, so that a small file stays small."""
MAX_YAML_NODES = 1_500_000
"""Keys and values of one YAML document; each takes half a kilobyte until the document is read."""
MAX_DEPTH = 100
_HARMLESS = 500
_INSTEAD = "JSON, or several documents"
_NO_TABS = "blanks in place of tabs, and quotes around what begins with @ or `"
_JSON = re.compile(rb"\s*[{\[]")
_ONLY_JSON = re.compile(r'\s*\{\s*"[^"\\]*"\s*:')
"""How JSON begins, and few would begin YAML."""
_BLANK = re.compile(r"[ \t\r\n]*")
_HEAD = 65_536
MAX_PASTED = 1024 * 1024
"""Bytes of a text in which prompts and fences are looked for."""
_JSON_TEXT = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Text:
    """A text in place of a file. ``name``: what faults call it."""

    name: str
    content: str

    def __str__(self) -> str:
        return self.name


Source = Path | str | Text
"""A file, ``-`` for standard input, or a text."""


@dataclass(slots=True, eq=False)
class Document:
    """One document of a file: its place (``pods.yaml``, or ``pods.yaml: document 2``) and its value.

    ``notes``: what else stands there and is not read.
    """

    place: str
    value: Any
    notes: tuple[str, ...] = ()


def read_documents(path: Source) -> list[Document]:
    """Read all documents of a YAML or JSON file; ``-`` reads standard input. Empty documents are left out.

    Raises ``UsageError`` naming file, line and column.
    """
    return read_text(read_content(path), name_of(path))


def name_of(path: Source) -> str:
    """Return what faults call a file."""
    return "standard input" if str(path) == "-" else str(path)


def read_text(text: bytes | str, name: str, repeated: list[str] | None = None) -> list[Document]:
    """Read all documents of a text that faults call ``name``; with ``repeated`` a key given twice is noted there.

    What a person has pasted with a prompt or in a fence of Markdown is read without.
    """
    try:
        documents = _read_text(text, name, repeated)
        if not any(isinstance(document.value, str) or _begins_with_prompt(document.value) for document in documents):
            return documents
        error = None
    except UsageError as first:
        documents, error = [], first
    if len(text) <= MAX_PASTED:
        pasted = decoded(text)
        plain = plain_documents(pasted)
        if plain.strip() != pasted.strip():
            (repeated or []).clear()
            with suppress(UsageError):
                documents = _read_text(plain, name, repeated)
                error = None
    if error:
        raise error
    return documents


def _begins_with_prompt(value: object) -> bool:
    return isinstance(value, dict) and bool(value) and not plain_lines(next(iter(value))).strip()


def _read_text(text: bytes | str, name: str, repeated: list[str] | None) -> list[Document]:
    try:
        with _without_collector():
            values = _load(text, name, repeated)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else name
        problem = error.problem or error.context or ""
        instead = _instead_of(text) or (_NO_TABS if "tab char" in problem or "any token" in problem else "")
        raise UsageError(Fault(place, f"not YAML: {problem}", instead)) from error
    except (yaml.YAMLError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
        # PyYAML's constructors raise whatever comes of a tag that does not suit its value.
        raise UsageError(Fault(name, f"not YAML: {' '.join(str(error).split())}")) from error
    except RecursionError as error:
        raise UsageError(Fault(name, "the document is nested too deeply", f"at most {MAX_DEPTH} levels")) from error
    documents = [
        Document(f"{name}: document {number}" if len(values) > 1 else name, value)
        for number, value in enumerate(values, 1)
        if value is not None
    ]
    for document in documents:
        _check_extent(document)
    return documents


def _instead_of(text: bytes | str) -> str:
    """Return what to give in place of a text whose format is known and is not read."""
    head = text[:_HEAD] if isinstance(text, bytes) else text[:_HEAD].encode("utf-8", "replace")
    formats = parts_of(text_of(__package__, "other_formats.txt"))  # what is right does not pay for it
    return next((" ".join(lines) for pattern, lines in formats if re.search(pattern.encode(), head, re.M)), "")


def read_content(path: Source) -> bytes | str:
    """Return what begins as JSON does decoded, so that no more than one copy is held, and all else as it is."""
    name, from_input = name_of(path), str(path) == "-"
    try:
        if isinstance(path, Text):
            content = path.content.encode("utf-8", "surrogatepass")
        elif from_input:
            content = sys.stdin.buffer.read(MAX_JSON_BYTES + 1)
        else:
            content = read_bounded(Path(path), MAX_JSON_BYTES)
    except OSError as error:
        raise UsageError(Fault(name, f"cannot be read: {error.strerror or error}")) from error
    if len(content) > MAX_JSON_BYTES:
        raise UsageError(Fault(name, f"is larger than {MAX_JSON_BYTES} bytes"))
    if _JSON.match(content):
        try:
            return content.decode(json.detect_encoding(content), "surrogatepass")
        except UnicodeDecodeError:
            pass  # the YAML reader says where
    return content


@contextmanager
def _without_collector() -> Iterator[None]:
    """Leave the collector of cycles off: the more is read, the more often it would look at all of it again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _load(text: bytes | str, name: str, repeated: list[str] | None) -> list[Any]:
    if isinstance(text, str):
        _check_number(text, name)
        try:
            return list(_json_values(text))
        except ValueError as error:
            if isinstance(error, json.JSONDecodeError) and _ONLY_JSON.match(text):
                place, is_cut = f"{name}:{error.lineno}:{error.colno}", not re.search(r"[]}]", text[error.pos :])
                raise UsageError(
                    Fault(place, f"not JSON: {error.msg}", "the text to its end" if is_cut else "")
                ) from error
            text = text.encode("utf-8", "surrogatepass")  # YAML's flow style; or the YAML reader says what is wrong
    if len(text) > MAX_YAML_BYTES:
        raise ValueError(f"YAML of more than {MAX_YAML_BYTES} bytes; JSON may have {MAX_JSON_BYTES}")
    if _may_be_vast(text):
        _check_events(text, name)
    loader = Loader if repeated is None else type("_Noting", (Loader,), {"repeated": repeated})
    return list(yaml.load_all(text, Loader=loader))  # a subclass of the safe loader


def _json_values(text: str) -> Iterator[Any]:
    """Yield the values of JSON, of which several may follow each other."""
    decoder, at = json.JSONDecoder(object_pairs_hook=object_once), 0
    while rest := _BLANK.match(text, at):
        if (at := rest.end()) == len(text):
            return
        value, at = decoder.raw_decode(text, at)
        yield value


def _check_number(text: str, name: str) -> None:
    """Refuse JSON of more values than are accepted before they are built; commas inside of texts count for nothing."""
    if max(text.count(","), text.count("["), text.count("{")) > MAX_NODES:
        text = _JSON_TEXT.sub("", text)
        if max(text.count(","), text.count("["), text.count("{")) > MAX_NODES:
            raise UsageError(Fault(name, f"the document has more than {MAX_NODES} values"))


def _may_be_vast(text: bytes) -> bool:
    """Tell whether a look at levels and numbers is worth its time.

    Each level takes a bracket, or a column of the longest line; each key and value a character that is one of these.
    """
    brackets = text.count(b"[") + text.count(b"{")
    numbers = sum(map(text.count, (b"\n", b"\r", b",", b":", b"- ", b"?")))
    return (
        brackets > _HARMLESS
        or brackets + numbers > MAX_YAML_NODES
        or max(map(len, text.splitlines()), default=0) > _HARMLESS
    )


def _check_events(text: bytes, name: str) -> None:
    """Refuse what nests too deeply or is too much before it is composed.

    The C library composes by recursion, without a limit, and what is composed takes fifty times its text.
    """
    depth = number = 0
    for event in yaml.parse(text, Loader=BASE):
        if isinstance(event, yaml.DocumentStartEvent):
            number = 0
        elif isinstance(event, yaml.NodeEvent):
            number += 1
            if number > MAX_YAML_NODES:
                raise UsageError(Fault(name, f"a document has more than {MAX_YAML_NODES} keys and values", _INSTEAD))
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                mark: Any = event.start_mark  # the C library's type, unknown to the exception's
                raise yaml.MarkedYAMLError(problem=f"nested more than {MAX_DEPTH} levels deep", problem_mark=mark)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _check_extent(document: Document) -> None:
    """Refuse a document whose aliases expand beyond all bounds, or that contains itself."""
    left = MAX_NODES
    stack: list[tuple[Any, int]] = [(document.value, 1)]
    while stack:
        value, depth = stack.pop()
        left -= 1
        if left < 0:
            raise UsageError(Fault(document.place, f"the document expands to more than {MAX_NODES} values"))
        if depth > MAX_DEPTH:
            raise UsageError(Fault(document.place, "the document is nested too deeply", f"at most {MAX_DEPTH} levels"))
        if isinstance(value, str):
            _check_text(value, document.place)
        elif isinstance(value, dict):
            for key in value:
                _check_text(key, document.place)
                if not key.isprintable():
                    accepted = "one line of printable characters"
                    raise UsageError(Fault(document.place, f"{key[:40]!a} is no name of a field", accepted))
            stack.extend((inner, depth + 1) for inner in value.values())
        elif isinstance(value, list):
            stack.extend((inner, depth + 1) for inner in value)


def _check_text(text: str, place: str) -> None:
    """Refuse half of a surrogate pair, which JSON can escape and no file, message or answer can hold."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise UsageError(Fault(place, f"the text {text[:40]!a} is no Unicode")) from error
