"""``Mutant``: the reference with one lie, told at the boundary."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from numa_conformance.protocol import METHODS, ReferenceTarget
from numa_conformance.protocol.message import Message, Method
from numa_conformance.protocol.reference import Level

__all__ = ["Mutant", "Rewrite", "mutant"]

Rewrite = Callable[[Any, "Memory"], Any]
"""Takes a question or an answer as plain JSON values, and what was seen so far; returns the lie."""


class Memory:
    """What a mutant has seen: the last questions and answers by method, and a place for notes of its own."""

    def __init__(self) -> None:
        self.last: dict[str, Any] = {}
        self.asked: dict[str, Any] = {}
        self.answered: dict[str, Any] = {}
        self.notes: dict[str, Any] = {}


class Mutant:
    """Answers like the reference, except where it lies."""

    def __init__(
        self,
        name: str,
        questions: Mapping[str, Rewrite],
        answers: Mapping[str, Rewrite],
        level: Level = "documented",
    ) -> None:
        """Take which methods' questions and answers are rewritten; ``node.*`` and ``*`` stand for several."""
        self._name = name
        self._questions = questions
        self._answers = answers
        self._reference = ReferenceTarget(level)
        self._memory = Memory()

    def __getattr__(self, attribute: str) -> Callable[[Message], Message]:
        method = next((one for one in METHODS.values() if one.attribute == attribute), None)
        if method is None:
            raise AttributeError(attribute)
        return lambda message: self._ask(method, message)

    def _ask(self, method: Method, message: Message) -> Message:
        question = msgspec.to_builtins(message)
        if method.name in ("node.start", "claims.start"):
            self._memory.notes.clear()
        if method.name in self._questions:
            question = self._questions[method.name](question, self._memory)
        self._memory.asked[method.name] = self._memory.last = question
        ask = getattr(self._reference, method.attribute)
        answer = msgspec.to_builtins(ask(msgspec.convert(question, method.request)))
        if method.name in self._answers:
            answer = self._answers[method.name](answer, self._memory)
        self._memory.answered[method.name] = answer
        if method.name == "describe":
            answer["name"] = f"mutant {self._name}"
        return msgspec.convert(answer, method.reply)


class mutant:  # noqa: N801  (used as a decorator-like declaration)
    """Declares a mutant: which requirements it breaks, and the lies it tells. Calling it makes the target."""

    def __init__(
        self,
        name: str,
        breaks: Sequence[str],
        *,
        questions: Mapping[str, Rewrite] | None = None,
        answers: Mapping[str, Rewrite] | None = None,
        level: Level = "documented",
    ) -> None:
        """Take the name, which says the defect, and the requirements whose tests must fail."""
        self.name = name
        self.breaks = tuple(breaks)
        self.level: Level = level
        self._questions = dict(questions or {})
        self._answers = dict(answers or {})

    def __call__(self) -> Mutant:
        """Make the target."""
        return Mutant(self.name, self._questions, self._answers, self.level)
