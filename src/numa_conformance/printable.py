"""What others wrote, as a terminal and a CI system may see it."""

import contextlib
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TextIO

_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, which move the cursor, ring or begin a sequence
    "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"  # what breaks a line or turns the direction of writing
    "\ud800-\udfff]"  # halves of characters, which no stream takes
)
_COMMAND = re.compile(r"^(\s*):(?=:)|##(?=\[)", re.MULTILINE)
"""Where a CI system would read a command: ``::error::`` at the begin of a line, ``##[error]`` anywhere."""

_NARROWEST = 20
"""Columns below which text is rather cut by the terminal than told a word a line."""
_MOST = 5
"""Names that a list in a sentence has."""


def listed(names: Iterable[str], most: int = _MOST, *, sign: str = ", ", what: str = "") -> str:
    """Return names as a list in a sentence, the number of those beyond ``most`` at its end, and what they are."""
    texts = list(names)
    more = len(texts) - most
    return sign.join(texts[:most]) + (f" and {more} more{what}" if more > 0 else "")


def folded(line: str, width: int) -> str:
    """Return a line that goes on below itself, further in, where it is wider than so many columns."""
    text = line.lstrip()
    indent = " " * (len(line) - len(text))
    # What has no blanks, a list of CPUs or an address, stays whole: it is there to be copied.
    wrapper = textwrap.TextWrapper(
        max(width, _NARROWEST),
        initial_indent=indent,
        subsequent_indent=f"{indent}  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return wrapper.fill(text) if len(line) > width else line


def folded_text(text: str, width: int | None) -> str:
    """Return a text of which each line is folded; as it is without a width."""
    return text if width is None else "\n".join(folded(line, width) for line in text.split("\n"))


def columns(rows: Sequence[Sequence[object]], indent: str = "", width: int | None = None) -> list[str]:
    """Return a table as lines, numbers to the right. In so many columns the last cell goes on below itself."""
    texts = [[as_line(str(cell)) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    right = [any(isinstance(row[place], int | float) for row in rows) for place in range(len(widths))]
    before = len(indent) + sum(each + 2 for each in widths[:-1])
    room = (width or sys.maxsize) - before
    lines = []
    for row in texts:
        first, *more = textwrap.wrap(row[-1], room) if len(row[-1]) > room >= _NARROWEST else [row[-1]]
        cells = [
            cell.rjust(size) if number else cell.ljust(size)
            for cell, size, number in zip([*row[:-1], first], widths, right, strict=True)
        ]
        lines.append((indent + "  ".join(cells)).rstrip())
        lines += [" " * before + line for line in more]
    return lines


def printable(text: str) -> str:
    r"""Write as escapes (``\u001b``) what no terminal should be sent and no CI system should take for a command.

    The escapes are those of JSON, so that a JSON document says the same afterwards.
    """
    text = _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    return _COMMAND.sub(lambda match: match[0][:-1] + f"\\u{ord(match[0][-1]):04x}", text)


def as_line(text: str) -> str:
    r"""Write what others wrote so that it begins no line of ours: line breaks are shown, as ``\n``."""
    return printable(text.replace("\n", "\\n"))


class PrintableStream:
    """A text stream that is written to as ``printable``; everything else is the stream's own."""

    def __init__(self, stream: TextIO) -> None:
        """Take the stream, which stays ``raw``."""
        self.raw = stream

    def write(self, text: str) -> int:
        """Write a text, which should hold whole lines: what begins it is taken to begin a line."""
        self.raw.write(printable(text))
        return len(text)

    def writelines(self, lines: Iterator[str]) -> None:
        """Write texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.raw, name)


@contextlib.contextmanager
def printable_streams() -> Iterator[None]:
    """Have everything that is printed inside go out printable; ``sys.__stdout__`` and ``sys.__stderr__`` stay raw."""
    out, err = sys.stdout, sys.stderr
    streams: Any = PrintableStream(out), PrintableStream(err)
    sys.stdout, sys.stderr = streams
    try:
        yield
    finally:
        sys.stdout, sys.stderr = out, err
