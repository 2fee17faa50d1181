"""Pages: where Kubernetes says what is made executable here."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ..files import lines_of, match_line, text_of

_PAGE = re.compile(r"(\S+) \[([^;\]]+)(; unchecked)?\] (.+) (https://\S+)")


def anchor_of(heading: str) -> str:
    """Return the anchor that the site gives a heading: lower case, letters, digits and dashes."""
    return re.sub(r"[^\w-]", "", heading.lower().replace(" ", "-"), flags=re.ASCII)


@dataclass(frozen=True, slots=True)
class Page:
    """One page: ``id`` is a short key, ``read`` the version whose text was read.

    ``checked`` tells whether the headings, and with them the anchors, were seen in a copy of that text.
    """

    id: str
    title: str
    address: str
    read: str
    checked: bool = True

    def section(self, title: str, anchor: str | None = None, *, checked: bool = True) -> "Section":
        """Return a section by its heading; ``anchor`` where the page gives one of its own."""
        return Section(self, title, anchor_of(title) if anchor is None else anchor, checked and self.checked)


@dataclass(frozen=True, slots=True)
class Section:
    """A heading of a page. An empty ``anchor`` stands for the head of the page."""

    page: Page
    title: str
    anchor: str
    checked: bool = True

    @property
    def address(self) -> str:
        """The address with the anchor."""
        return f"{self.page.address}#{self.anchor}" if self.anchor else self.page.address

    def __str__(self) -> str:
        return f"{self.page.title}, {self.title}"


TEXT = text_of(__package__, "pages.txt")
"""A page each: ``ID [READ] TITLE`` and the address below; ``unchecked`` where its headings were not seen. The last one
is no page: the programs whose decisions were recorded."""


def _read_page(line: str) -> Page:
    id, read, unchecked, title, address = match_line(_PAGE, line, "a page")
    return Page(id, title, address, read, checked=unchecked is None)


PAGES: Mapping[str, Page] = MappingProxyType({page.id: page for page in map(_read_page, lines_of(TEXT))})
"""Every page, by key."""
NODE_RESOURCE_MANAGERS = PAGES["nrm"]
CPU_TASK = PAGES["cpu-task"]
TOPOLOGY_TASK = PAGES["topology"]
KUBELET_REFERENCE = PAGES["kubelet-reference"]
FEATURE_GATES = PAGES["feature-gates"]
FEATURE_GATES_REMOVED = PAGES["feature-gates-removed"]
