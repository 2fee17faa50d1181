"""What commands ask of a node: a machine and its kubelet, or a node at work (``--from-node``) with what it holds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import UsageError
from ..kube import ClusterObjects, Pod, with_flags
from ..machine import Machine
from ..reference.simulation.node_inputs import Beginning, NodeInputs
from ..reference.simulation.outcomes import pod_names
from ..reference.simulation.reading import noted, quirks_of
from ..reference.simulation.steps import with_names
from ..sources.versions import DEFAULT, KubernetesVersion
from .options import machine_of
from .terminal import admitting, notice

if TYPE_CHECKING:  # nodes at work are looked at with --from-node alone
    from ..doctor.look import Sight


@dataclass(frozen=True)
class Question:
    """What a person named: a machine, a dump (one of them at least), flags, a level, and ``--state-as-it-is``."""

    machine_name: str | None
    dump: Path | None
    flags: str
    level: str
    as_it_is: bool

    def begin(
        self, config: Path | None, version: KubernetesVersion | None, objects: ClusterObjects
    ) -> tuple[NodeInputs, Beginning]:
        """Return the node as it is, and the pods that come to it; raises ``UsageError``."""
        machine = machine_of(self.machine_name) if self.machine_name else None
        if self.dump is None:
            assert machine
            inputs = NodeInputs.read(machine, config, self.flags, version or DEFAULT, self.level, notice, objects.node)
            beginning = Beginning.of(objects, notice, admitting)
        else:
            from ..doctor.held_pods import node_holdings

            sight = self._look(self.dump, config, version, machine)
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

    def other(self, inputs: NodeInputs, config: Path | None, version: KubernetesVersion | None) -> NodeInputs:
        """Return the machine with another configuration or version, and a kubelet's flags; raises ``UsageError``."""
        version = version or inputs.version
        if config is None:
            return replace(inputs, version=version)
        if self.dump is None:
            other = NodeInputs.read(inputs.machine, config, self.flags, version, self.level, notice)
        else:
            other = self._of_node(self._look(self.dump, config, version, inputs.machine), config)
        return replace(other, machine=inputs.machine, node_object=inputs.node_object)

    def _of_node(self, sight: Sight, config: Path | None) -> NodeInputs:
        version = sight.version or DEFAULT
        configured = with_flags(sight.configured.kubelet, self.flags, quirks_of(self.level, version).node)
        files = ", ".join(f"{self.dump}/{file}" for file in sight.configured.files)
        where = str(config or files or f"the kubelet of {self.dump}")
        return NodeInputs(sight.machine, noted(configured, where, notice), version, self.level, where)

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
