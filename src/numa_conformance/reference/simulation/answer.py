"""What became of pods, to be read by people and programs, and as a picture; and what differs between two answers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any

from ...cpuset import format_bits
from ...errors import Fault, UsageError
from ...machine import allocation_map
from ...machine.picture import FOLDED_ABOVE
from ...machine.picture_svg import machine_svg
from ...printable import folded_text
from ..node import AdmissionResult, Explainer
from .node_inputs import Beginning, NodeInputs, departure_line, departures
from .outcomes import ADVISED, Outcomes, headline, placement_lines
from .reading import Notice, tell_unseen
from .step_lines import Section, data_of, step_section

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

    @property
    def text(self) -> str:
        """What ``simulate`` prints."""
        return self.to_text()

    @cached_property
    def data(self) -> dict[str, Any]:
        """What ``simulate --json`` prints."""
        return data_of(self.outcomes)

    @cached_property
    def svg(self) -> str:
        """A picture of the machine and of who has which CPUs."""
        return machine_svg(self.outcomes.node.machine, self.outcomes.owners, amounts=self.outcomes.amounts)

    @property
    def admitted(self) -> bool:
        """Whether every pod was admitted as it asks to be, and stays."""
        return self.outcomes.all_run

    @property
    def state_files(self) -> Mapping[str, str]:
        """The state files of the node in the end: name to text."""
        return self.outcomes.node.checkpoints()

    def compare(self, other: "Answer") -> "Comparison":
        """Return what differs in another answer about the same pods on the same machine; raises ``UsageError``."""
        from .what_if import Comparison

        lives = [
            [*(each.uid for each in outcomes.admissions), *((each.step.kind, each.after) for each in outcomes.steps)]
            for outcomes in (self.outcomes, other.outcomes)
        ]
        if self.inputs.machine != other.inputs.machine or lives[0] != lives[1]:
            message = "the answers are about other machines, pods or steps"
            raise UsageError(Fault("compare", message, "the same in both"))
        return Comparison(self.outcomes, other.outcomes, (self.title, other.title))

    def to_text(self, width: int | None = None) -> str:
        """Return ``text``, sentences and rows of the picture folded to fit so many columns."""
        lines: list[str] = []
        for before, section in zip([None, *self.sections], self.sections, strict=False):
            apart = [""] if before is not None and self._are_apart(before, section) else []
            lines += [*apart, section.heading, *section.indented]
        lines = [folded_text(line, width) for line in lines]
        return "\n".join([*self._head(), *lines, *self._foot(width), "", self.summary])

    @cached_property
    def sections(self) -> list[Section]:
        """Pods and steps in their order."""
        outcomes = self.outcomes
        if not outcomes.steps:
            return list(self._pods(outcomes.in_order))
        ends = [step.after for step in outcomes.steps]
        sections = list(self._pods(outcomes.admissions[: ends[0]]))
        for step, begin, end in zip(outcomes.steps, ends, [*ends[1:], len(outcomes.admissions)], strict=True):
            sections += [step_section(step, outcomes), *self._pods(outcomes.admissions[begin:end])]
        return sections

    def _pods(self, admissions: Sequence[AdmissionResult]) -> Iterator[Section]:
        """Yield a section for each pod, or for many that are refused alike."""
        names, advice = self.outcomes.names, self.outcomes.advice
        is_explained = self.outcomes.explainer is not None
        for refusal, group in groupby(
            admissions, lambda each: is_explained or each.admitted or each.uid in advice or each.message
        ):
            alike = list(group)
            if isinstance(refusal, str) and len(alike) > _SHOWN_ALIKE:
                first, last = names[alike[0].uid], names[alike[-1].uid]
                yield Section(f"{first} to {last}: {len(alike)} pods refused, {alike[0].reason}: {refusal}")
                continue
            for admission in alike:
                yield Section(headline(admission, self.outcomes), self._lines_of(admission), admission.admitted)

    def _lines_of(self, admission: AdmissionResult) -> list[str]:
        """Return what a pod has, what would change its refusal, and why that is so."""
        outcomes, uid = self.outcomes, admission.uid
        advice = outcomes.advice[uid].lines() if uid in outcomes.advice else ()
        hints = outcomes.explainer.to_text(uid).split("\n") if outcomes.explainer else ()
        departures = map(departure_line, outcomes.behind.get(uid, ()))
        return [*placement_lines(admission, outcomes), *advice, *hints, *departures]

    def _are_apart(self, before: Section, section: Section) -> bool:
        return before.is_step or section.is_step

    @property
    def summary(self) -> str:
        """How many pods were admitted, and why others were refused."""
        return self.outcomes.summary

    def _head(self) -> list[str]:
        return []

    def _foot(self, width: int | None) -> Iterator[str]:
        node, pools = self.outcomes.node, self.outcomes.node.pools
        yield ""
        if pools.reserved is not None:
            yield f"reserved: {format_bits(pools.reserved) or '(none)'}"
            yield f"shared pool: {format_bits(pools.default) or '(empty)'}"
            yield f"cpusets are written every {node.reconcile_period}"
        owners, amounts = self.outcomes.owners, self.outcomes.amounts
        yield from ("", allocation_map(node.machine, owners, amounts=amounts, width=width, fold=FOLDED_ABOVE))


def ask(
    inputs: NodeInputs, beginning: Beginning, notice: Notice, most: int | None = ADVISED, *, explains: bool = False
) -> Answer:
    """Start a node, admit what comes to it, and advise on the first ``most`` kinds of refusals.

    With ``explains`` all are advised on, with the hints of managers, and quirks and changes behind what becomes of each
    pod. Raises ``UsageError`` and ``StartError``.
    """
    outcomes = beginning.outcomes(inputs, Explainer() if explains else None, None if explains else most)
    tell_unseen(beginning.pods, outcomes.node, notice)
    if explains:
        outcomes.behind = departures(beginning, inputs, outcomes)
    elif most and outcomes.unexplained:
        notice(f"refusals without a reason here: {outcomes.unexplained}; --explain gives the reason of each")
    return Answer(inputs, beginning, outcomes, inputs.title)
