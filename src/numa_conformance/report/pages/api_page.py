"""Pages made from the code: the public interface, requirements, those of each release, protocol."""

import importlib
import inspect
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

import msgspec

from ...asking.examples.index import asked_by, surfaces_of_tests
from ...asking.groups import GROUPS, groups_of
from ...asking.profiles import FEATURE_SETS
from ...chapters import REQUIREMENTS, Requirement
from ...judging.releases import NEXT, RELEASES
from ...wire import FEATURES, METHODS, PROTOCOL, SURFACES
from ...wire.faults import UNSUPPORTED
from ...wire.message import Message
from ..html import render
from .chapter_pages import chapters, title_of
from .source_pages import FOLDER, first_paragraph, link_to


def requirements_page() -> str:
    """Return ``docs/requirements.md``."""
    sets = FEATURE_SETS.items()
    profiles = {name: "every feature" if each == FEATURES.keys() else _listed(each) for name, each in sets}
    links = {"title_of": title_of, "link_to": link_to, "folder": FOLDER}
    return render("requirements.md", coverage=_coverage(), profiles=profiles, chapters=chapters(), **links)


def _coverage() -> Iterator[tuple[object, ...]]:
    """Yield by area, and of all, how many requirements there are, and how many are asked in which way."""
    areas: dict[str, list[Requirement]] = {}
    for requirement in REQUIREMENTS.values():
        areas.setdefault(requirement.area, []).append(requirement)
    for area, requirements in (*areas.items(), ("all", list(REQUIREMENTS.values()))):
        ways = [asked_by(requirement.id) for requirement in requirements]
        yield area, len(ways), *(sum(name in way for way in ways) for name in ("histories", "example"))


def requirement_changes_page() -> str:
    """Return ``docs/requirement-changes.md``."""
    first, *later = RELEASES
    return render(
        "requirement_changes.md",
        releases=[(name, new_in(name), RELEASES[name].tightened) for name in reversed(later)],
        first=first,
        first_count=len(RELEASES[first].new),
        link_to=link_to,
    )


def new_in(release: str) -> list[Requirement]:
    """Return the requirements that came in a release of the suite, in the order of the registry."""
    listed = {id for each in RELEASES.values() for id in each.new}
    of_release = set(RELEASES[release].new) | (REQUIREMENTS.keys() - listed if release == NEXT else set())
    return [requirement for id, requirement in REQUIREMENTS.items() if id in of_release]


def protocol_page() -> str:
    """Return ``docs/protocol.md``."""
    return render(
        "protocol.md",
        unsupported=UNSUPPORTED,
        protocol=PROTOCOL,
        methods=list(METHODS.values()),
        surfaces=SURFACES,
        features=[(name, text, _listed(_surfaces_of(name))) for name, text in FEATURES.items()],
        first_line=_first_line,
        first_paragraph=first_paragraph,
        fields=_fields,
    )


def _surfaces_of(feature: str) -> frozenset[str]:
    """Return the surfaces through which some requirement asks for a feature."""
    asking = [requirement.id for requirement in REQUIREMENTS.values() if feature in requirement.features]
    direct = frozenset[str]().union(*(surfaces_of_tests().get(id, ()) for id in asking))
    return direct | {GROUPS[group].surface for id in asking for group in groups_of(id)}


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))


def _fields(message: type[Message]) -> str:
    fields = msgspec.structs.fields(message)
    shown = [f"`{field.encode_name}`" if field.required else f"[`{field.encode_name}`]" for field in fields]
    return ", ".join(shown) or "nothing"


def _first_line(message: type[Message]) -> str:
    return (message.__doc__ or "").strip().partition("\n")[0].replace("|", "\\|")


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
        if isinstance(value, type) and issubclass(value, Message):
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
    return re.sub("``(.+?)``", r"`\1`", first_paragraph(value))
