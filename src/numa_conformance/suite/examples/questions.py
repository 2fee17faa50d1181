"""Questions that stand alone: asked, judged, and kept so that a failing one can be asked again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from ...cpuset import CpuSet
from ...machine import Machine
from ...protocol import Client
from ...protocol.message import R, Request
from ..telling.findings import Finding
from ..telling.pictures import drawn

__all__ = ["ChoiceOfCpus", "Questions"]


class Questions:
    """Asks a target and remembers the last question; ``check`` raises a ``Finding`` that can be replayed."""

    def __init__(self, target: Client, requirements: Sequence[str]) -> None:
        """Take the target and the requirements of the test."""
        self._target = target
        self._requirements = tuple(requirements)
        self._scenario: dict[str, Any] | None = None

    def ask(self, message: Request[R]) -> R:
        """Ask one question."""
        self._scenario = None
        reply = self._target.ask(message)
        self._scenario = {
            "id": "scenario",
            "kind": "question",
            "method": message.method.name,
            "params": msgspec.to_builtins(message),
            "answered": msgspec.to_builtins(reply),
        }
        return reply

    def check(self, holds: object, why: str, got: object = None, allowed: object = None) -> None:
        """Raise a finding unless ``holds``."""
        __tracebackhide__ = True
        if not holds:
            raise self.finding(why, got=got, allowed=allowed)

    def finding(self, why: str, *, got: object = None, allowed: object = None, picture: str = "") -> Finding:
        """Make a finding of the last question."""
        return Finding(self._requirements, why, got=got, allowed=allowed, scenario=self._scenario, picture=picture)


class ChoiceOfCpus(Questions):
    """Questions whose answer is a set of CPUs of a machine, beside those that others have."""

    word = "given"
    """What the picture calls the CPUs of the answer."""

    def asked_on(self, machine: Machine, taken: CpuSet) -> None:
        """Begin a question about this machine; nothing is answered yet."""
        self.machine, self.taken, self.got = machine, taken, CpuSet()

    def judge(self, holds: object, why: str, allowed: object) -> None:
        """Raise a finding about the last choice, with a picture of it, unless ``holds``."""
        __tracebackhide__ = True
        if not holds:
            picture = drawn(self.machine, {"taken": self.taken.bits, self.word: self.got.bits}, {})
            raise self.finding(why, got=str(self.got), allowed=allowed, picture=picture)
