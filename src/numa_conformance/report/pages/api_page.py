"""The page of the public interface, made from docstrings."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from typing import Any

from ...wire.message import Message
from .markdown import first_paragraph

PUBLIC = ("numa_conformance.targets", "numa_conformance.machines", "numa_conformance.testing")
"""The public modules: what they export stays, and the changelog says what changes. All else is internal."""
_LONG = 40
"""Characters of an argument with its default that a person still reads."""
_CONSTANTS = {
    "Assignments": "pod uid to container to CPUs",
    "MemoryAmounts": "memory type to NUMA node to bytes",
    "METHODS": "every method by its name on the wire",
    "PROTOCOL": "the version of the protocol that a target says it speaks",
    "SURFACES": "every surface by its name",
}
_HEAD = """# The public interface

- **For:** authors of targets and of tests in Python.
- **At the end:** you know what you may import.

These three modules are public: what they export keeps its name and meaning, and the [changelog](../CHANGELOG.md) says
what changes. Every other module is internal: it may change without notice. This page is made by
`numa-conformance requirements --api`.
"""


def api_page() -> str:
    """Return ``docs/api.md``."""
    return "\n".join((_HEAD, *(line for name in PUBLIC for line in _module_lines(name))))


def _module_lines(name: str) -> Iterator[str]:
    module = importlib.import_module(name)
    exported = [(each, getattr(module, each)) for each in sorted(module.__all__, key=str.lower)]
    messages = [(each, value) for each, value in exported if _is_message(value)]
    yield f"## `{name}`\n\n{_text(module)}\n"
    yield from (
        f"- `{each}{_signature(value)}`{_sentence(each, value)}" for each, value in exported if not _is_message(value)
    )
    if messages:
        yield "\nMessages, with the method for those that are requests. [protocol.md](protocol.md) has their fields.\n"
        yield from (f"- `{each}`{_method(value)}{_sentence(each, value)}" for each, value in messages)
    yield ""


def _is_message(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Message)


def _method(message: type[Message]) -> str:
    method = getattr(message, "method", None)
    return f" (`{method.name}`)" if method else ""


def _signature(value: Any) -> str:
    if not inspect.isroutine(inspect.unwrap(value)):
        return ""
    arguments = inspect.signature(value).parameters.values()
    shown = (each.replace(annotation=each.empty) for each in arguments)
    return f"({', '.join(str(each) if len(str(each)) < _LONG else f'{each.name}=...' for each in shown)})"


def _sentence(name: str, value: object) -> str:
    return f": {_CONSTANTS.get(name) or _text(value)}"


def _text(value: object) -> str:
    """Return the first paragraph of a docstring, as Markdown."""
    return re.sub("``(.+?)``", r"`\1`", first_paragraph(value))
