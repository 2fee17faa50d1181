"""What Python and the browser ask: machines, configurations and pods as files, texts or objects."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from ...documents import Source, Text
from ...errors import Fault, UsageError, closest
from ...forms import with_position
from ...kube import ClusterObjects, KubeletConfiguration, Pod
from ...machine import Machine
from ...sources.patches import patch_note
from ...sources.versions import NEWEST, KubernetesVersion
from .answer import Answer
from .explained import Explanation
from .node_inputs import Question
from .outcomes import ADVISED
from .reading import machine_of, read_all

Level = Literal["exact", "documented"]
_LEVELS = ("exact", "documented")
Described = Path | str | Mapping[str, Any]
"""A file by its path, a text (with a line break in it), or an object as Kubernetes' JSON has it."""


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

    ``machine`` is also a name of the catalogue, or a text of ``lscpu`` and the like. A text is one with a line break;
    else a string is a path. ``config`` left out, or blank, stands for the kubelet's defaults. ``flags`` is a kubelet's
    command line. ``explain`` adds the hints of managers, and quirks and changes behind what becomes of each pod.

    Raises ``UsageError`` with every fault of the input: file, line and field, where texts are called ``machine``,
    ``config`` and ``pods``. Raises ``StartError`` where the kubelet fails to start.
    """
    sources = _Sources()
    with sources.positions():
        question, known = sources.question(machine, flags, level, version)
        return sources.answer(question, config, pods, known, most=ADVISED, explains=explain)


def explain(
    machine: Machine | Described,
    config: KubeletConfiguration | Described | None = None,
    pods: Pod | Described | Iterable[Pod | Described] = (),
    version: KubernetesVersion | str = NEWEST,
    *,
    level: Level = "exact",
    flags: str = "",
    upgrade: KubernetesVersion | str = NEWEST,
) -> Explanation:
    """Return why a kubelet refused pods, what would admit each, and what the version of an ``upgrade`` changes.

    Pods that run are placed first; those that were refused are asked again. Arguments and errors are those of
    ``simulate``; where no pod was refused it raises ``UsageError``.
    """
    sources = _Sources()
    with sources.positions():
        question, known = sources.question(machine, flags, level, version)
        newer = sources.version("upgrade", upgrade)
        answer = sources.answer(question, config, pods, known, most=None)
        return Explanation.with_upgrade(answer, newer, "pods")


class _Sources:
    """Texts by the names that faults have for them, and the notices of one question."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.notices: list[str] = []

    def notice(self, text: str) -> None:
        """Take a notice."""
        self.notices.append(text)

    @contextmanager
    def positions(self) -> Iterator[None]:
        """Give the faults that are raised inside their lines and columns."""
        try:
            yield
        except UsageError as error:
            raise UsageError(with_position(fault, self.texts) for fault in error.faults) from error

    def source(self, name: str, value: object) -> Source | None:
        """Return a path, or a text by its name; None for a blank one. Raises ``UsageError`` for another type."""
        if isinstance(value, Path) or (isinstance(value, str) and "\n" not in value.strip(" \t")):
            return value or None
        if isinstance(value, Pod | KubeletConfiguration):
            value = value.to_dict()
        text = json.dumps(value) if isinstance(value, Mapping) else value
        if not isinstance(text, str | None):
            raise UsageError(Fault(name, f"is of type {type(value).__name__}", "a path, a text or an object"))
        if not (text and text.strip()):
            return None
        self.texts[name] = text
        return Text(name, text)

    def pods(self, pods: object) -> list[Source]:
        """Return the sources of pods; the texts of several are called ``pods[0]``, ``pods[1]`` and so on."""
        if isinstance(pods, Path | str | Mapping | Pod) or not isinstance(pods, Iterable):
            pods = [pods]
        every = list(pods)
        named = {f"pods[{at}]" if len(every) > 1 else "pods": each for at, each in enumerate(every)}
        return [source for name, each in named.items() if (source := self.source(name, each)) is not None]

    def question(
        self, machine: object, flags: str, level: str, version: KubernetesVersion | str
    ) -> tuple[Question, KubernetesVersion]:
        """Return the question but for configuration and pods, and its version."""
        if level not in _LEVELS:
            raise UsageError(Fault("level", f"{level!r} is not accepted", ", ".join(_LEVELS), closest(level, _LEVELS)))
        known = self.version("version", version)
        source = machine if isinstance(machine, Machine) else self.source("machine", machine)
        if source is None:
            raise UsageError(Fault("machine", "is empty", "a name of the catalogue, a path or a text"))
        read = source if isinstance(source, Machine) else machine_of(source, self.notice)
        return Question(read, flags, level, self.notice), known

    def version(self, name: str, version: KubernetesVersion | str) -> KubernetesVersion:
        """Return a version, with a notice of what is known of its patch; raises ``UsageError``."""
        try:
            known = KubernetesVersion.supported(version)
        except UsageError as error:
            raise error.within(name) from error
        if note := patch_note(known):
            self.notice(f"Kubernetes {known}: {note}")
        return known

    def answer(
        self,
        question: Question,
        config: object,
        pods: object,
        version: KubernetesVersion,
        *,
        most: int | None,
        explains: bool = False,
    ) -> Answer:
        """Return the answer with its notices."""
        files = self.pods(pods)
        wanted = read_all(files, self.notice, lives=True) if files else ClusterObjects((), ())
        inputs, beginning = question.begin(self.source("config", config), version, wanted)
        answer = Answer.of(inputs, beginning, self.notice, most, explains=explains)
        return replace(answer, notices=tuple(self.notices))
