"""What Python and the browser ask: machines, configurations and pods; ``explain`` says why pods were refused."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from ...documents import Source, Text
from ...errors import Fault, UsageError, closest, faults_within
from ...fields import object_at
from ...forms import with_position
from ...kube import ClusterObjects, KubeletConfiguration, Pod
from ...kube.descriptions import PODS_OF_NODE
from ...machine import Machine
from ...machine.catalogue import machine_of
from ...sources.patches import patch_note
from ...sources.versions import NEWEST, KubernetesVersion
from ..advice import NOT_ALIGNED, why_never_refused
from ..node import AdmissionResult
from .answer import Answer, ask
from .node_inputs import Beginning, NodeInputs, departures
from .outcomes import ADVISED, Outcomes, headline
from .reading import read_all
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
        answers = (held.to_answer() for placed in admission.placements.values() for held in placed.holdings.values())
        if reason == NOT_ALIGNED and not any(answers):
            why = f"{reason} is about what managers give, and none gives this pod anything here"
            return f"{why}: the pod, or the configuration, was another"
        if self.inputs.node_object is None and reason in _OF_NODES:
            return f"{reason} depends on the Node, which is not here: give it too (kubectl get node NAME -o yaml)"
        others = [pod for pod in self.beginning.pods if not self.outcomes.refused_before(pod.uid)]
        if not (others or self.beginning.held or self.beginning.files):
            return f"it finds the node empty here, which other pods may have filled: give these too ({PODS_OF_NODE})"
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
        raise UsageError(
            Fault(where, "no pod was refused", "pods that a kubelet refused, as with OutOfcpu, or would refuse")
        )
    return explained


Level = Literal["exact", "documented"]
_LEVELS = ("exact", "documented")
_OF_NODES = ("NodeAffinity", "TaintToleration", "SupplementalGroupsPolicyNotSupported", "OutOfephemeral-storage")
_TEXT = re.compile(r"\n|^\s*[{\[]")
"""What a text has and a path has not: a line break, or a bracket before all else, as JSON."""
Described = Path | str | Mapping[str, Any]
"""A file by its path, a text, or an object as Kubernetes' JSON has it."""


def simulate(
    machine: Machine | Described,
    config: KubeletConfiguration | Described | None = None,
    pods: Pod | Described | Iterable[Pod | Described] = (),
    version: KubernetesVersion | str = NEWEST,
    *,
    level: Level = "exact",
    flags: str = "",
    explain: bool = False,
) -> Answer:
    """Return what a node with a machine and a kubelet's configuration does with pods, and with steps between them.

    ``machine`` is also a name of the catalogue, or a text of ``lscpu`` and the like. A text has a line break, or is
    JSON; else a string is a path. ``config`` left out, or blank, stands for the kubelet's defaults. ``flags`` is a
    kubelet's command line. ``explain`` adds the hints of managers, and the quirks and changes behind what becomes of
    each pod.

    Raises ``UsageError`` with every fault of the input: file, line and field, where texts are called ``machine``,
    ``config`` and ``pods``. Raises ``StartError`` where the kubelet fails to start.
    """
    return _Sources().answer(machine, config, pods, version, level, flags, explains=explain)


def explain(
    machine: Machine | Described,
    config: KubeletConfiguration | Described | None = None,
    pods: Pod | Described | Iterable[Pod | Described] = (),
    version: KubernetesVersion | str = NEWEST,
    *,
    level: Level = "exact",
    flags: str = "",
    upgrade: KubernetesVersion | str = NEWEST,
    everything: bool = False,
) -> Explanation:
    """Return why a kubelet refused pods, what would admit each, and what the version of an ``upgrade`` changes.

    Pods that run are placed first; those that were refused are asked again. Arguments and errors are those of
    ``simulate``; where no pod was refused it raises ``UsageError``, unless ``everything`` shows admitted pods too.
    """
    sources = _Sources()
    newer = sources.version("upgrade", upgrade)
    answer = sources.answer(machine, config, pods, version, level, flags, most=None)
    return explanation_of(answer, newer, "pods", everything=everything)


class _Sources:
    """Texts by the names that faults have for them, and the notices of one question."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._notices: list[str] = []

    def answer(
        self,
        machine: object,
        config: object,
        pods: object,
        version: KubernetesVersion | str,
        level: str,
        flags: str,
        *,
        most: int | None = ADVISED,
        explains: bool = False,
    ) -> Answer:
        """Return the answer with its notices; raises ``UsageError`` with lines and columns, and ``StartError``."""
        notice = self._notices.append
        if level not in _LEVELS:
            raise UsageError(Fault("level", f"{level!r} is not accepted", ", ".join(_LEVELS), closest(level, _LEVELS)))
        known = self.version("version", version)
        try:
            files = self._pods(pods)
            objects = read_all(files, notice, lives=True) if files else ClusterObjects((), ())
            described = machine if isinstance(machine, Machine) else self._source("machine", machine)
            if described is None:
                raise UsageError(Fault("machine", "is empty", "a name of the catalogue, a path or a text"))
            hardware = described if isinstance(described, Machine) else machine_of(described, notice)
            configured = self._source("config", config)
            inputs = NodeInputs.read(hardware, configured, flags, known, level, notice, objects.node)
            beginning = Beginning.of(objects, notice)
            inputs.tell_missing(beginning.pods, notice)
            answer = ask(inputs, beginning, notice, most, explains=explains)
        except UsageError as error:
            raise UsageError(with_position(fault, self._texts) for fault in error.faults) from error
        return replace(answer, notices=tuple(self._notices))

    def version(self, name: str, version: KubernetesVersion | str) -> KubernetesVersion:
        """Return a version, with a notice of what is known of its patch; raises ``UsageError``."""
        with faults_within(name):
            known = KubernetesVersion.supported(version)
        if note := patch_note(known):
            self._notices.append(f"Kubernetes {known}: {note}")
        return known

    def _source(self, name: str, value: object) -> Source | None:
        """Return a path, or a text by its name; None for a blank one. Raises ``UsageError`` for another type."""
        if isinstance(value, Path) or (isinstance(value, str) and not _TEXT.search(value)):
            return value or None
        if isinstance(value, Pod | KubeletConfiguration):
            value = value.to_dict()
        text = json.dumps(value) if isinstance(value, Mapping) else value
        if not isinstance(text, str | None):
            raise UsageError(Fault(name, f"is of type {type(value).__name__}", "a path, a text or an object"))
        if not (text and text.strip()):
            return None
        self._texts[name] = text
        return Text(name, text)

    def _pods(self, pods: object) -> list[Source]:
        """Return the sources of pods; the texts of several are called ``pods[0]``, ``pods[1]`` and so on."""
        if isinstance(pods, Path | str | Mapping | Pod) or not isinstance(pods, Iterable):
            pods = [pods]
        every = list(pods)
        named = {f"pods[{at}]" if len(every) > 1 else "pods": each for at, each in enumerate(every)}
        return [source for name, each in named.items() if (source := self._source(name, each)) is not None]
