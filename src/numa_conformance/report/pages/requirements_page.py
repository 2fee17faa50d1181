"""The parts of the documentation that are made from the code: requirements, protocol."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from ...asking.examples.index import asked_by, surfaces_of_tests
from ...asking.groups import GROUPS, groups_of
from ...asking.profiles import FEATURE_SETS
from ...chapters import REQUIREMENTS, Requirement
from ...wire import FEATURES, METHODS, PROTOCOL, SURFACES
from ...wire.faults import UNSUPPORTED
from ...wire.message import Message
from .chapter_pages import chapters, title_of
from .markdown import FOLDER, first_paragraph, joined, link_to, table


def requirements_page() -> str:
    """Return ``docs/requirements.md``."""
    lines = [
        "# Requirements",
        "",
        "What the suite asks, and the [statements](statements.md) of the documentation it rests on. "
        "This page is made from the registry: "
        "`numa-conformance requirements --markdown`. Ids never change and are never used again. "
        "Each chapter has a page: the sentences, where they are not tested, and of each judge what is wrong and right. "
        "Which allocators break them is on [another page](mutants.md).",
        "",
        "A requirement is asked by an *example* that is written out, or by generated *conversations* "
        "([how it asks and judges](histories.md)).",
        "",
    ]
    areas: dict[str, list[Requirement]] = {}
    for requirement in REQUIREMENTS.values():
        areas.setdefault(requirement.area, []).append(requirement)
    areas_and_all = [*areas.items(), ("all", list(REQUIREMENTS.values()))]
    rows = [_coverage(area, requirements) for area, requirements in areas_and_all]
    lines += table(("area", "requirements", "by conversations", "by an example"), rows)
    lines += ["", "## Profiles", "", "`--numa-profile NAME@VERSION` asks for what needs these features only.", ""]
    whole = "every feature"
    profiles = {name: whole if each == FEATURES.keys() else _listed(each) for name, each in FEATURE_SETS.items()}
    lines += table(("profile", "features"), ((f"`{name}`", listed) for name, listed in profiles.items()))
    lines += ["", "## Chapters", ""]
    for page, requirements in chapters().items():
        lines += [f"- [{title_of(requirements)}]({FOLDER}/{page}.md)"]
        lines += [f"    - {link_to(requirement.id)}: {requirement.strength}" for requirement in requirements]
    return joined(lines)


def _coverage(area: str, requirements: list[Requirement]) -> tuple[object, ...]:
    ways = [asked_by(requirement.id) for requirement in requirements]
    counts = (sum(name in way for way in ways) for name in ("conversations", "example"))
    return area, len(requirements), *counts


def protocol_page() -> str:
    """Return ``docs/protocol.md``."""
    lines = [
        "# Protocol",
        "",
        "JSON-RPC 2.0 over standard input and output, one message a line, UTF-8. Unknown fields are refused by name. "
        "Three files are shipped: the JSON Schema of every message (`fixtures/schemas/protocol.schema.json`), the "
        "machine's (`fixtures/schemas/machine.schema.json`), and an exchange of every kind "
        "(`fixtures/schemas/protocol.examples.jsonl`). `numa-conformance requirements --protocol` makes this page.",
        "",
        "`shutdown` is a notification: end now. Error code -32601 says that a method is not claimed. "
        f"Error code {UNSUPPORTED}, in answer to a question that tells a machine, says that this machine, configured "
        "as the question tells, is outside of what the target supports; its message is the reason.",
        "",
        f"This is version {PROTOCOL}. [Targets of version 1](write-a-target.md#targets-of-version-1) are not asked. "
        "A later addition is an optional field that goes with a feature. A target that does not claim the feature "
        "leaves the field out, and is not sent it. In the lists below fields in brackets may be left out. Where a "
        "method has several replies, `result` says which one it is.",
        "",
        "## Methods",
        "",
        *table(
            ("method", "surface", "question"),
            ((f"`{method.name}`", method.surface, _first_line(method.request.__doc__)) for method in METHODS.values()),
        ),
    ]
    for method in METHODS.values():
        sentence = f"{first_paragraph(method.request)} It takes {_fields(method.request)}."
        lines += ["", f"### `{method.name}`", "", sentence, ""]
        for reply in method.replies:
            tag = reply.__struct_config__.tag
            lines.append(f"- {f'`{tag}`: ' if tag else ''}{first_paragraph(reply)} Fields: {_fields(reply)}.")
    lines += ["", "## Surfaces", "", *table(("surface", "what it is"), ((f"`{n}`", t) for n, t in SURFACES.items()))]
    lines += [
        "",
        "## Features",
        "",
        "A feature is tested through the surfaces on which it shows. A feature that is claimed without any of them was "
        "not tested, and the run says so.",
        "",
        *table(
            ("feature", "what it is", "shows on"),
            (
                (f"`{name}`", text, _listed(surfaces_of_feature(name)) or "recorded decisions alone")
                for name, text in FEATURES.items()
            ),
        ),
    ]
    return joined(lines)


def surfaces_of_feature(feature: str) -> frozenset[str]:
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


def _first_line(text: str | None) -> str:
    return (text or "").strip().split("\n", 1)[0].replace("|", "\\|")
