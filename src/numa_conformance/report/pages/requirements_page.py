"""The parts of the documentation that are made from the code: requirements, those of each release, protocol."""

from collections.abc import Iterable, Iterator

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
from .markdown import FOLDER, first_paragraph, link_to


def requirements_page() -> str:
    """Return ``docs/requirements.md``."""
    return render(
        "requirements.md",
        coverage=_coverage(),
        profiles={
            name: "every feature" if features == FEATURES.keys() else _listed(features)
            for name, features in FEATURE_SETS.items()
        },
        chapters=chapters(),
        title_of=title_of,
        link_to=link_to,
        folder=FOLDER,
    )


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
