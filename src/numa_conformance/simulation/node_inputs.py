"""What a person describes to commands that run a node: machine, configuration, pods, a dump (``--from-node``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..cli.options import CONFIG, LEVEL, STATE_AS_IT_IS, VERSION, MachineName, machine_of, noted, quirks_of
from ..cli.terminal import notice
from ..errors import KubeletFails, StartError, UsageError, did_you_mean
from ..kube import (
    ClusterObjects,
    KubeletConfiguration,
    NodeObject,
    Pod,
    pod_requests,
    read_cluster,
    read_kubelet_configuration,
    validate,
    with_flags,
)
from ..kube.resource_names import is_extended
from ..machine import Machine
from ..machine.hostfs import MemoryStore
from ..printable import listed
from ..reference.advice import refusals
from ..reference.managers.state_file import CORRUPTED
from ..reference.node import Explainer, Node, NodeFacts, node_allocatable
from ..sources.changes import Changes
from ..sources.quirks import Quirks
from ..sources.versions import DEFAULT, KubernetesVersion
from .outcomes import Outcomes, pod_names
from .steps import NamedStep, with_names

if TYPE_CHECKING:  # nodes at work are looked at with --from-node alone
    from ..doctor.held_pods import NodeHoldings
    from ..doctor.look import Sight
    from ..reference.node.handlers import Unmodelled

C = TypeVar("C", bound=Callable[..., Any])

_FLAGS = click.option(
    "--flags",
    default="",
    metavar="TEXT",
    help='The kubelet\'s command line; overrides the configuration: "--cpu-manager-policy=static --reserved-cpus=0".',
)
_FROM_NODE = click.option(
    "--from-node",
    "dump",
    type=click.Path(path_type=Path, exists=True),
    help="Go on from what a node holds: a dump (collect-node), its tarball, /, or state files alone. Its machine and "
    "configuration count where none are named.",
)


def node_options(command: C) -> C:
    """Add the options that describe a kubelet."""
    return reduce(lambda made, option: option(made), (LEVEL, VERSION, _FLAGS, CONFIG), command)


def from_node_options(command: C) -> C:
    """Add the options that name a machine, or a node at work."""
    machine = click.option("--machine", "machine_name", type=MachineName(), help="A name of the catalogue, or a file.")
    return machine(_FROM_NODE(STATE_AS_IT_IS(command)))


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
        cls, machine: Machine, config_file: Path | None, flags: str, version: KubernetesVersion, level: str
    ) -> NodeInputs:
        """Read the configuration; raises ``UsageError``."""
        config = with_flags(read_kubelet_configuration(config_file), flags, quirks_of(level, version).node)
        where = str(config_file or ("the configuration" if flags else "the kubelet's own defaults"))
        return cls(machine, noted(config, where), version, level, where)

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


def read_all(paths: Iterable[Path], *, lives: bool = False) -> ClusterObjects:
    """Return what is in all files, and report what is left out; ``lives``: steps too, and pods that are there again."""
    objects = read_cluster(*paths, lives=lives)
    for text in objects.notices:
        notice(text)
    if len(nodes := {pod.node_name for pod in objects.pods} - {""}) > 1:
        notice(
            f"these are pods of {len(nodes)} nodes ({', '.join(sorted(nodes)[:2])}, ...): all go to this one machine"
        )
    if objects.refused:
        names = (f"{pod.namespace}/{pod.name} ({pod.reason})" for pod in objects.refused)
        notice(f"asked again, after the others, as a kubelet refused them: {listed(names)}")
    if objects.nodes and objects.node is None:
        notice(f"{len(objects.nodes)} Nodes are listed: labels and taints of none of them are looked at")
    return objects


def missing(pod: Pod, inputs: NodeInputs) -> list[str]:
    """Return the resources that a pod asks for, the machine lacks, and the kubelet then does not look at."""
    lacking = pod_requests(pod).keys() - node_allocatable(inputs.machine, inputs.config).keys()
    passes_over_all = Changes.of(inputs.version).unlisted_resources_of_init_containers_are_passed_over
    counted = set() if passes_over_all else {name for init in pod.init_containers for name in init.requests}
    return sorted(filter(is_extended, lacking - counted))


def tell_missing(pods: Iterable[Pod], inputs: NodeInputs) -> None:
    """Tell which resources are asked for that the machine lacks, and which of them a kubelet does not look at."""
    machine = inputs.machine
    offered = {*node_allocatable(machine, inputs.config), "ephemeral-storage"}
    asking: dict[tuple[str, bool], list[str]] = {}
    for pod in pods:
        unseen = missing(pod, inputs)
        for resource in pod_requests(pod).keys() - offered:
            asking.setdefault((resource, resource in unseen), []).append(f"{pod.namespace}/{pod.name}")
    for (resource, is_unseen), names in sorted(asking.items()):
        who = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
        notes = f"{'; the kubelet does not look at it' if is_unseen else ''}{did_you_mean(resource, offered)}"
        notice(f"{machine.name} has no {resource}, which {who} asks for{notes}")


def tell_unseen(pods: Iterable[Pod], node: Node) -> None:
    """Tell which parts of pods a node of this configuration does not look at."""
    unseen = [f"{pod.namespace}/{pod.name}" for pod in pods if pod.has_pod_level]
    if unseen and not node.gates.enabled("PodLevelResources"):
        notice(f"spec.resources of {', '.join(unseen)} is not looked at: the gate PodLevelResources is off")
    claiming = [f"{pod.namespace}/{pod.name}" for pod in pods if pod.claim_names]
    if claiming and not node.serves_claims:
        notice(f"the resource claims of {', '.join(claiming)} are not looked at: no manager of this node serves claims")
    for unmodelled, names in users_of((pod, node.chain.unmodelled(pod)) for pod in pods).items():
        is_in_node = "Node" in unmodelled.handler.modelled and "runtimeClassName" not in unmodelled.use
        hint = "; list its Node among the pods to have it looked at" if is_in_node else ""
        notice(unmodelled.describe(listed(names)) + hint)


def users_of(uses: Iterable[tuple[Pod, Iterable[Unmodelled]]]) -> dict[Unmodelled, list[str]]:
    """Return by what is not modelled the pods that use it."""
    users: dict[Unmodelled, list[str]] = {}
    for pod, used in uses:
        for unmodelled in used:
            users.setdefault(unmodelled, []).append(f"{pod.namespace}/{pod.name}")
    return users


@dataclass(frozen=True)
class Beginning:
    """What comes to a node, in order, and what it holds before, if anything. ``names``: of all pods, by uid."""

    life: tuple[Pod | NamedStep, ...]
    names: dict[str, str]
    held: NodeHoldings | None = None

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
        outcomes.live(self.life, most)
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
    """What a person named: a machine, a dump (one of them at least), flags, a level, and ``--state-as-it-is``."""

    machine_name: str | None
    dump: Path | None
    flags: str
    level: str
    as_it_is: bool = False

    def begin(
        self, config_file: Path | None, version: KubernetesVersion | None, objects: ClusterObjects
    ) -> tuple[NodeInputs, Beginning]:
        """Return the node as it is, and the pods that come to it; raises ``UsageError``."""
        machine = machine_of(self.machine_name) if self.machine_name else None
        if self.dump is None:
            assert machine
            inputs = NodeInputs.read(machine, config_file, self.flags, version or DEFAULT, self.level)
            beginning = Beginning(with_names(objects.in_life, {}), pod_names(objects.in_order))
            return replace(inputs, node_object=objects.node), beginning
        from ..doctor.held_pods import node_holdings

        sight = self._look(self.dump, config_file, version, machine)
        held = node_holdings(sight, objects.in_order)
        for note in (*sight.state.remarks, *held.notes):
            notice(note)
        inputs = replace(self._of_node(sight, config_file), machine=held.machine, node_object=objects.node)
        new = pod_names(held.new)
        life = [event for event in objects.in_life if not isinstance(event, Pod) or event.uid in new]
        return inputs, Beginning(with_names(life, held.names), {**held.names, **new}, held)

    def other(self, inputs: NodeInputs, config_file: Path | None, version: KubernetesVersion | None) -> NodeInputs:
        """Return the machine with another configuration or version, and a kubelet's flags; raises ``UsageError``."""
        if config_file is None:
            return replace(inputs, version=version or inputs.version)
        version = version or inputs.version
        if self.dump is None:
            other = NodeInputs.read(inputs.machine, config_file, self.flags, version, self.level)
        else:
            other = self._of_node(self._look(self.dump, config_file, version, inputs.machine), config_file)
        return replace(other, machine=inputs.machine, node_object=inputs.node_object)

    def _of_node(self, sight: Sight, config_file: Path | None) -> NodeInputs:
        version = sight.version or DEFAULT
        config = with_flags(sight.configured.kubelet, self.flags, quirks_of(self.level, version).node)
        files = ", ".join(f"{self.dump}/{file}" for file in sight.configured.files)
        where = str(config_file or files or f"the kubelet of {self.dump}")
        return NodeInputs(sight.machine, noted(config, where), version, self.level, where)

    def _look(
        self, dump: Path, config: Path | None, version: KubernetesVersion | None, machine: Machine | None
    ) -> Sight:
        from ..doctor.lone_state import open_node
        from ..doctor.look import NodeSource, look

        try:
            with open_node(dump) as folder:
                source = NodeSource(folder, config, None, None, None, version, machine, self.as_it_is, bool(self.flags))
                sight = look(source)
        except UsageError as error:
            raise error.within("--from-node") from error
        return replace(sight, version=sight.version and KubernetesVersion.supported(sight.version))
