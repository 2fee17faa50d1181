"""Pages whose commands are run: what a page shows is what is printed, its pictures are what its commands draw.

``sh`` blocks hold commands, ``console`` blocks commands behind ``$`` with what they print; there ``...`` stands for any
text, alone in its line for any lines. Another block whose first line is ``# NAME`` is a file that the reader saves.
Files and commands of one page belong together; an ``.svg`` that they write is a picture of ``docs/pictures``.
``python -m pages [PAGE...]`` writes what is printed and drawn now.
"""

from .not_run import ABSENT, why_not
from .page import PAGES, PICTURES, ROOT, Command, File, commands, matches, parts
from .running import Outcome, follow

__all__ = [
    "ABSENT",
    "PAGES",
    "PICTURES",
    "ROOT",
    "Command",
    "File",
    "Outcome",
    "commands",
    "follow",
    "matches",
    "parts",
    "why_not",
]
