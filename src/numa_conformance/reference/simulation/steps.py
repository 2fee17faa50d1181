"""Steps of a life (docs/steps.md): what they name is read before any is taken, and each tells who has what after it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...errors import Fault, UsageError, faults_within
from ...kube import KubeletConfiguration, LifeStep, Pod, StartForm, pod_named
from ...machine import Machine, machine_to_dict
from ...machine.catalogue import machine_of
from ..node import AdmissionResult, Node, Placement, ShutdownGroup
from .reading import Notice, read_configuration


@dataclass(frozen=True)
class StepOutcome:
    """What a step did: the pods that were admitted again, those that ended group by group, or why nothing starts.

    ``pods``: who has what after it, by uid and container. ``after``: how many pods had come. ``late``: the uids of pods
    that were refused, and would be admitted by now.
    """

    step: LifeStep
    admissions: tuple[AdmissionResult, ...] = ()
    groups: tuple[ShutdownGroup, ...] = ()
    failure: str = ""
    pods: Mapping[str, Mapping[str, Placement]] = field(default_factory=dict)
    after: int = 0
    late: frozenset[str] = frozenset()

    @property
    def refused(self) -> list[str]:
        """The uids of pods that it refused."""
        return [admission.uid for admission in self.admissions if not admission.admitted]

    @property
    def is_wrong(self) -> bool:
        """Whether it refused a pod, or the kubelet does not start."""
        return bool(self.failure or self.refused)

    @property
    def fate(self) -> str:
        """What came of it, in a line."""
        if self.failure:
            return f"the kubelet does not start: {self.failure}"
        count = len(self.refused)
        return f"{count} pod{'s' * (count > 1)} refused" if count else "no pod is refused"


@dataclass(frozen=True)
class NamedStep:
    """A step with what it names: the pod's uid, the machine and the configuration of a start."""

    step: LifeStep
    uid: str = ""
    machine: Machine | None = None
    config: KubeletConfiguration | None = None

    def take(self, node: Node) -> StepOutcome:
        """Take the step on a node; raises ``StartError`` or ``KubeletFails`` where its kubelet does not start."""
        match self.step.kind:
            case "delete":
                node.remove(self.uid)
            case "lose":
                node.write_files({self.step.value: None})
            case "plugin":
                node.change_plugins(self.step.value)
            case "shutdown":
                return StepOutcome(self.step, groups=tuple(node.shut_down()))
            case kind:
                again = node.start_later(self.machine, self.config, boots=kind == "reboot")
                return StepOutcome(self.step, again.pods)
        return StepOutcome(self.step)

    def question(self) -> tuple[str, dict[str, Any]]:
        """Return the step as the reference is asked it (``LifeClient``)."""
        kind, value = self.step.kind, self.step.value
        if kind == "delete":
            return "node.remove", {"uid": self.uid}
        if kind not in ("restart", "reboot"):
            return "node.state", {kind: True if value is None else value}
        machine = {} if self.machine is None else {"machine": machine_to_dict(self.machine)}
        config = {} if self.config is None else {"kubelet": self.config.to_dict()}
        return "node.restart", {**machine, **config, **({"boots": True} if kind == "reboot" else {})}


def with_names(life: Iterable[Pod | LifeStep], names: Mapping[str, str], notice: Notice) -> tuple[Pod | NamedStep, ...]:
    """Read what the steps name; ``names``: those of the pods that are there before, by uid. Raises ``UsageError``."""
    known, faults, events = dict(names), list[Fault](), list[Pod | NamedStep]()
    for event in life:
        if isinstance(event, Pod):
            known[event.uid] = f"{event.namespace}/{event.name}"
            events.append(event)
            continue
        try:
            events.append(_named(event, known, notice))
        except UsageError as error:
            faults += error.faults
    if faults:
        raise UsageError(faults)
    return tuple(events)


def _named(step: LifeStep, names: Mapping[str, str], notice: Notice) -> NamedStep:
    if step.kind == "delete":
        return NamedStep(step, pod_named(step, names))
    if not isinstance(step.value, StartForm):
        return NamedStep(step)
    with faults_within(f"{step.place}: {step.kind}"):
        machine = machine_of(step.path_of(step.value.machine), notice) if step.value.machine else None
        config = read_configuration(Path(step.path_of(step.value.config)), notice) if step.value.config else None
    return NamedStep(step, machine=machine, config=config)
