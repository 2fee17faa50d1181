"""What Python and the browser ask: machines, configurations and pods as files, texts or objects."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
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
from .answer import Answer, ask
from .explained import Explanation, explanation_of
from .node_inputs import Beginning, NodeInputs
from .outcomes import ADVISED
from .reading import machine_of, read_all

Level = Literal["exact", "documented"]
_LEVELS = ("exact", "documented")
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
        try:
            known = KubernetesVersion.supported(version)
        except UsageError as error:
            raise error.within(name) from error
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
