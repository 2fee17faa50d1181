"""What a page tells its reader to save and to type."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[3]
PICTURES = ROOT / "docs/pictures"
PAGES = sorted(
    page
    for page in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
    if re.search(r"^```(sh|console)$", page.read_text(), re.MULTILINE)
)


@dataclass(frozen=True)
class File:
    """A file that the page shows: its first line is ``# NAME``."""

    name: str
    text: str


@dataclass(frozen=True)
class Command:
    """A command as it is typed; ``shown`` is what the page says it prints, nothing in a ``sh`` block."""

    typed: str
    shown: tuple[str, ...] | None
    lines: slice
    """The lines of the page on which it is shown."""


def parts(text: str) -> Iterator[File | Command]:
    """Yield the files and commands of a page, in its order."""
    for token in MarkdownIt().parse(text):
        if token.type != "fence":
            continue
        if token.info == "sh":
            yield from _bare(token)
        elif token.info == "console":
            yield from _with_output(token)
        elif named := re.match(r"# ([\w./-]+\.\w+)\n", token.content):
            yield File(named[1], token.content)


def commands(page: Path) -> list[Command]:
    """Return the commands of a page."""
    return [part for part in parts(page.read_text()) if isinstance(part, Command)]


def _bare(token: Token) -> Iterator[Command]:
    typed = token.content.replace("\\\n", "")
    for line in typed.splitlines():
        if line.strip() and not line.startswith("#"):
            yield Command(line, None, slice(0))


def _with_output(token: Token) -> Iterator[Command]:
    assert token.map
    lines = token.content.splitlines()
    starts = [number for number, line in enumerate(lines) if line.startswith("$ ")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=bool(starts)):
        last = start
        while lines[last].endswith("\\"):
            last += 1
        typed = "".join(line.removesuffix("\\") for line in lines[start : last + 1])
        first = token.map[0] + 1
        yield Command(typed[2:], tuple(lines[last + 1 : end]), slice(first + last + 1, first + end))


def matches(shown: tuple[str, ...], printed: str) -> bool:
    """Tell whether ``printed`` is what is ``shown``, blanks at the ends of lines and blank lines at the end aside."""
    patterns = ["(?:.*\n)*" if line == "..." else _pattern(line.rstrip()) + "\n" for line in shown]
    lines = [line.rstrip() for line in printed.rstrip().splitlines()]
    pattern = "".join(patterns) + "\n*"
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in lines)) is not None


def _pattern(line: str) -> str:
    return ".*".join(map(re.escape, line.split("...")))
