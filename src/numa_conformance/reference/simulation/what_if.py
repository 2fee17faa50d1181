"""``simulate --compare``: how pods fare with another configuration or version, as a table and two pictures."""

from collections import Counter
from dataclasses import replace
from typing import Any

import msgspec

from ...machine import Machine, allocation_map
from ...machine.picture_svg import machine_svgs
from ...printable import columns, folded_text
from ..advice.what_if import CHANGES, PodChange, is_aligned, pod_change
from ..node import AdmissionResult
from ..target.answers import admission_answer
from .outcomes import NO_ANSWER, Outcomes, brief_placements, resize_result


class Comparison:
    """Two nodes of one machine that were asked for the same pods. ``titles``: what each is."""

    def __init__(self, before: Outcomes, after: Outcomes, titles: tuple[str, str]) -> None:
        self._before, self._after = before, after
        self._titles = titles
        self._machine = before.node.machine
        pairs = zip(before.admissions, after.admissions, strict=True)
        self._pods = [pod_change(self._machine, earlier, later) for earlier, later in pairs]

    @property
    def changed(self) -> bool:
        """Whether any pod fares otherwise."""
        return any(pod.changes for pod in self._pods)

    @property
    def is_well(self) -> bool:
        """Whether every pod fares as before."""
        return not self.changed

    @property
    def text(self) -> str:
        """What ``simulate --compare`` prints."""
        return self.to_text()

    def to_text(self, width: int | None = None) -> str:
        """Return ``text``, its table and its pictures made to fit so many columns."""
        lines = [f"{name + ':':<7} {title}" for name, title in zip(("before", "after"), self._titles, strict=True)]
        lines.append("")
        changed = [pod for pod in self._pods if pod.changes]
        if changed:
            rows = [("pod", "change", "before", "after"), *map(self._row, changed)]
            lines += columns(rows, width=width)
            for pod in changed:
                if "refused" in pod.changes and pod.uid in self._after.advice:
                    advice = [f"    {line}" for line in self._after.advice[pod.uid].lines()]
                    refusal = f"{self._name(pod)}: {pod.after.message}"
                    lines += ["", *(folded_text(line, width) for line in (refusal, *advice))]
            lines.append("")
        for name, owners, last in zip(("before", "after"), self._owners(), (False, True), strict=True):
            lines += [f"{name}:", allocation_map(self._machine, owners, width=width, legend=last), ""]
        return "\n".join([*lines, self._summary()])

    @property
    def data(self) -> dict[str, Any]:
        """What ``simulate --compare --json`` prints."""
        before = replace(self._before, advice={})  # a pod that is admitted by now needs none
        return {
            "machine": self._machine.name,
            "summary": {**self._counts(), "unchanged": sum(not pod.changes for pod in self._pods)},
            "pods": [self._as_dict(pod) for pod in self._pods],
            "before": {"title": self._titles[0], **before.to_dict()},
            "after": {"title": self._titles[1], **self._after.to_dict()},
        }

    @property
    def svg(self) -> str:
        """The two pictures as one SVG."""
        headings = (f"{name}: {title}" for name, title in zip(("before", "after"), self._titles, strict=True))
        return machine_svgs(self._machine, dict(zip(headings, self._owners(), strict=True)))

    def _owners(self) -> tuple[dict[str, int], dict[str, int]]:
        before, after = self._before.owners, self._after.owners
        labels = dict.fromkeys([*before, *after])
        return {label: before.get(label, 0) for label in labels}, {label: after.get(label, 0) for label in labels}

    def _name(self, pod: PodChange) -> str:
        return self._after.names[pod.uid]

    def _row(self, pod: PodChange) -> tuple[str, ...]:
        changes = ", ".join(pod.changes)
        return self._name(pod), changes, _fate(self._machine, pod.before), _fate(self._machine, pod.after)

    def _counts(self) -> dict[str, int]:
        counts = Counter(change for pod in self._pods for change in pod.changes)
        return {change: counts[change] for change in CHANGES if counts[change]}

    def _summary(self) -> str:
        same = sum(not pod.changes for pod in self._pods)
        changes = [f"{count} {change}" for change, count in self._counts().items()]
        return f"changed: {', '.join(changes) or 'none'}; as before: {same}"

    def _as_dict(self, pod: PodChange) -> dict[str, Any]:
        return {
            "pod": self._name(pod),
            "uid": pod.uid,
            "changes": list(pod.changes),
            "before": _admission(self._machine, pod.before),
            "after": _admission(self._machine, pod.after),
        }


def _admission(machine: Machine, admission: AdmissionResult) -> dict[str, Any]:
    aligned = is_aligned(machine, admission.placements) if admission.admitted else None
    return {**msgspec.to_builtins(admission_answer(admission)), **resize_result(admission), "aligned": aligned}


def _fate(machine: Machine, admission: AdmissionResult) -> str:
    if not admission.admitted and admission.resize:
        return f"not resized, {admission.reason}"
    if not admission.admitted:
        return "no answer" if admission.reason in NO_ANSWER else f"refused, {admission.reason}"
    return brief_placements(machine, admission.placements)
