"""What became of pods, to be read by people and programs, and as a picture; and what differs between two answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any

from ...cpuset import format_bits
from ...errors import Fault, UsageError
from ...machine import allocation_map
from ...machine.picture_svg import machine_svg
from ...printable import folded_text
from ..node import AdmissionResult, Explainer
from .departures import departure_line, departures
from .node_inputs import Beginning, NodeInputs
from .outcomes import ADVISED, Outcomes, headline, placement_lines
from .reading import Notice, tell_unseen
from .step_lines import step_lines, steps_to_dict

if TYPE_CHECKING:  # loaded when two nodes are compared
    from .what_if import Comparison

_SHOWN_ALIKE = 3
"""Pods refused alike, one after the other, that are shown one by one."""


@dataclass(frozen=True)
class Answer:
    """What a node does with pods. ``title``: its node in a line; ``notices``: what a person should know besides."""

    inputs: NodeInputs
    beginning: Beginning
    outcomes: Outcomes
    title: str
    notices: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        inputs: NodeInputs,
        beginning: Beginning,
        notice: Notice,
        most: int | None = ADVISED,
        *,
        explains: bool = False,
    ) -> Answer:
        """Start a node, admit what comes to it, and advise on the first ``most`` kinds of refusals.

        With ``explains`` all are advised on, with the hints of managers, and quirks and changes behind what becomes of
        each pod. Raises ``UsageError`` and ``StartError``.
        """
        outcomes = beginning.outcomes(inputs, Explainer() if explains else None, None if explains else most)
        tell_unseen(beginning.pods, outcomes.node, notice)
        if explains:
            outcomes.behind = departures(beginning, inputs, outcomes)
        return cls(inputs, beginning, outcomes, inputs.title)

    @property
    def text(self) -> str:
        """What ``simulate`` prints."""
        return self.to_text()

    @cached_property
    def data(self) -> dict[str, Any]:
        """What ``simulate --json`` prints."""
        outcomes = self.outcomes
        return {**outcomes.to_dict(), **({"steps": steps_to_dict(outcomes)} if outcomes.steps else {})}

    @cached_property
    def svg(self) -> str:
        """A picture of the machine and of who has which CPUs."""
        return machine_svg(self.outcomes.node.machine, self.outcomes.owners)

    @property
    def admitted(self) -> bool:
        """Whether every pod was admitted as it asks to be, and stays."""
        return self.outcomes.all_run

    is_well = admitted

    @property
    def state_files(self) -> Mapping[str, str]:
        """The state files of the node in the end: name to text."""
        return self.outcomes.node.checkpoints()

    def compare(self, other: Answer) -> Comparison:
        """Return what differs in another answer about the same pods on the same machine; raises ``UsageError``."""
        from .what_if import Comparison

        uids = [[admission.uid for admission in answer.outcomes.admissions] for answer in (self, other)]
        if self.inputs.machine != other.inputs.machine or uids[0] != uids[1]:
            raise UsageError(Fault("compare", "the answers are about other machines or pods", "the same in both"))
        return Comparison(self.outcomes, other.outcomes, (self.title, other.title))

    def to_text(self, width: int | None = None) -> str:
        """Return ``text``, sentences and rows of the picture folded to fit so many columns."""
        lines = [folded_text(line, width) for line in _life_lines(self.outcomes)]
        return "\n".join([*lines, "", *_node_lines(self.outcomes, width), "", self.outcomes.summary])


def _life_lines(outcomes: Outcomes) -> Iterator[str]:
    """Yield pods and steps in their order, a blank line between them."""
    if not outcomes.steps:
        yield from _pod_lines(outcomes, outcomes.in_order)
        return
    ends = [step.after for step in outcomes.steps]
    for step, begin, end in zip([None, *outcomes.steps], [0, *ends], [*ends, len(outcomes.admissions)], strict=True):
        if step is not None:
            yield from [""] if begin or step is not outcomes.steps[0] else []
            yield from step_lines(step, outcomes)
            yield from [""] if begin < end else []
        yield from _pod_lines(outcomes, outcomes.admissions[begin:end])


def _pod_lines(outcomes: Outcomes, admissions: Sequence[AdmissionResult]) -> Iterator[str]:
    names, advice, explainer = outcomes.names, outcomes.advice, outcomes.explainer
    for refusal, group in groupby(
        admissions, lambda admission: explainer or admission.admitted or admission.uid in advice or admission.message
    ):
        alike = list(group)
        if isinstance(refusal, str) and len(alike) > _SHOWN_ALIKE:
            first, last = names[alike[0].uid], names[alike[-1].uid]
            yield f"{first} to {last}: {len(alike)} pods refused, {alike[0].reason}: {refusal}"
            continue
        for admission in alike:
            yield headline(admission, outcomes)
            yield from (f"    {line}" for line in placement_lines(admission, outcomes))
            if admission.uid in advice:
                yield from (f"    {line}" for line in advice[admission.uid].lines())
            if explainer:
                yield explainer.to_text(admission.uid, indent="    ")
            yield from (f"    {departure_line(name)}" for name in outcomes.behind.get(admission.uid, ()))


def _node_lines(outcomes: Outcomes, width: int | None) -> Iterator[str]:
    node, pools = outcomes.node, outcomes.node.pools
    if pools.reserved is not None:
        yield f"reserved: {format_bits(pools.reserved) or '(none)'}"
        yield f"shared pool: {format_bits(pools.default) or '(empty)'}"
        yield f"cpusets are written every {node.reconcile_period}"
    yield ""
    yield allocation_map(node.machine, outcomes.owners, width=width)
