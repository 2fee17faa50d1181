"""The page of the public interface, made from docstrings."""

import importlib
import inspect
import re
from functools import cached_property
from typing import Any

from ...wire.message import Message
from ..html import render
from .markdown import first_paragraph

PUBLIC = ("numa_conformance", "numa_conformance.targets", "numa_conformance.machines", "numa_conformance.testing")
"""The public modules: what they export stays, and the changelog says what changes. All else is internal."""
_LONG = 40
"""Characters of an argument with its default that a person still reads."""
_WITH_MEMBERS = ("AdmissionResult", "Answer", "Comparison", "CpuSet", "Machine", "Node", "Placement")
"""Classes of the root whose members are listed."""
_CONSTRUCTED = ("CpuSet", "Node")
"""Classes that users make themselves, and whose docstring does not list what they take."""
_CONSTANTS = {
    "Assignments": "pod uid to container to CPUs",
    "MemoryAmounts": "memory type to NUMA node to bytes",
    "METHODS": "every method by its name on the wire",
    "PROTOCOL": "the version of the protocol that a target says it speaks",
    "SURFACES": "every surface by its name",
}


def api_page() -> str:
    """Return ``docs/api.md``."""
    return render("api.md", modules=list(map(_module, PUBLIC))).removesuffix("\n")


def _module(name: str) -> tuple[str, str, list[str], list[str]]:
    """Return a module's name and text, a line for each export, and those for messages."""
    module = importlib.import_module(name)
    exported, messages = list[str](), list[str]()
    for each in sorted(module.__all__, key=str.lower):
        value = getattr(module, each)
        if _is_message(value):
            messages.append(f"`{each}`{_method(value)}{_sentence(each, value)}")
        else:
            made_by = value.__init__ if each in _CONSTRUCTED else value
            exported.append(f"`{each}{_signature(made_by)}`{_sentence(each, value)}")
            if each in _WITH_MEMBERS and name == PUBLIC[0]:
                exported += _members(value)
    return name, _text(module), exported, messages


def _members(value: type) -> list[str]:
    """Return a line for each method and property of a class, with its first sentence."""
    members = {name: member for each in reversed(value.__mro__[:-1]) for name, member in vars(each).items()}
    shown = {
        name: getattr(member, "__func__", member)
        for name, member in members.items()
        if name[0] != "_" and not name.endswith("_bits")
    }
    return [
        f"  `{name}{_signature(member)}`: {_text(member)}"
        for name, member in sorted(shown.items())
        if isinstance(member, property | cached_property) or inspect.isfunction(member)
    ]


def _is_message(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Message)


def _method(message: type[Message]) -> str:
    method = getattr(message, "method", None)
    return f" (`{method.name}`)" if method else ""


def _signature(value: Any) -> str:
    if isinstance(value, cached_property) or not inspect.isroutine(inspect.unwrap(value)):
        return ""
    arguments = [each for name, each in inspect.signature(value).parameters.items() if name not in ("self", "cls")]
    shown = (each.replace(annotation=each.empty) for each in arguments)
    return f"({', '.join(str(each) if len(str(each)) < _LONG else f'{each.name}=...' for each in shown)})"


def _sentence(name: str, value: object) -> str:
    return f": {_CONSTANTS.get(name) or _text(value)}"


def _text(value: object) -> str:
    """Return the first paragraph of a docstring, as Markdown."""
    return re.sub("``(.+?)``", r"`\1`", first_paragraph(value))
