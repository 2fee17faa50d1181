"""What a person describes to commands that run a node: machine, configuration, pods, a dump (``--from-node``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..documents import Source
from ..errors import KubeletFails, StartError, UsageError, did_you_mean
from ..kube import (
    ClusterObjects,
    KubeletConfiguration,
    NodeObject,
    Pod,
    pod_requests,
    read_kubelet_configuration,
    validate,
    with_flags,
)
from ..kube.resource_names import is_extended
from ..machine import Machine
from ..machine.hostfs import MemoryStore
from ..reference.advice import refusals
from ..reference.managers.state_file import CORRUPTED
from ..reference.node import Explainer, Node, NodeFacts, node_allocatable
from ..sources.changes import Changes
from ..sources.quirks import Quirks
from ..sources.versions import DEFAULT, KubernetesVersion
from .outcomes import Outcomes, pod_names
from .reading import Notice, machine_of, noted, quirks_of
from .steps import NamedStep, with_names

Progress = Callable[[Sequence[Pod | NamedStep]], Iterable[Pod | NamedStep]]

if TYPE_CHECKING:  # nodes at work are looked at with --from-node alone
    from ..doctor.held_pods import NodeHoldings
    from ..doctor.look import Sight


@dataclass(frozen=True)
class NodeInputs:
    """A machine and its kubelet, as a person describes them.

    ``where``: what messages call the configuration. ``node_object``: the Node, which has labels, taints and conditions.
    """

    machine: Machine
    config: KubeletConfiguration
    version: KubernetesVersion
    level: str
    where: str
    node_object: NodeObject | None = None

    @classmethod
    def read(
        cls, machine: Machine, config: Source | None, flags: str, version: KubernetesVersion, level: str, notice: Notice
    ) -> NodeInputs:
        """Read the configuration; raises ``UsageError``."""
        where = str(config or ("the configuration" if flags else "the kubelet's own defaults"))
        configured = with_flags(read_kubelet_configuration(config), flags, quirks_of(level, version).node)
        return cls(machine, noted(configured, where, notice), version, level, where)

    @property
    def quirks(self) -> Quirks:
        """What the version does at the level."""
        return quirks_of(self.level, self.version)

    @property
    def title(self) -> str:
        """What it is, in a line."""
        return f"{self.where}, Kubernetes {self.version}"

    def node(self, **more: Any) -> Node:
        """Start the node; raises ``StartError`` with what may be done about it."""
        try:
            validate(self.config, self.version)
            return Node(
                self.machine,
                self.config,
                kubernetes_version=self.version,
                resource_fit=True,
                facts=NodeFacts.of(self.node_object, self.config),
                **{"quirks": self.quirks, **more},
            )
        except StartError as error:
            findings = refusals(self.config, self.version, self.quirks, self.machine)
            hints = [f"{self.where}: {finding.hint(error.message)}" for finding in findings]
            raise StartError(error.stage, error.message, hints) from error

    def missing(self, pod: Pod) -> list[str]:
        """Return the resources that a pod asks for, the machine lacks, and the kubelet then does not look at."""
        lacking = pod_requests(pod).keys() - node_allocatable(self.machine, self.config).keys()
        passes_over_all = Changes.of(self.version).unlisted_resources_of_init_containers_are_passed_over
        counted = set() if passes_over_all else {name for init in pod.init_containers for name in init.requests}
        return sorted(filter(is_extended, lacking - counted))

    def tell_missing(self, pods: Iterable[Pod], notice: Notice) -> None:
        """Report which resources are asked for that the machine lacks, and which a kubelet does not look at."""
        offered = {*node_allocatable(self.machine, self.config), "ephemeral-storage"}
        asking: dict[tuple[str, bool], list[str]] = {}
        for pod in pods:
            unseen = self.missing(pod)
            for resource in pod_requests(pod).keys() - offered:
                asking.setdefault((resource, resource in unseen), []).append(f"{pod.namespace}/{pod.name}")
        for (resource, is_unseen), names in sorted(asking.items()):
            who = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
            notes = f"{'; the kubelet does not look at it' if is_unseen else ''}{did_you_mean(resource, offered)}"
            notice(f"{self.machine.name} has no {resource}, which {who} asks for{notes}")


@dataclass(frozen=True)
class Beginning:
    """What comes to a node, in order, and what it holds before, if anything. ``names``: of all pods, by uid.

    ``progress``: yields what comes, and shows how far it is.
    """

    life: tuple[Pod | NamedStep, ...]
    names: dict[str, str]
    held: NodeHoldings | None = None
    progress: Progress = iter

    @property
    def pods(self) -> tuple[Pod, ...]:
        """The pods that come."""
        return tuple(event for event in self.life if isinstance(event, Pod))

    def outcomes(self, inputs: NodeInputs, explainer: Explainer | None, most: int | None, **more: Any) -> Outcomes:
        """Start the node on what it holds, with ``more`` of what ``Node`` takes, and admit the pods.

        Raises ``StartError``.
        """
        more = {"watcher": explainer, **more}
        if self.held is None:
            outcomes = Outcomes(inputs.node(**more), self.names, explainer)
        else:
            outcomes = self._resumed(inputs, explainer, self.held, more)
        outcomes.live(self.progress(self.life), most)
        return outcomes

    def drained(self) -> Beginning:
        """Return an empty node to which all pods come, those first that were there."""
        return replace(self, life=(*(self.held.pods if self.held else ()), *self.life), held=None)

    def _resumed(
        self, inputs: NodeInputs, explainer: Explainer | None, held: NodeHoldings, more: dict[str, Any]
    ) -> Outcomes:
        store = MemoryStore()
        for name, text in held.files.items():
            store.write(name, text)
        try:
            node = inputs.node(store=store, **more)
            resumed = node.resume(held.pods)
        except KubeletFails as error:
            raise StartError("kubelet", str(error)) from error
        except StartError as error:
            if CORRUPTED in error.message:
                error.hints += (
                    "--state-as-it-is reads a file whose checksum does not fit, as of a text that was edited",
                )
            raise
        on_node = frozenset(pod.uid for pod in resumed.pods)
        return Outcomes(node, self.names, explainer, list(resumed.pods), held=on_node)


@dataclass(frozen=True)
class Question:
    """What a person named: a machine, a dump (one of them at least), flags, a level, and ``--state-as-it-is``.

    ``notice`` takes what a person should know besides the answer.
    """

    source: Machine | Source | None
    dump: Path | None
    flags: str
    level: str
    notice: Notice
    as_it_is: bool = False
    progress: Progress = iter

    def begin(
        self, config: Source | None, version: KubernetesVersion | None, objects: ClusterObjects
    ) -> tuple[NodeInputs, Beginning]:
        """Return the node as it is, and the pods that come to it; raises ``UsageError``."""
        machine = self.source
        if machine is not None and not isinstance(machine, Machine):
            machine = machine_of(machine, self.notice)
        if self.dump is None:
            assert machine
            inputs = NodeInputs.read(machine, config, self.flags, version or DEFAULT, self.level, self.notice)
            life = with_names(objects.in_life, {}, self.notice)
            beginning = Beginning(life, pod_names(objects.in_order), progress=self.progress)
            inputs = replace(inputs, node_object=objects.node)
            inputs.tell_missing(beginning.pods, self.notice)
            return inputs, beginning
        from ..doctor.held_pods import node_holdings

        sight = self._look(self.dump, config, version, machine)
        held = node_holdings(sight, objects.in_order)
        for note in (*sight.state.remarks, *held.notes):
            self.notice(note)
        inputs = replace(self._of_node(sight, config), machine=held.machine, node_object=objects.node)
        new = pod_names(held.new)
        events = [event for event in objects.in_life if not isinstance(event, Pod) or event.uid in new]
        life = with_names(events, held.names, self.notice)
        beginning = Beginning(life, {**held.names, **new}, held, self.progress)
        inputs.tell_missing(beginning.pods, self.notice)
        return inputs, beginning

    def other(self, inputs: NodeInputs, config: Source | None, version: KubernetesVersion | None) -> NodeInputs:
        """Return the machine with another configuration or version, and a kubelet's flags; raises ``UsageError``."""
        if config is None:
            return replace(inputs, version=version or inputs.version)
        version = version or inputs.version
        if self.dump is None:
            other = NodeInputs.read(inputs.machine, config, self.flags, version, self.level, self.notice)
        else:
            other = self._of_node(self._look(self.dump, config, version, inputs.machine), config)
        return replace(other, machine=inputs.machine, node_object=inputs.node_object)

    def _of_node(self, sight: Sight, config: Source | None) -> NodeInputs:
        version = sight.version or DEFAULT
        configured = with_flags(sight.configured.kubelet, self.flags, quirks_of(self.level, version).node)
        files = ", ".join(f"{self.dump}/{file}" for file in sight.configured.files)
        where = str(config or files or f"the kubelet of {self.dump}")
        return NodeInputs(sight.machine, noted(configured, where, self.notice), version, self.level, where)

    def _look(
        self, dump: Path, config: Source | None, version: KubernetesVersion | None, machine: Machine | None
    ) -> Sight:
        from ..doctor.lone_state import open_node
        from ..doctor.look import NodeSource, look

        assert config is None or isinstance(config, Path)
        try:
            with open_node(dump) as folder:
                source = NodeSource(folder, config, None, None, None, version, machine, self.as_it_is, bool(self.flags))
                sight = look(source)
        except UsageError as error:
            raise error.within("--from-node") from error
        return replace(sight, version=sight.version and KubernetesVersion.supported(sight.version))
