"""``--from-node``: a question about a node at work, that goes on from what it holds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import UsageError
from ..kube import ClusterObjects, Pod, with_flags
from ..machine import Machine
from ..reference.simulation.node_inputs import Beginning, NodeInputs, Question
from ..reference.simulation.outcomes import pod_names
from ..reference.simulation.reading import noted, quirks_of
from ..reference.simulation.steps import with_names
from ..sources.versions import DEFAULT, KubernetesVersion
from .options import machine_of
from .terminal import admitting, notice

if TYPE_CHECKING:  # nodes at work are looked at with --from-node alone
    from ..doctor.look import Sight


@dataclass(frozen=True)
class NodeAtWork:
    """A dump, and what counts in place of what it has. ``as_it_is``: ``--state-as-it-is``."""

    dump: Path
    machine: Machine | None
    flags: str
    level: str
    as_it_is: bool

    def begin(
        self, config: Path | None, version: KubernetesVersion | None, objects: ClusterObjects
    ) -> tuple[NodeInputs, Beginning]:
        """Return the node as it is, and the pods that come to it; raises ``UsageError``."""
        from ..doctor.held_pods import node_holdings

        sight = self._look(config, version, self.machine)
        held = node_holdings(sight, objects.in_order)
        for note in (*sight.state.remarks, *held.notes):
            notice(note)
        inputs = replace(self._of_node(sight, config), machine=held.machine, node_object=objects.node)
        new = pod_names(held.new)
        events = [event for event in objects.in_life if not isinstance(event, Pod) or event.uid in new]
        life = with_names(events, held.names, notice)
        beginning = Beginning(life, {**held.names, **new}, held.files, held.pods, admitting)
        inputs.tell_missing(beginning.pods, notice)
        return inputs, beginning

    def inputs(self, config: Path | None, version: KubernetesVersion) -> NodeInputs:
        """Return the node with another configuration and version; raises ``UsageError``."""
        return self._of_node(self._look(config, version, self.machine), config)

    def _of_node(self, sight: Sight, config: Path | None) -> NodeInputs:
        version = sight.version or DEFAULT
        configured = with_flags(sight.configured.kubelet, self.flags, quirks_of(self.level, version).node)
        files = ", ".join(f"{self.dump}/{file}" for file in sight.configured.files)
        where = str(config or files or f"the kubelet of {self.dump}")
        return NodeInputs(sight.machine, noted(configured, where, notice), version, self.level, where)

    def _look(self, config: Path | None, version: KubernetesVersion | None, machine: Machine | None) -> Sight:
        from ..doctor.lone_state import open_node
        from ..doctor.look import NodeSource, look

        try:
            with open_node(self.dump) as folder:
                source = NodeSource(folder, config, None, None, None, version, machine, self.as_it_is, bool(self.flags))
                sight = look(source)
        except UsageError as error:
            raise error.within("--from-node") from error
        return replace(sight, version=sight.version and KubernetesVersion.supported(sight.version))


def question_of(
    machine_name: str | None, dump: Path | None, flags: str, level: str, *, as_it_is: bool
) -> Question | NodeAtWork:
    """Return what is asked about a machine, or a dump; one of them at least is named. Raises ``UsageError``."""
    machine = machine_of(machine_name) if machine_name else None
    if dump is not None:
        return NodeAtWork(dump, machine, flags, level, as_it_is)
    assert machine is not None
    return Question(machine, flags, level, notice, admitting)


def other_inputs(
    question: Question | NodeAtWork, inputs: NodeInputs, config: Path | None, version: KubernetesVersion | None
) -> NodeInputs:
    """Return the same node with another configuration or version; raises ``UsageError``."""
    version = version or inputs.version
    if config is None:
        return replace(inputs, version=version)
    other = replace(question, machine=inputs.machine).inputs(config, version)
    return replace(other, machine=inputs.machine, node_object=inputs.node_object)
