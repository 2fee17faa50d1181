"""From a step of a history to what checkers judge: subjects, each with what was known before."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..machine import Machine
from ..wire.history.history import History
from ..wire.history.quantities import amount
from ..wire.history.sightings import LIVE_NODE
from ..wire.history.values import affinity_of, bits
from ..wire.message import Message
from ..wire.messages.pick import Pick, Picked
from ..wire.messages.score import Score, Scored, ScoreRefused
from .allocated import allocated, classified
from .choice import CpuChoice, cpus_of
from .claims import ClaimFollower
from .hinted import hinted
from .may_run import MayRun, pooled
from .merged import merged
from .node_follower import NodeFollower
from .node_subjects import Malformed
from .plugins import PluginFollower
from .pods import PodSpec
from .questions import question_of
from .scored import TOP, ScoredNode, ScorePair, Strategy, WholePair
from .sighting import sightings
from .start_subjects import starts
from .views import views


class Scores:
    """The scores of one history, where some target scores by a strategy to 10, as the page does, some to 100."""

    def __init__(self, steps: Sequence[tuple[Message | None, Message | None]]) -> None:
        self._steps = steps
        self._last: tuple[int, ScoredNode | None] = (-1, None)
        self._high = {
            question.strategy.get("type")
            for question, reply in steps
            if isinstance(question, Score) and isinstance(reply, Scored) and (reply.score or 0) > TOP
        }

    def at(self, number: int) -> Iterator[ScoredNode | ScorePair | WholePair]:
        """Yield the score of a step, and the pair of it with that of the step before; asked in their order."""
        (before, first), second = self._last, self._scored(number)
        self._last = number, second
        if second is None:
            return
        yield second
        if first is None or before != number - 1 or not (first.is_reported and second.is_reported):
            return
        if first.score is not None and second.score is not None:
            pair = ScorePair(first, second, (first.score, second.score))
            yield WholePair(pair) if first.has_wholes or second.has_wholes else pair

    def _scored(self, number: int) -> ScoredNode | None:
        question, reply = self._steps[number]
        if not isinstance(question, Score) or not isinstance(reply, Scored | ScoreRefused):
            return None
        scored = reply if isinstance(reply, Scored) else Scored(None, [])
        return ScoredNode(
            question.strategy,
            Strategy.of(question.strategy),
            {name: amount(text) for name, text in question.allocatable.items()},
            tuple(map(PodSpec.of, question.pods)),
            PodSpec.of(question.pod),
            scored.score,
            scored.insufficient,
            reply.message if isinstance(reply, ScoreRefused) else None,
            100 if question.strategy.get("type") in self._high else TOP,
            scored.scores,
        )


def subjects(history: History) -> Iterator[tuple[int, object]]:
    """Yield each subject with the number of its step, from 0; the last of all may be ``Malformed``.

    Raises ``QuestionError`` for a question that is none of the protocol.
    """
    at = history.malformed_at
    # Who asks about pools asks for the whole node; a record of a kubelet, which promises none, does not.
    asks_for_all = any(step.method == "node.state" for step in history.steps)
    for number, each in _subjects(history.until(at)):
        subject = pooled(each) if asks_for_all and isinstance(each, MayRun) else each
        yield number, subject
        if isinstance(subject, Malformed):
            return
        for view in views(subject):
            yield number, view
    if at is not None:
        yield at, Malformed(str(history.steps[at].malformed))


def _subjects(history: History) -> Iterator[tuple[int, object]]:
    steps = history.steps
    questions = [question_of(step) for step in steps]
    pairs = [(question, step.reply) for question, step in zip(questions, steps, strict=True)]
    machine, of_starts = history.head.machine, dict(starts(history.head, pairs))
    node, scores = NodeFollower(machine, history.head.version), Scores(pairs)
    daemons: dict[str, PluginFollower | ClaimFollower] = {
        "plugin": PluginFollower(machine),
        "claims": ClaimFollower(machine),
    }
    for number, (step, (question, reply)) in enumerate(zip(steps, pairs, strict=True)):
        if number in of_starts:
            yield number, of_starts[number]
        if question is None or reply is None:
            continue
        read = _READERS.get(step.method)
        if read is not None:
            yield from ((number, subject) for subject in read(machine, question, reply))
        elif (daemon := daemons.get(step.method.partition(".")[0])) is not None:
            yield from ((number, subject) for subject in daemon.subjects(question, reply))
        elif step.method == "score":
            yield from ((number, subject) for subject in scores.at(number))
        else:
            yield from ((number, subject) for subject in node.subjects(question, reply))


def _pick(machine: Machine, question: Pick, reply: Any) -> Iterator[CpuChoice]:
    affinity, picked = affinity_of(question.affinity), isinstance(reply, Picked)
    nodes = None if affinity is None else affinity.nodes
    yield CpuChoice(
        machine,
        frozenset(name for name, on in question.options.items() if on),
        bits(question.available),
        question.count,
        bits(reply.cpus) if picked else None,
        None if nodes is None else cpus_of(machine, nodes),
        "" if picked else reply.message,
    )


_READERS: Mapping[str, Callable[[Machine, Any, Any], Iterator[object]]] = {
    "pick": _pick,
    "classify": classified,
    "allocate": allocated,
    "hints": hinted,
    "merge": merged,
    LIVE_NODE: sightings,
}
"""How steps are read that stand alone: from the machine, the question and the reply."""
