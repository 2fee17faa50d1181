"""Steps of a life, in a list with pods (docs/steps.md): what happens to a node beside pods that come."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from ..errors import Fault, UsageError, closest
from ..fields import object_at
from ..forms import read_form
from .pod import Pod

StateFile = Literal["cpu_manager_state", "memory_manager_state", "kubelet_internal_checkpoint"]
PluginState = Literal["registered", "fails", "empty", "unregistered"]
"""What becomes of a device plugin: ``empty`` offers nothing, as one that has stopped; of ``fails`` each call does."""


class StartForm(msgspec.Struct, forbid_unknown_fields=True):
    """What a kubelet finds when it starts: a machine by name or file, a KubeletConfiguration; else those of before."""

    machine: str | None = None
    config: str | None = None


_Start = StartForm | None | UnsetType


class StepForm(msgspec.Struct, forbid_unknown_fields=True):
    """The steps by their word; an entry has one of them."""

    delete: str | UnsetType = UNSET
    restart: _Start = UNSET
    reboot: _Start = UNSET
    shutdown: UnsetType | None = UNSET
    lose: StateFile | UnsetType = UNSET
    plugin: Annotated[dict[str, PluginState], msgspec.Meta(min_length=1)] | UnsetType = UNSET


STEPS = StepForm.__struct_fields__


@dataclass(frozen=True, slots=True)
class LifeStep:
    """One step. ``place``: file, document and entry that it is written in; ``value``: what stands behind its word."""

    place: str
    kind: str
    value: Any = None

    @classmethod
    def read(cls, entry: object, place: str) -> "LifeStep":
        """Read an entry of a list: a word, or a word with a value; raises ``UsageError`` with each fault."""
        form = read_form(StepForm, {entry: None} if isinstance(entry, str) else entry, place)
        chosen = {word: value for word in STEPS if (value := getattr(form, word)) is not UNSET}
        if len(chosen) != 1:
            raise UsageError(Fault(place, f"has {len(chosen)} steps", f"a pod, or one of {', '.join(STEPS)}"))
        ((kind, value),) = chosen.items()
        return cls(place, kind, StartForm() if value is None and kind != "shutdown" else value)

    @property
    def text(self) -> str:
        """The step in a line."""
        value = self.value
        if isinstance(value, StartForm):
            value = {"on": value.machine, "with": value.config}
        if isinstance(value, dict):
            value = ", ".join(f"{word} {name}" for word, name in value.items() if name)
        return f"{self.kind} {value or ''}".rstrip()

    def path_of(self, name: str) -> str:
        """Return a file's path where it lies next to the file of the step, else the name as it is."""
        path = Path(self.place.partition(": ")[0]).parent / name
        return str(path) if path.is_file() else name


def pod_named(step: LifeStep, names: Mapping[str, str]) -> str:
    """Return the uid of the pod that a step names, the last of its name; ``names``: name with namespace by uid.

    Raises ``UsageError`` where there is none.
    """
    for uid, name in reversed([*names.items()]):
        if step.value in (uid, name) or f"default/{step.value}" == name:
            return uid
    message = f"no pod {step.value!r} has come by then"
    accepted = ", ".join(dict.fromkeys(names.values()))
    raise UsageError(Fault(f"{step.place}: {step.kind}", message, accepted, closest(step.value, names.values())))


class LifeReader:
    """Pods and steps in the order of the text: a pod that is there again is resized, goes, or is one of its own."""

    def __init__(self, *, lives: bool) -> None:
        """Take whether steps are read; else they are refused, and so is a pod that is there again."""
        self.events: list[Pod | LifeStep] = []
        self._lives = lives
        self._latest: dict[str, Pod] = {}
        self._steps: dict[str, str] = {}

    def step(self, step: LifeStep) -> None:
        """Take a step: who comes again after it may be a new pod of the same name."""
        if not self._lives:
            raise UsageError(Fault(step.place, f"{step.kind} is a step of a life", "pods and nodes"))
        names = {pod.uid: f"{pod.namespace}/{pod.name}" for pod in self._latest.values()}
        with suppress(UsageError):  # pods of a node at work are not known here
            gone = {pod_named(step, names)} if step.kind == "delete" else names.keys()
            self._steps |= {uid: step.kind for uid in gone if self._steps.get(uid) != "delete"}
        self.events.append(step)

    def pod(self, pod: Pod, place: str) -> None:
        """Take a pod; raises ``UsageError`` where another one has its uid."""
        first = self._latest.setdefault(pod.uid, pod)
        if first is not pod:
            step = self._steps.get(first.uid, "")
            names = [f"{each.namespace}/{each.name}" for each in (first, pod)]
            is_same = self._lives and names[0] == names[1]
            if is_same and object_at(pod.raw, "metadata").get("deletionTimestamp"):
                self.step(LifeStep(place, "delete", names[1]))
                return
            if not (is_same and (step or _is_resized(first, pod))):
                is_given = "uid" in object_at(pod.raw, "metadata")
                message = f"the pods {' and '.join(names)} have the same {'uid' if is_given else 'name'} {pod.uid!r}"
                raise UsageError(Fault(f"{place}: metadata.uid", message))
            is_new = step == "delete" or not _is_resized(first, pod)
            uid = f"{pod.uid}@{len(self.events)}" if is_new else first.uid
            pod = self._latest[pod.uid] = replace(pod, uid=uid)
        self.events.append(pod)

    @property
    def by_start(self) -> list[Pod | LifeStep]:
        """Pods as a kubelet has started them, then others; ``kubectl`` lists by name. What has steps stays as it is."""
        pods = [event for event in self.events if isinstance(event, Pod)]
        if len({pod.uid for pod in pods}) < len(self.events):
            return self.events

        def age(pod: Pod) -> tuple[bool, str, str]:
            start = str(object_at(pod.raw, "status").get("startTime") or "")
            return not start, start, pod.created if start else ""

        return [*sorted(pods, key=age)]


def _is_resized(first: Pod, again: Pod) -> bool:
    """Tell whether the containers of a pod are there again, with other resources."""
    names = [[container.name for container in pod.all_containers] for pod in (first, again)]
    return names[0] == names[1] and first.all_containers != again.all_containers
