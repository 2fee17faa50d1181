"""Why a kubelet refused pods, what would admit each, and what an upgrade changes: what ``explain`` answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ...errors import Fault, UsageError
from ...fields import object_at
from ...sources.versions import NEWEST, KubernetesVersion
from ..advice import why_never_refused
from ..node import AdmissionResult
from .answer import Answer
from .departures import departures
from .outcomes import Outcomes, headline
from .step_lines import Section, step_section, steps_to_dict


@dataclass(frozen=True)
class Explanation(Answer):
    """The answer about pods that a kubelet refused, and the outcomes with another version, if one was asked.

    ``everything``: admitted pods are shown too.
    """

    upgrade: KubernetesVersion = NEWEST
    later: Outcomes | None = None
    everything: bool = False

    @cached_property
    def shown(self) -> list[AdmissionResult]:
        """What became of the pods that a kubelet had refused, of those that are refused now, or of all."""
        every, before = self.outcomes.in_order, self.outcomes.refused_before
        return [each for each in every if self.everything or before(each.uid) or not self._stays(each)]

    @cached_property
    def sections(self) -> list[Section]:
        """The pods, and the steps that went wrong."""
        outcomes, later = self.outcomes, self.later
        pods = [Section(headline(each, outcomes), self._lines_of(each), each.admitted) for each in self.shown]
        steps = [(step, step_section(step, outcomes)) for step in outcomes.steps]
        changes = [f"with Kubernetes {self.upgrade}: {step.fate}" for step in later.steps] if later else []
        wrong = [
            replace(section, lines=[*section.lines, *changes[at : at + 1]])
            for at, (step, section) in enumerate(steps)
            if step.is_wrong
        ]
        return [*pods, *wrong]

    def _lines_of(self, admission: AdmissionResult) -> list[str]:
        """Return what the kubelet said, why the pod is admitted by now, and what the upgrade makes of it."""
        message = self._message_before(admission)
        before = [f"the kubelet said: {message}"] if message and message != admission.message else []
        why = filter(None, [self._why_admitted(admission)])
        fate = [f"with Kubernetes {self.upgrade}: {_fate(self.later, admission)}"] if self.later else []
        return [*before, *why, *super()._lines_of(admission), *fate]

    def _are_apart(self, before: Section, section: Section) -> bool:
        return True

    def _head(self) -> list[str]:
        return [f"node: {self.inputs.machine.name}, {self.title}", ""]

    def _foot(self, width: int | None) -> Iterator[str]:
        if self.later is None and self.inputs.version == NEWEST:
            yield from ("", f"{NEWEST} is the newest version known here: no upgrade was tried")

    @cached_property
    def data(self) -> dict[str, Any]:
        """What ``explain --json`` prints."""
        outcomes, later = self.outcomes, self.later
        rows = {row["uid"]: row for row in outcomes.to_dict()["pods"]}
        return {
            "machine": self.inputs.machine.name,
            "kubernetesVersion": str(self.inputs.version),
            "upgrade": None if later is None else str(self.upgrade),
            "pods": [
                {
                    **rows[admission.uid],
                    "messageBefore": self._message_before(admission),
                    **({"whyAdmitted": why} if (why := self._why_admitted(admission)) else {}),
                    **({} if later is None else {"withUpgrade": _fate(later, admission)}),
                }
                for admission in self.shown
            ],
            "steps": [
                {**step, **({} if later is None else {"withUpgrade": later.steps[index].fate})}
                for index, step in enumerate(steps_to_dict(outcomes))
            ],
        }

    def _stays(self, admission: AdmissionResult) -> bool:
        return admission.admitted and admission.uid not in self.outcomes.ended

    def _why_admitted(self, admission: AdmissionResult) -> str:
        """Say why a pod is admitted that a kubelet refused: another configuration, a resource not seen, or room."""
        reason = self.outcomes.refused_before(admission.uid)
        if not (reason and self._stays(admission)):
            return ""
        pod = self.outcomes.pods[admission.uid]
        if unlike := why_never_refused(self.inputs.config, reason):
            why = f"this is not the configuration it was refused with: {unlike}"
            return f"{why}; give the node's own (--config, --from-node)"
        if unseen := ", ".join(self.inputs.missing(pod)):
            return f"it may have been refused for {unseen}, which is not looked at: {self.inputs.machine.name} has none"
        return "the node has what it asks for now: delete the refused pod, and its controller makes a new one"

    def _message_before(self, admission: AdmissionResult) -> str:
        pod = self.outcomes.pods.get(admission.uid)
        return str(object_at(pod and pod.raw, "status").get("message") or "")


def _fate(later: Outcomes, admission: AdmissionResult) -> str:
    after = next(each for each in later.admissions if each.uid == admission.uid)
    if after.admitted:
        return "admitted as well" if admission.admitted else "admitted"
    same = not admission.admitted and (after.reason, after.message) == (admission.reason, admission.message)
    return "refused as well" if same else f"refused, {after.reason}: {after.message}"


def explanation_of(answer: Answer, upgrade: KubernetesVersion, where: str, *, everything: bool = False) -> Explanation:
    """Look for the quirks behind an answer, and ask the version of an upgrade.

    Raises ``UsageError`` where no pod of ``where`` was refused, and not ``everything`` is shown.
    """
    inputs, newer = answer.inputs, replace(answer.inputs, version=upgrade)
    later = answer.beginning.outcomes(newer, None, 0) if upgrade != inputs.version else None
    answer.outcomes.behind = departures(answer.beginning, inputs, answer.outcomes)
    explained = Explanation(
        inputs, answer.beginning, answer.outcomes, answer.title, answer.notices, upgrade, later, everything
    )
    if not explained.sections:
        raise UsageError(Fault(where, "no pod was refused", "pods with phase Failed, or Pending"))
    return explained
