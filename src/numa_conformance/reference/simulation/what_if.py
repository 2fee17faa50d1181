"""``simulate --compare``: how pods fare with another configuration or version, as a table and two pictures."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

import msgspec

from ...machine import Machine
from ...machine.picture import FOLDED_ABOVE, scene_text
from ...machine.picture_scene import Scene, scenes_of
from ...machine.picture_svg import scenes_svg
from ...printable import columns, folded_text
from ..advice.what_if import CHANGES, PodChange, is_aligned, pod_change
from ..node import AdmissionResult
from ..target.answers import admission_answer
from .outcomes import NO_ANSWER, Outcomes, brief_placements, resize_result
from .step_lines import Section, data_of

_SIDES = ("before", "after")


class Comparison:
    """Two nodes of one machine to which the same pods come. ``titles``: what each is."""

    def __init__(self, before: Outcomes, after: Outcomes, titles: tuple[str, str]) -> None:
        self._before, self._after = before, after
        self.titles = [f"{name + ':':<7} {title}" for name, title in zip(_SIDES, titles, strict=True)]
        self._titles = titles
        self._machine = before.node.machine
        pairs = zip(before.admissions, after.admissions, strict=True)
        self._pods = [pod_change(self._machine, earlier, later) for earlier, later in pairs]
        self._steps = list(self._step_rows())

    @property
    def changed(self) -> bool:
        """Whether any pod or step comes out differently."""
        return bool(self._steps) or any(pod.changes for pod in self._pods)

    @property
    def text(self) -> str:
        """What ``simulate --compare`` prints."""
        return self.to_text()

    def to_text(self, width: int | None = None) -> str:
        """Return ``text``, its table and its pictures made to fit so many columns."""
        lines = [*self.titles, ""]
        if self.changed:
            lines += columns([("pod", "change", "before", "after"), *self.rows], width=width)
            for section in self.sections:
                lines += ["", *(folded_text(line, width) for line in (section.heading, *section.indented))]
            lines.append("")
        for name, scene, last in zip(_SIDES, self._scenes.values(), (False, True), strict=True):
            lines += [f"{name}:", scene_text(scene, width=width, legend=last, fold=FOLDED_ABOVE), ""]
        return "\n".join([*lines, self.summary])

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """What comes out differently: pod or step, how, what became of it before, and after."""
        return [*(self._row(pod) for pod in self._pods if pod.changes), *self._steps]

    @property
    def sections(self) -> list[Section]:
        """The pods that are refused now, with what would have them admitted."""
        advice = self._after.advice
        refused = [pod for pod in self._pods if "refused" in pod.changes and pod.uid in advice]
        return [Section(f"{self._name(pod.uid)}: {pod.after.message}", [*advice[pod.uid].lines()]) for pod in refused]

    @property
    def data(self) -> dict[str, Any]:
        """What ``simulate --compare --json`` prints."""
        before = replace(self._before, advice={})  # a pod that is admitted by now needs none
        steps = [dict(zip(("step", "change", *_SIDES), row, strict=True)) for row in self._steps]
        return {
            "machine": self._machine.name,
            "summary": {**self._counts(), "unchanged": sum(not pod.changes for pod in self._pods)},
            "pods": [self._as_dict(pod) for pod in self._pods],
            **({"steps": steps} if before.steps else {}),
            "before": {"title": self._titles[0], **data_of(before)},
            "after": {"title": self._titles[1], **data_of(self._after)},
        }

    @property
    def svg(self) -> str:
        """The two pictures as one SVG."""
        return scenes_svg(self._scenes)

    @property
    def summary(self) -> str:
        """How many pods come out differently, and how."""
        same = sum(not pod.changes for pod in self._pods)
        changes = [f"{count} {change}" for change, count in self._counts().items()]
        if self._steps:
            changes.append(f"{len(self._steps)} at a step")
        return f"changed: {', '.join(changes) or 'none'}; as before: {same}"

    @cached_property
    def _scenes(self) -> dict[str, Scene]:
        headings = (f"{name}: {title}" for name, title in zip(_SIDES, self._titles, strict=True))
        sides = ((side.owners, side.amounts) for side in (self._before, self._after))
        return scenes_of(self._machine, dict(zip(headings, sides, strict=True)))

    def _name(self, uid: str) -> str:
        return self._after.names[uid]

    def _row(self, pod: PodChange) -> tuple[str, ...]:
        changes = ", ".join(pod.changes)
        return self._name(pod.uid), changes, _fate(self._machine, pod.before), _fate(self._machine, pod.after)

    def _counts(self) -> dict[str, int]:
        counts = Counter(change for pod in self._pods for change in pod.changes)
        return {change: counts[change] for change in CHANGES if counts[change]}

    def _step_rows(self) -> Iterator[tuple[str, ...]]:
        """Yield what comes of steps otherwise: what they refuse, or what pods have from then on."""
        moved_before = {pod.uid for pod in self._pods if pod.changes}
        for sides in zip(self._before.steps, self._after.steps, strict=True):
            step, outcomes = f"then {sides[0].step.text}", [side.fate for side in sides]
            if outcomes[0] != outcomes[1]:
                yield (step, "otherwise", *outcomes)
            has = [{uid: brief_placements(self._machine, held) for uid, held in side.pods.items()} for side in sides]
            moved = [uid for uid in has[0].keys() & has[1].keys() - moved_before if has[0][uid] != has[1][uid]]
            if moved := sorted(moved, key=list(has[0]).index):
                yield (step, "moved", *("; ".join(f"{self._name(uid)}: {side[uid]}" for uid in moved) for side in has))
            moved_before |= {*moved}

    def _as_dict(self, pod: PodChange) -> dict[str, Any]:
        sides = {"before": _admission(self._machine, pod.before), "after": _admission(self._machine, pod.after)}
        return {"pod": self._name(pod.uid), "uid": pod.uid, "changes": list(pod.changes), **sides}


def _admission(machine: Machine, admission: AdmissionResult) -> dict[str, Any]:
    aligned = is_aligned(machine, admission.placements) if admission.admitted else None
    return {**msgspec.to_builtins(admission_answer(admission)), **resize_result(admission), "aligned": aligned}


def _fate(machine: Machine, admission: AdmissionResult) -> str:
    if not admission.admitted and admission.resize:
        return f"not resized, {admission.reason}"
    if not admission.admitted:
        return "no answer" if admission.reason in NO_ANSWER else f"refused, {admission.reason}"
    return brief_placements(machine, admission.placements)
