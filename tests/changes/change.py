"""An allocator with one change: what is asked or answered is rewritten, or a function inside it is another one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, TypeVar
from unittest.mock import patch

import msgspec

from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.reference.target.reference_target import Level
from numa_conformance.wire import METHODS
from numa_conformance.wire.message import Message, Method
from small import Small
from small.choosing import Chooser
from small.pods import PodReader

__all__ = ["Change", "Memory", "Rewrite", "Rewriting", "declared_in"]

Declared = TypeVar("Declared", bound="Change")

Rewrite = Callable[[Any, "Memory"], Any]
"""Takes a question or an answer as plain JSON values, and what was seen so far; returns another."""


class Memory:
    """What an allocator has seen: the last questions and answers by method, and a place for notes of its own."""

    def __init__(self) -> None:
        self.last: dict[str, Any] = {}
        self.asked: dict[str, Any] = {}
        self.answered: dict[str, Any] = {}
        self.notes: dict[str, Any] = {}


class Rewriting:
    """Answers like the reference, but for what is rewritten."""

    def __init__(
        self, name: str, questions: Mapping[str, Rewrite], answers: Mapping[str, Rewrite], level: Level = "documented"
    ) -> None:
        """Take which methods' questions and answers are rewritten."""
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
            answer["name"] = self._name
        return msgspec.convert(answer, method.reply)


class Patched:
    """The documented reference; a function of it is another one while it answers."""

    def __init__(self, owner: Any, name: str, wrong: Any) -> None:
        self._owner, self._name, self._wrong = owner, name, wrong
        self._reference = ReferenceTarget("documented")

    def __getattr__(self, attribute: str) -> Callable[[Any], Any]:
        if attribute not in {method.attribute for method in METHODS.values()}:
            raise AttributeError(attribute)
        answer = getattr(self._reference, attribute)

        def patched(message: Any) -> Any:
            with patch.object(self._owner, self._name, self._wrong):
                return answer(message)

        return patched


class Change:
    """Declares an allocator under the name of what it decorates. Calling it makes the target.

    ``question`` and ``answer`` rewrite what is asked and answered by some methods of the protocol. ``instead_of``
    replaces a function of the reference, or a method of a small allocator: of ``Small``, its chooser or its reader.
    What is decorated takes the right function first. All three can be applied again by the name.
    """

    def __init__(self, *, surface: str | None = None, level: Level = "documented") -> None:
        """Take the only surface that is claimed, where it is one, and the level of the reference."""
        self.name = ""
        self.level: Level = level
        self.inside: list[tuple[Any, str, Any]] = []
        self._questions: dict[str, Rewrite] = {}
        self._answers: dict[str, Rewrite] = {}
        if surface is not None:
            self._answers["describe"] = lambda answer, memory: {**answer, "surfaces": [surface]}

    def question(self, *methods: str) -> Callable[[Rewrite], Any]:
        """Rewrite what these methods are asked."""
        return lambda rewrite: self._rewriting(self._questions, methods, rewrite)

    def answer(self, *methods: str) -> Callable[[Rewrite], Any]:
        """Rewrite what these methods answer."""
        return lambda rewrite: self._rewriting(self._answers, methods, rewrite)

    def _rewriting(self, side: dict[str, Rewrite], methods: tuple[str, ...], rewrite: Rewrite) -> Change:
        side.update(dict.fromkeys(methods, rewrite))
        return self

    def instead_of(self, owner: Any, name: str) -> Callable[[Callable[..., Any]], Any]:
        """Replace a function inside an algorithm."""
        right = inspect.getattr_static(owner, name)
        call = right.fget if isinstance(right, property) else right

        def declare(wrong: Callable[..., Any]) -> Change:
            def instead(*arguments: Any, **named: Any) -> Any:
                return wrong(call, *arguments, **named)

            self.inside.append((owner, name, property(instead) if isinstance(right, property) else instead))
            return self

        return declare

    def __call__(self) -> object:
        """Make the target."""
        if not self.inside:
            return Rewriting(f"{type(self).__name__} {self.name}", self._questions, self._answers, self.level)
        owner, _, _ = self.inside[0]
        if owner not in (Small, Chooser, PodReader):
            (change,) = self.inside
            return Patched(*change)
        wrong = type(self.name, (owner,), {name: instead for _, name, instead in self.inside})
        parts = {Chooser: {"chooser": wrong}, PodReader: {"reader": wrong}}
        return wrong() if owner is Small else type(self.name, (Small,), parts[owner])()


def declared_in(kind: type[Declared], *rooms: ModuleType) -> dict[str, Declared]:
    """Return the allocators that modules declare, and tell each its name."""
    declared = [(name, value) for room in rooms for name, value in vars(room).items() if isinstance(value, kind)]
    for name, value in declared:
        value.name = name
    return dict(declared)
