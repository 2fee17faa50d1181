"""``Statement``: one sentence of a page, how tables of statements are read, and all of them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, cast

from ...files import match_line, parts_of, text_of
from ..options import STATIC_OPTIONS, PolicyOption
from ..pages import PAGES, Page, Section
from ..versions import Span

Strength = Literal["MUST", "SHOULD", "MAY"]
"""MUST: a page of the site says so. SHOULD: it says "best effort", "attempts to", or it is a proposal, a reference of
fields or source. MAY: a permission; it demands nothing, and nothing may forbid what it permits."""

_SECTION = re.compile(r"([a-z0-9.-]+)/([a-z0-9-]+) ([0-9.]+\+) (\S.*?)(?: #(\S*))?")
_SENTENCE = re.compile(r"([a-z0-9-]+) \[(MUST|SHOULD|MAY)(?: ([0-9.+-]+))?\] (\S.*?)(?: untestable: (\S.*))?")
_WHAT = "a section or a sentence"


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence, in our words.

    ``id`` never changes and is never used again. ``span`` are the versions in which the sentence holds; ``untestable``
    is the reason why no target can be asked, or None.
    """

    id: str
    section: Section
    strength: Strength
    text: str
    span: Span
    untestable: str | None = None

    @property
    def page(self) -> Page:
        """The page of the section."""
        return self.section.page

    @property
    def address(self) -> str:
        """The address of the section."""
        return self.section.address


def read_statements(text: str) -> Iterator[Statement]:
    """Read the sections of a text, each a heading and a sentence a line, continued by indentation.

    A heading is ``# PAGE/KEY SINCE+ TITLE``, with the anchor behind it where it does not follow from the title:
    ``#ANCHOR``, or ``#`` for the head of the page. A sentence is ``NAME [STRENGTH] TEXT``, or ``[STRENGTH SPAN]`` where
    it has versions other than its section, and ``untestable: REASON`` behind it. Ids are ``PAGE/KEY/NAME``. Raises
    ``ValueError``, as the texts are ours.
    """
    for heading, lines in parts_of(text):
        page, key, since, title, anchor = match_line(_SECTION, heading, _WHAT)
        section = PAGES[page].section(title, anchor)
        for line in lines:
            name, strength, versions, sentence, untestable = match_line(_SENTENCE, line, _WHAT)
            span = Span.parse(versions or since)
            yield Statement(f"{page}/{key}/{name}", section, cast(Strength, strength), sentence, span, untestable)


_NAMES = """
node_resource_managers static_policy_options cpu_management_policies topology_manager topology_source memory_manager
device_plugins daemons pods scheduler
"""
FILES = tuple(_NAMES.split())
"""The texts of statements beside this module, one for each page or a few."""
_EACH_OPTION = "each option\n"
"""The line in a text for what the page says of each option in the same words; it follows from the option's record."""
_VISIBILITY = {"alpha": "hidden", "beta": "visible", "ga": "visible"}


def sentences_of(option: PolicyOption) -> str:
    """Return the three sentences that the page says of each option."""
    name, since = option.name, option.since
    stage, span = option.on_the_page
    return f"""\
{name} [MUST {since}+] There is the option {name}: {option.text}.
{name}-is-{stage} [MUST {span}] {name} is {stage} and {_VISIBILITY[stage]} by default.
{name}-since [MUST {since}+] {name} is available since {since}.
"""


def text_of_page(name: str) -> str:
    """Return a text of statements, with the sentences of each option where it says so."""
    return text_of(__package__, f"{name}.txt").replace(
        _EACH_OPTION, "".join(map(sentences_of, STATIC_OPTIONS.values()))
    )


STATEMENTS: Mapping[str, Statement] = MappingProxyType(
    {statement.id: statement for name in FILES for statement in read_statements(text_of_page(name))}
)
"""Every statement, by id, in the order of the pages."""
