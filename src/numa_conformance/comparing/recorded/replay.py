"""Replaying recorded decisions against a target."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from ...errors import Fault, UsageError
from ...wire import TargetFault
from . import node_steps, single_questions
from .caller import Caller
from .differences import Difference
from .needs import features_needed
from .vectors import Vector

NOT_OF_THE_FORM = (LookupError, TypeError, ValueError, AttributeError)
"""What comes of reading a record that lacks something, or has it in another form."""
FORM = "the form of a recorded decision"
Status = Literal["matched", "differed", "unsupported"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one decision: ``missing`` names what the target does not claim, which made it unsupported."""

    vector: Vector
    status: Status
    differences: tuple[Difference, ...] = ()
    missing: frozenset[str] = frozenset()


@dataclass(slots=True)
class Totals:
    """Counts of outcomes."""

    replayed: int = 0
    matched: int = 0
    differed: int = 0
    unsupported: int = 0

    def add(self, status: Status) -> None:
        """Count one decision; an unsupported one was not replayed."""
        if status != "unsupported":
            self.replayed += 1
        setattr(self, status, getattr(self, status) + 1)

    def to_dict(self) -> dict[str, int]:
        """Return the counts as JSON has them."""
        return {
            "replayed": self.replayed,
            "matched": self.matched,
            "differed": self.differed,
            "unsupported": self.unsupported,
        }


Replayer = Callable[[Caller, dict[str, Any], bool], Iterator[Difference]]

KINDS: dict[str, Replayer] = {
    "admission": node_steps.replay,
    "lifecycle": node_steps.replay,
    **dict.fromkeys(single_questions.QUESTIONS, single_questions.replay),
}


def replay(target: Caller, vectors: Iterable[Vector], *, messages: bool = True, own: bool = False) -> Iterator[Outcome]:
    """Ask the target each decision and yield the outcome, in order.

    Unsupported is only what the target does not claim. With ``messages`` false, free texts are not compared. Of an
    ``own`` target, which refuses no proper question, a refusal is the record's fault. Raises ``UsageError`` for a
    record that cannot be asked.
    """
    claimed = target.features
    for vector in vectors:
        try:
            missing = features_needed(vector.kind, vector.body) - claimed
            if missing:
                yield unsupported(vector, missing)
                continue
            differences = tuple(KINDS[vector.kind](target, vector.body, messages))
        except TargetFault as fault:
            if own and isinstance(fault.__cause__, UsageError):
                raise fault.__cause__.within(vector.place) from fault
            differences = (Difference(fault.verdict, "an answer", str(fault)),)
        except UsageError as error:
            raise error.within(vector.place) from error
        except NOT_OF_THE_FORM as error:
            raise UsageError(Fault(vector.place, f"is not {FORM}: {type(error).__name__}: {error}")) from error
        yield Outcome(vector, "differed" if differences else "matched", differences)


def unsupported(vector: Vector, missing: Iterable[str]) -> Outcome:
    """Return the outcome of a decision that is no fair question."""
    return Outcome(vector, "unsupported", missing=frozenset(missing))
