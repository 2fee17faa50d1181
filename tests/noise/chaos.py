"""A target that misbehaves by its seed: it answers as the reference does, and now and then in any other way."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import msgspec

from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.wire import Unsupported
from numa_conformance.wire.messages import METHODS
from numa_conformance.wire.messages.describe import Describe

_INTEGERS = (-1, 0, 1, 2, 4095, 4096, 2**31, 2**53, 2**63 - 1, -(2**63))
_TEXTS = (
    "",
    "0",
    "0-3",
    "3-0",
    "0-4000000000",
    "-1",
    "1,1",
    "\x1b[31m",
    "::error::",
    "<script>",
    "\u2028",
    "0-",
    "9" * 400,
)


class Chaos:
    """Answers with a reply of the reference in which, at a rate, one value is another one of its type, or of none."""

    def __init__(self, seed: int, rate: float = 0.02, *, raising: bool = False) -> None:
        """Take the seed, the part of the answers that are spoilt, and whether some questions raise instead."""
        self._reference = ReferenceTarget(level="documented")
        self._random = random.Random(seed)
        self._rate = rate
        self._raising = raising

    def describe(self, request: Describe) -> object:
        """Answer properly, so that everything is asked."""
        return self._reference.describe(request)

    def __getattr__(self, name: str) -> Callable[[Any], object]:
        """Return a method of the reference, spoilt."""
        answer = getattr(self._reference, name)

        def answered(request: Any) -> object:
            reply = answer(request)
            if self._random.random() >= self._rate:
                return reply
            if self._raising and self._random.random() < 0.1:
                raise self._random.choice([KeyboardInterrupt(), SystemExit(0), RecursionError(), ValueError("\ud800")])
            return self._spoilt(msgspec.to_builtins(reply))

        return answered

    def _spoilt(self, value: Any) -> Any:
        """Return a value with one value inside it changed."""
        chance = self._random.random()
        if isinstance(value, dict) and value and chance < 0.85:
            key = self._random.choice(list(value))
            if chance < 0.05:
                return {name: held for name, held in value.items() if name != key}
            if chance < 0.1:
                return {(self._text() if name == key else name): held for name, held in value.items()}
            return {**value, key: self._spoilt(value[key])}
        if isinstance(value, list) and value and chance < 0.9:
            place = self._random.randrange(len(value))
            if chance < 0.1:
                return value[:place]
            if chance < 0.2:
                return value + value[place:]
            return [*value[:place], self._spoilt(value[place]), *value[place + 1 :]]
        return self._another(value)

    def _another(self, value: Any) -> Any:
        if self._random.random() < 0.1:
            return self._random.choice([None, 1.5, [], {}, "", True, value])
        if isinstance(value, bool):
            return not value
        if isinstance(value, int):
            return self._random.choice(_INTEGERS)
        if isinstance(value, str):
            return self._text()
        return type(value)() if isinstance(value, (dict, list)) else value

    def _text(self) -> str:
        return self._random.choice(_TEXTS)


SPOILT = {method.attribute: method.surface for method in METHODS.values() if method.name != "describe"}
"""The methods whose answers may be spoilt, and the surface of each."""


def spoilt_by(seed: int) -> str:
    """Return the method whose answers a seed spoils: each in turn."""
    return sorted(SPOILT)[seed % len(SPOILT)]


class OneField(Chaos):
    """Spoils the answers of one method, by seed, and each in one field, which keeps its type.

    Or it tells a field that the reference leaves out, or says that what is asked is not supported.
    """

    def __init__(self, seed: int) -> None:
        """Take the seed, which chooses the method."""
        super().__init__(seed, rate=0.3)
        self._method = spoilt_by(seed)

    def __getattr__(self, name: str) -> Callable[[Any], object]:
        """Return the method of the reference, spoilt where it is the one."""
        answer: Callable[[Any], object] = getattr(self._reference, name)
        if name != self._method:
            return answer
        spoilt = super().__getattr__(name)

        def answered(request: Any) -> object:
            kind = self._random.random()
            if kind < 0.02:
                raise Unsupported(self._random.choice(["another machine", self._text()]))
            return self._telling_more(request, answer(request)) if kind < 0.1 else spoilt(request)

        return answered

    def _telling_more(self, request: Any, reply: Any) -> object:
        """Return an answer with one field more, of the answer itself or of one of its containers."""
        told = msgspec.to_builtins(reply)
        fields = {field.name for field in msgspec.structs.fields(reply)}
        if "updates" in fields and self._random.random() < 0.5:
            uid = getattr(request, "uid", None) or getattr(request, "pod", {}).get("metadata", {}).get("uid")
            cpus, mems = self._random.choices([*_TEXTS, "0", "0-1"], k=2)
            one = {"uid": self._random.choice([uid or "", "nobody"]), "container": "c", "cpus": cpus, "mems": mems}
            return {**told, "updates": [one] * self._random.randrange(3)}
        containers = told.get("containers")
        for holding in containers.values() if isinstance(containers, dict) else ():
            more = {"cpuset": self._text(), "mems": self._text(), "cpu_quota": self._random.choice(_INTEGERS),
                    "further": {self._text(): self._random.choice(_INTEGERS)}}  # fmt: skip
            if "cpus" in holding:
                name = self._random.choice(list(more))
                holding[name] = more[name]
        return told

    def _spoilt(self, value: Any) -> Any:
        if isinstance(value, dict):
            if not value:
                return value
            key = self._random.choice([name for name in value if name != "result"] or list(value))
            kind = self._random.random()
            if kind < 0.05 and key != "result":
                return {name: held for name, held in value.items() if name != key}
            if kind < 0.1 and key != "result":
                return {(f"{name}-renamed" if name == key else name): held for name, held in value.items()}
            return {**value, key: self._spoilt(value[key])}
        if isinstance(value, list):
            place = self._random.randrange(len(value) + 1)
            kind = self._random.random()
            if kind < 0.3 or place == len(value):
                return self._random.choice([[], value[:place], value + value])
            return [*value[:place], self._spoilt(value[place]), *value[place + 1 :]]
        if isinstance(value, bool):
            return not value
        if isinstance(value, int):
            return self._random.choice(_INTEGERS)
        if isinstance(value, float):
            return self._random.choice([-1.0, 0.0, 1e300])
        return self._text() if isinstance(value, str) else value
