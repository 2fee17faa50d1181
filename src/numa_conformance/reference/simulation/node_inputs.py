"""A machine and its kubelet as a person describes them, what comes to that node, and which quirks are behind it."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ... import kube
from ...documents import Source
from ...errors import KubeletFails, StartError, UsageError, did_you_mean
from ...kube.resource_names import is_extended, is_huge_page
from ...machine import Machine
from ...machine.hostfs import MemoryStore
from ...sources.changes import CHANGES, Changes
from ...sources.quirks import QUIRKS, Quirks
from ...sources.versions import KubernetesVersion
from ..advice import refusals
from ..managers.state_file import CORRUPTED
from ..node import Explainer, Node, NodeFacts, node_allocatable
from .outcomes import Outcomes, pod_names
from .reading import Notice, noted, quirks_of
from .steps import NamedStep, with_names

Progress = Callable[[Sequence[kube.Pod | NamedStep]], Iterable[kube.Pod | NamedStep]]


@dataclass(frozen=True)
class NodeInputs:
    """A machine and its kubelet, as a person describes them.

    ``where``: what messages call the configuration. ``node_object``: the Node, which has labels, taints and conditions.
    """

    machine: Machine
    config: kube.KubeletConfiguration
    version: KubernetesVersion
    level: str
    where: str
    node_object: kube.NodeObject | None = None

    @classmethod
    def read(
        cls,
        machine: Machine,
        config: Source | None,
        flags: str,
        version: KubernetesVersion,
        level: str,
        notice: Notice,
        node_object: kube.NodeObject | None = None,
    ) -> "NodeInputs":
        """Read the configuration; raises ``UsageError``."""
        where = str(config or ("the configuration" if flags else "the kubelet's own defaults"))
        configured = kube.with_flags(kube.read_kubelet_configuration(config), flags, quirks_of(level, version).node)
        return cls(machine, noted(configured, where, notice), version, level, where, node_object)

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
            kube.validate(self.config, self.version)
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

    def missing(self, pod: kube.Pod) -> list[str]:
        """Return the resources that a pod asks for, the machine lacks, and the kubelet then does not look at."""
        lacking = kube.pod_requests(pod).keys() - node_allocatable(self.machine, self.config).keys()
        passes_over_all = Changes.of(self.version).unlisted_resources_of_init_containers_are_passed_over
        counted = set() if passes_over_all else {name for init in pod.init_containers for name in init.requests}
        return sorted(filter(is_extended, lacking - counted))

    def tell_missing(self, pods: Iterable[kube.Pod], notice: Notice) -> None:
        """Report which resources are asked for that the machine lacks, and which a kubelet does not look at."""
        try:
            offered = {*node_allocatable(self.machine, self.config), "ephemeral-storage"}
        except UsageError:  # a threshold that ends the start, which tells of it
            return
        asking: dict[tuple[str, bool], list[str]] = {}
        for pod in pods:
            unseen = self.missing(pod)
            for resource in kube.pod_requests(pod).keys() - offered:
                asking.setdefault((resource, resource in unseen), []).append(f"{pod.namespace}/{pod.name}")
        for (resource, is_unseen), names in sorted(asking.items()):
            who = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
            notes = f"{'; the kubelet does not look at it' if is_unseen else ''}{did_you_mean(resource, offered)}"
            if is_huge_page(resource) and not any(map(is_huge_page, offered)):
                notes = "; it lists no huge pages: if the node has some, add them, and ask again"
            notice(f"{self.machine.name} has no {resource}, which {who} asks for{notes}")


@dataclass(frozen=True)
class Beginning:
    """What comes to a node, in order. ``names``: of all pods, by uid.

    ``files``: the state files of a node at work, by name, and ``held``: its pods. ``progress``: yields what comes, and
    shows how far it is.
    """

    life: tuple[kube.Pod | NamedStep, ...]
    names: Mapping[str, str]
    files: Mapping[str, str] | None = None
    held: tuple[kube.Pod, ...] = ()
    progress: Progress = iter

    @classmethod
    def of(cls, objects: kube.ClusterObjects, notice: Notice, progress: Progress = iter) -> "Beginning":
        """Return what comes to an empty node; raises ``UsageError``."""
        return cls(with_names(objects.in_life, {}, notice), pod_names(objects.in_order), progress=progress)

    @property
    def pods(self) -> tuple[kube.Pod, ...]:
        """The pods that come."""
        return tuple(event for event in self.life if isinstance(event, kube.Pod))

    def outcomes(self, inputs: NodeInputs, explainer: Explainer | None, most: int | None, **more: Any) -> Outcomes:
        """Start the node on what it holds, with ``more`` of what ``Node`` takes, and admit the pods.

        Raises ``StartError``.
        """
        more = {"watcher": explainer, **more}
        if self.files is None:
            outcomes = Outcomes(inputs.node(**more), self.names, explainer)
        else:
            outcomes = self._resumed(inputs, explainer, self.files, more)
        outcomes.live(self.progress(self.life), most)
        return outcomes

    def drained(self) -> "Beginning":
        """Return an empty node to which all pods come, those first that were there."""
        return replace(self, life=(*self.held, *self.life), files=None, held=())

    def _resumed(
        self, inputs: NodeInputs, explainer: Explainer | None, files: Mapping[str, str], more: dict[str, Any]
    ) -> Outcomes:
        store = MemoryStore()
        for name, text in files.items():
            store.write(name, text)
        try:
            node = inputs.node(store=store, **more)
            resumed = node.resume(self.held)
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


def departures(beginning: Beginning, inputs: NodeInputs, outcomes: Outcomes) -> dict[str, list[str]]:
    """Return by uid of a pod the ids of those without which it fares otherwise; first of all, all are left out."""
    behind: dict[str, list[str]] = {}
    for names in (inputs.quirks.showing(), Changes.of(inputs.version).showing()):
        differing = set(_otherwise(beginning, inputs, outcomes, names))
        for name in names if differing else ():
            for uid in _otherwise(beginning, inputs, outcomes, [name]):
                behind.setdefault(uid, []).append(name)
        for uid in differing - behind.keys():  # nothing alone is behind it, but several together
            behind[uid] = list(names)
            for name in names:
                fewer = [each for each in behind[uid] if each != name]
                if uid in _otherwise(beginning, inputs, outcomes, fewer):
                    behind[uid] = fewer
    return behind


def _otherwise(beginning: Beginning, inputs: NodeInputs, outcomes: Outcomes, without: Collection[str]) -> Iterator[str]:
    """Yield the pods that are refused for another reason, or hold something else, on a node without some of them."""
    quirks = inputs.quirks.without(*(name for name in without if name in QUIRKS))
    changes = Changes.of(inputs.version).without(*(name for name in without if name in CHANGES))
    try:
        other = beginning.outcomes(inputs, None, 0, quirks=quirks, changes=changes)
    except StartError:
        return
    for admission, after in zip(outcomes.admissions, other.admissions, strict=True):
        held = [{name: placed.holdings for name, placed in each.placements.items()} for each in (admission, after)]
        if admission.reason != after.reason or held[0] != held[1]:
            yield admission.uid


def departure_line(name: str) -> str:
    """Say in a line what a quirk or a change does, what is documented or was before, and where it is discussed."""
    if name in QUIRKS:
        quirk = QUIRKS[name]
        issue = f" ({quirk.issue})" if quirk.issue else ""
        return f"by quirk {name}{issue}: {quirk.summary}; documented: {quirk.documented}"
    change = CHANGES[name]
    pull = f" ({change.pull})" if change.pull else ""
    return f"by change {name} of {change.since}{pull}: {change.after}; before: {change.before}"
