"""Recorded decisions asked of a target: replayed, or recorded anew with its answers."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ...errors import Fault, UsageError
from ...sources.versions import KubernetesVersion
from ...wire import TargetFault
from . import node_steps, single_questions
from .differences import ANY_OF, Difference
from .needs import features_needed
from .recorded_names import Caller
from .vectors import Vector

NOT_OF_THE_FORM = (LookupError, TypeError, ValueError, AttributeError)
"""What comes of reading a record that lacks something, or has it in another form."""
FORM = "the form of a recorded decision"
Status = Literal["matched", "differed", "unsupported"]


@dataclass(frozen=True, slots=True)
class ReplayOutcome:
    """What became of one decision: ``missing`` names what the target does not claim, which made it unsupported."""

    vector: Vector
    status: Status
    differences: tuple[Difference, ...] = ()
    missing: frozenset[str] = frozenset()


KINDS: dict[str, Callable[[Caller, dict[str, Any], bool], Iterator[Difference]]] = {
    "admission": node_steps.replay,
    "lifecycle": node_steps.replay,
    **dict.fromkeys(single_questions.QUESTIONS, single_questions.replay),
}


def replay(
    target: Caller, vectors: Iterable[Vector], *, messages: bool = True, of_ours: bool = False
) -> Iterator[ReplayOutcome]:
    """Ask the target each decision and yield the outcome, in order.

    Unsupported is only what the target does not claim. With ``messages`` false, free texts are not compared. Of an
    ``of_ours`` target, which refuses no proper question, a refusal is the record's fault. Raises ``UsageError`` for a
    record that cannot be asked.
    """
    claimed = target.features
    for vector in vectors:
        try:
            if missing := features_needed(vector.kind, vector.body) - claimed:
                yield unsupported(vector, missing)
                continue
            differences = tuple(KINDS[vector.kind](target, vector.body, messages))
        except TargetFault as fault:
            if of_ours and isinstance(fault.__cause__, UsageError):
                raise fault.__cause__.within(vector.place) from fault
            differences = (Difference(fault.verdict, "an answer", str(fault)),)
        except UsageError as error:
            raise error.within(vector.place) from error
        except NOT_OF_THE_FORM as error:
            raise UsageError(Fault(vector.place, f"is not {FORM}: {type(error).__name__}: {error}")) from error
        yield ReplayOutcome(vector, "differed" if differences else "matched", differences)


def unsupported(vector: Vector, missing: Iterable[str]) -> ReplayOutcome:
    """Return the outcome of a decision that is no fair question."""
    return ReplayOutcome(vector, "unsupported", missing=frozenset(missing))


_ANSWERS = ("expect", "initial", "construction_error", "stage", "reserved_cpus", "answeredBy")
"""What is not the question in a record."""
_BY_CHANCE = ("message", "checkpoints")
"""Where answers may differ from one time to the next without the rest of the conversation: all are accepted."""


@dataclass(frozen=True, slots=True)
class Answerer:
    """Who answers: name and version of the program, and the Kubernetes version that it follows."""

    name: str
    version: str
    follows: KubernetesVersion


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of one question: its record, or why there is none."""

    vector: Vector
    body: dict[str, Any] | None
    why_not: str = ""


def record_decisions(
    target: Caller, vectors: Iterator[Vector] | Sequence[Vector], by: Answerer, *, times: int
) -> Iterator[Recorded]:
    """Ask each question ``times`` times and yield the record: words by chance are all kept, other chance has none."""
    claimed = target.features
    for vector in vectors:
        if vector.kind not in KINDS:
            yield Recorded(vector, None, f"no kind of record that is known: {vector.kind}")
            continue
        try:
            if missing := features_needed(vector.kind, vector.body) - claimed:
                yield Recorded(vector, None, f"not claimed: {', '.join(sorted(missing))}")
                continue
            question = {key: value for key, value in vector.body.items() if key not in _ANSWERS}
            question["id"] = f"{vector.id.partition('@')[0]}@{by.follows}"
            question["kubernetesVersion"] = str(by.follows)
            question["answeredBy"] = {"name": by.name, "version": by.version}
            record = (single_questions if vector.kind in single_questions.QUESTIONS else node_steps).record
            yield Recorded(vector, _joined([record(target, question) for _ in range(times)]))
        except (TargetFault, UsageError) as error:
            yield Recorded(vector, None, f"no answer: {error}")
        except _ByChanceError as chance:
            yield Recorded(vector, None, f"another answer each time: {chance}")
        except NOT_OF_THE_FORM as error:
            yield Recorded(vector, None, f"not {FORM}: {type(error).__name__}: {error}")


class _ByChanceError(Exception):
    """Answers differ from one time to the next where it matters to what follows."""


def _joined(bodies: Sequence[Any], path: tuple[str, ...] = ()) -> Any:
    first = bodies[0]
    if all(body == first for body in bodies):
        return first
    if any(name in path for name in _BY_CHANCE):
        return {ANY_OF: [body for at, body in enumerate(bodies) if body not in bodies[:at]]}
    if all(isinstance(body, dict) and body.keys() == first.keys() for body in bodies):
        return {name: _joined([body[name] for body in bodies], (*path, name)) for name in first}
    if all(isinstance(body, list) and len(body) == len(first) for body in bodies):
        return [_joined(list(parts), (*path, str(index))) for index, parts in enumerate(zip(*bodies, strict=True))]
    raise _ByChanceError(".".join(path))
