"""What is asked as it is, behind a target of ours: a plugin or a driver that somebody starts by a command line."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path


def name_of(words: Sequence[str]) -> str:
    """Return what a program is called by the words of its command: ``plugin``, or ``python3 plugin.py``."""
    program, *others = words
    script = takewhile(lambda word: not word.startswith("-") and "{" not in word, others[:1])
    return " ".join(Path(word).name for word in (program, *script))
