"""``History``: a conversation with a target as data. What drives makes one, what judges sees nothing else."""

import hashlib
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TextIO

import msgspec

from ...machine import Machine, machine_from_dict, machine_to_dict
from ..message import Message
from .answers import read_answer

FORMAT = 1
LONGEST = 32 * 1024 * 1024
"""Characters of one history, which is read and judged as a whole."""
LONGEST_SECONDS = 10**9
"""What a step may take; a larger number is none."""
MACHINE = "machine"
"""The field of questions that is told once, in the head."""


class HistoryError(ValueError):
    """A text that is no history; says which line, and why."""


@dataclass(frozen=True, slots=True)
class Head:
    """What a history begins with.

    ``generator`` made the scenario, in ``cell`` (the settings it varies), from ``seed``. ``version``: the Kubernetes
    version whose behaviour was asked for. ``target``: the name and version the target gave itself.
    """

    generator: str
    cell: str
    seed: int
    machine: Machine
    version: str
    target: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One question and what came of it: an answer, or a fault of the target (timed out, crashed, bad reply).

    ``params`` leave the machine out where it is the head's. ``reply`` is the answer as the judge reads it;
    ``malformed`` says why it cannot be read.
    """

    method: str
    params: Mapping[str, Any]
    answer: Mapping[str, Any] | None = None
    fault: str | None = None
    seconds: float = 0.0
    reply: Message | None = field(init=False, default=None, compare=False, repr=False)
    malformed: str | None = field(init=False, default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.answer is None:
            return
        try:
            object.__setattr__(self, "reply", read_answer(self.method, self.answer))
        except ValueError as error:
            object.__setattr__(self, "malformed", str(error))

    def __reduce__(self) -> "tuple[type[Step], tuple[object, ...]]":
        """Leave the reply out of what is sent to another process, which reads it again."""
        return Step, (self.method, self.params, self.answer, self.fault, self.seconds)


@dataclass(frozen=True)
class History:
    """A head, and the steps in the order in which they were asked."""

    head: Head
    steps: tuple[Step, ...] = field(default=())

    @property
    def malformed_at(self) -> int | None:
        """The first step whose answer is malformed; nothing behind it is judged."""
        return next((number for number, step in enumerate(self.steps) if step.malformed is not None), None)

    @property
    def id(self) -> str:
        """The same for the same scenario: generator, cell, machine and a digest of all questions."""
        questions = [(step.method, step.params) for step in self.steps]
        digest = hashlib.sha256(msgspec.json.encode(questions, order="deterministic")).hexdigest()[:10]
        return f"{self.head.generator}/{self.head.cell}/{self.head.machine.name}/{digest}"

    def until(self, count: int | None) -> "History":
        """Return the history of the first ``count`` steps; None: of all."""
        return History(self.head, self.steps[:count])


def write_history(history: History, out: TextIO) -> None:
    """Write a history as JSON lines: its head, one line for each step, an end."""
    head = history.head
    lines: list[dict[str, Any]] = [
        {
            "history": FORMAT,
            "id": history.id,
            "generator": head.generator,
            "cell": head.cell,
            "seed": head.seed,
            "version": head.version,
            "target": head.target,
            MACHINE: {"uncoreSource": head.machine.uncore_source, **machine_to_dict(head.machine)},
        }
    ]
    for step in history.steps:
        line: dict[str, Any] = {"method": step.method, "params": step.params, "seconds": round(step.seconds, 6)}
        line.update({"answer": step.answer} if step.fault is None else {"fault": step.fault})
        lines.append(line)
    lines.append({"end": len(history.steps)})
    out.writelines(msgspec.json.encode(line).decode() + "\n" for line in lines)


def histories_text(histories: Iterable[History]) -> str:
    """Return histories one after the other, as ``read_histories`` reads them."""
    out = io.StringIO()
    for history in histories:
        write_history(history, out)
    return out.getvalue()


def read_histories(lines: Iterable[str]) -> Iterable[History]:
    """Read histories one after the other; raises ``HistoryError``, and ``UsageError`` for a machine that is none."""
    head: Head | None = None
    steps: list[Step] = []
    length = 0
    for number, text in enumerate(lines, 1):
        length += len(text)
        if length > LONGEST:
            raise HistoryError(f"line {number}: a history of more than {LONGEST} characters")
        if not text.strip():
            continue
        line = _line(text, number)
        if "history" in line:
            if head is not None:
                raise HistoryError(f"line {number}: a history begins before the last one ended")
            head, steps = _head(line, number), []
        elif head is None:
            raise HistoryError(f"line {number}: a history begins with a head (history, machine, version, ...)")
        elif "end" in line:
            if line["end"] != len(steps):
                raise HistoryError(f"line {number}: {len(steps)} steps were read, the end mentions {line['end']}")
            yield History(head, tuple(steps))
            head, length = None, 0
        else:
            steps.append(_step(line, number))
    if head is not None:
        raise HistoryError("the last history has no end: the file is cut short")


def _line(text: str, number: int) -> dict[str, Any]:
    try:
        line = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise HistoryError(
            f"line {number}: a history has a JSON object in each line; this is not JSON: {error}"
        ) from error
    if not isinstance(line, dict):
        raise HistoryError(f"line {number}: not an object")
    return line


def _head(line: Mapping[str, Any], number: int) -> Head:
    if line["history"] != FORMAT:
        raise HistoryError(f"line {number}: format {line['history']!r} is not known (accepted: {FORMAT})")
    machine = machine_from_dict(line.get(MACHINE), f"line {number}: machine")
    texts = [line.get(key, "") for key in ("generator", "cell", "version", "target")]
    seed = line.get("seed", 0)
    if not all(isinstance(text, str) for text in texts) or not isinstance(seed, int):
        raise HistoryError(f"line {number}: generator, cell, version and target are texts, seed is a number")
    generator, cell, version, target = texts
    return Head(generator, cell, seed, machine, version, target)


def _step(line: Mapping[str, Any], number: int) -> Step:
    method, params = line.get("method"), line.get("params")
    answer, fault = line.get("answer"), line.get("fault")
    if not isinstance(method, str) or not isinstance(params, dict):
        raise HistoryError(f"line {number}: a step has a method and params")
    if not (isinstance(answer, dict) if fault is None else isinstance(fault, str)):
        raise HistoryError(f"line {number}: a step has an answer, or a fault in words")
    seconds = line.get("seconds", 0.0)
    is_time = isinstance(seconds, (int, float)) and 0 <= seconds < LONGEST_SECONDS
    return Step(method, params, answer, fault, float(seconds) if is_time else 0.0)
