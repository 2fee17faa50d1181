"""What ``simulate`` begins with: an empty node of a machine, or what a node holds (``--from-node``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import KubeletFails, StartError, UsageError
from ..kube import Pod, with_flags
from ..machine import load_machine
from ..machine.hostfs import MemoryStore, open_dump
from ..reference.node import Explainer
from ..sources.versions import DEFAULT, KubernetesVersion
from .node_inputs import NodeInputs
from .options import quirks_of
from .outcomes import Outcomes, pod_names
from .terminal import notice

if TYPE_CHECKING:  # nodes at work are looked at with --from-node alone
    from ..doctor.held_pods import Held
    from ..doctor.look import Sight


@dataclass(frozen=True)
class Beginning:
    """The pods that come to a node, in order, and what it holds before, if anything. ``names``: of all pods, by uid."""

    pods: tuple[Pod, ...]
    names: dict[str, str]
    held: Held | None = None

    def outcomes(self, inputs: NodeInputs, explainer: Explainer | None, most: int | None) -> Outcomes:
        """Start the node on what it holds, and admit the pods; raises ``StartError``."""
        if self.held is None:
            outcomes = Outcomes(inputs.node(watcher=explainer), self.names, explainer)
        else:
            outcomes = self._resumed(inputs, explainer, self.held)
        outcomes.admit(self.pods, most)
        return outcomes

    def drained(self) -> Beginning:
        """Return an empty node to which all pods come, those first that were there."""
        return replace(self, pods=(*(self.held.pods if self.held else ()), *self.pods), held=None)

    def _resumed(self, inputs: NodeInputs, explainer: Explainer | None, held: Held) -> Outcomes:
        store = MemoryStore()
        for name, text in held.files.items():
            store.write(name, text)
        try:
            node = inputs.node(watcher=explainer, store=store)
            resumed = node.resume(held.pods)
        except KubeletFails as error:
            raise StartError("kubelet", str(error)) from error
        on_node = frozenset(pod.uid for pod in resumed.pods)
        return Outcomes(node, self.names, explainer, list(resumed.pods), held=on_node)


@dataclass(frozen=True)
class Question:
    """What a person named: a machine, a node's dump (one of them at least), the kubelet's flags and a level."""

    machine_name: str | None
    dump: Path | None
    flags: str
    level: str

    def begin(
        self, config_file: Path | None, version: KubernetesVersion | None, pods: Sequence[Pod]
    ) -> tuple[NodeInputs, Beginning]:
        """Return the node as it is, and the pods that come to it; raises ``UsageError``."""
        machine = load_machine(self.machine_name) if self.machine_name else None
        if self.dump is None:
            assert machine is not None
            inputs = NodeInputs.read(machine, config_file, self.flags, version or DEFAULT, self.level)
            return inputs, Beginning(tuple(pods), pod_names(pods))
        from ..doctor.held_pods import held_by_node

        sight = _look(self.dump, config_file, version)
        held = held_by_node(sight, machine or sight.machine, pods)
        for note in held.notes:
            notice(note)
        inputs = replace(self._of_node(sight, config_file), machine=held.machine)
        return inputs, Beginning(held.new, {**pod_names(held.new), **held.names}, held)

    def other(self, inputs: NodeInputs, config_file: Path | None, version: KubernetesVersion | None) -> NodeInputs:
        """Return the same machine with another configuration or version, where one is given; raises ``UsageError``.

        The flags with which a node's kubelet was started count with another configuration too.
        """
        if config_file is None:
            return replace(inputs, version=version or inputs.version)
        version = version or inputs.version
        if self.dump is None:
            return NodeInputs.read(inputs.machine, config_file, self.flags, version, self.level)
        return replace(self._of_node(_look(self.dump, config_file, version), config_file), machine=inputs.machine)

    def _of_node(self, sight: Sight, config_file: Path | None) -> NodeInputs:
        version = sight.version or DEFAULT
        config = with_flags(sight.configured.kubelet, self.flags, quirks_of(self.level, version).node)
        files = ", ".join(f"{self.dump}/{file}" for file in sight.configured.files)
        where = str(config_file or files or f"the kubelet of {self.dump}")
        return NodeInputs(sight.machine, config, version, self.level, where)


def _look(dump: Path, config: Path | None, version: KubernetesVersion | None) -> Sight:
    from ..doctor.look import Asked, look

    try:
        with open_dump(dump) as folder:
            sight = look(Asked(folder, config=config, version=version))
    except UsageError as error:
        raise error.within("--from-node") from error
    return replace(sight, version=sight.version and KubernetesVersion.supported(sight.version))
