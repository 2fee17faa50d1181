"""What targets write to their standard error, passed on to ours within bounds."""

from __future__ import annotations

import sys

from ..printable import printable

A_QUESTION = 64 * 1024
A_RUN = 64 * 1024 * 1024


class PassedOn:
    """Passes on whole lines, so many bytes for each question and in all: who collects them keeps them in memory.

    Part of a line waits for its end: what no CI system should take for a command is seen in whole lines only.
    """

    def __init__(self, *, quiet: bool, question: int = A_QUESTION, run: int = A_RUN) -> None:
        """Take the bounds in bytes; ``quiet`` passes nothing on."""
        self._question = question
        self._left = 0 if quiet else run
        self._left_now = question
        self._begun = b""

    def next_question(self) -> None:
        """Count anew."""
        self._left_now = self._question

    def write(self, written: bytes) -> None:
        """Pass on the lines that the bounds leave; the first time that something is left out, say so."""
        room = min(self._left, self._left_now)
        if room <= 0:
            return
        self._left -= len(written)
        self._left_now -= len(written)
        lines, newline, self._begun = (self._begun + written[:room]).rpartition(b"\n")
        self._show(lines + newline)
        if len(written) > room:
            self.end_line()
            of = "this question" if self._left_now < 0 else "the whole run"
            self._show(f"(standard error goes on; no more of it is shown for {of})\n".encode())

    def end_line(self) -> None:
        """Pass on the line that was begun: there is no more of it."""
        if self._begun:
            self._show(self._begun + b"\n")
        self._begun = b""

    @staticmethod
    def _show(written: bytes) -> None:
        if written:
            sys.stderr.write(printable(written.decode("utf-8", "replace")))
