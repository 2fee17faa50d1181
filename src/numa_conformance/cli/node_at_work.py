"""The node that a command is about: a simulated one, or with ``--from-node`` one at work, with what it holds."""

import functools
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import faults_within
from ..kube import ClusterObjects, Pod, with_flags
from ..machine import Machine
from ..reference.simulation.node_inputs import Beginning, NodeInputs
from ..reference.simulation.outcomes import pod_names
from ..reference.simulation.reading import noted, quirks_of
from ..reference.simulation.steps import with_names
from ..sources.versions import KubernetesVersion
from .options import CONFIG, LEVEL, STATE_AS_IT_IS, VERSION, MachineName, assumed_version, machine_of
from .terminal import admitting, notice

if TYPE_CHECKING:  # nodes at work are looked at with --from-node alone
    from ..doctor.look import Sight


@dataclass(frozen=True)
class NodeOptions:
    """What a person says of a node: its machine or a dump (one of them at least), its kubelet, the level of answers."""

    config_file: Path | None
    flags: str
    kubernetes_version: KubernetesVersion | None
    level: str
    machine_name: str | None
    dump: Path | None = None
    as_it_is: bool = False

    def begin(self, objects: ClusterObjects) -> tuple[NodeInputs, Beginning]:
        """Return the node as it is, and the pods that come to it; raises ``UsageError``."""
        machine = machine_of(self.machine_name) if self.machine_name else None
        config, version, node = self.config_file, self.kubernetes_version, objects.node
        if self.dump is None:
            assert machine
            version = version or KubernetesVersion.known(node.kubelet_version if node else "") or assumed_version()
            inputs = NodeInputs.read(machine, config, self.flags, version, self.level, notice, node)
            beginning = Beginning.of(objects, notice, admitting)
        else:
            from ..doctor.disturbances import node_holdings

            sight = self._look(self.dump, config, version, machine)
            held = node_holdings(sight, objects.in_order)
            notice(*sight.state.remarks, *held.notes)
            inputs = replace(self._of_node(sight, config), machine=held.machine, node_object=node)
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

    def _of_node(self, sight: "Sight", config: Path | None) -> NodeInputs:
        version = sight.version or assumed_version()
        configured = with_flags(sight.configured.kubelet, self.flags, quirks_of(self.level, version).node)
        files = ", ".join(f"{self.dump}/{file}" for file in sight.configured.files)
        where = str(config or files or f"the kubelet of {self.dump}")
        return NodeInputs(sight.machine, noted(configured, where, notice), version, self.level, where)

    def _look(
        self, dump: Path, config: Path | None, version: KubernetesVersion | None, machine: Machine | None
    ) -> "Sight":
        from ..doctor.look import NodeSource, look
        from ..doctor.state_files import open_node

        with faults_within("--from-node"), open_node(dump) as folder:
            source = NodeSource(folder, config, None, None, None, version, machine, self.as_it_is, bool(self.flags))
            sight = look(source)
        if not sight.state.files:
            notice(f"--from-node: no state file lies in {dump}: its managers hold nothing for pods")
        return replace(sight, version=sight.version and KubernetesVersion.supported(sight.version))


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


def node_options(command: Callable[..., Any], *, may_be_at_work: bool = False) -> Callable[..., Any]:
    """Add the options that describe a kubelet and its machine, which the command gets as ``node``."""

    @functools.wraps(command)
    def with_choice(**values: Any) -> Any:
        chosen = {each.name: values.pop(each.name) for each in fields(NodeOptions) if each.name in values}
        return command(node=NodeOptions(**chosen), **values)

    settings: dict[str, Any] = {"type": MachineName(), "required": not may_be_at_work}
    machine = click.option("--machine", "machine_name", **settings, help="A name of the catalogue, or a file.")
    of_work = (STATE_AS_IT_IS, _FROM_NODE) if may_be_at_work else ()
    options = (LEVEL, VERSION, _FLAGS, CONFIG, *of_work, machine)
    return functools.reduce(lambda made, option: option(made), options, with_choice)


node_at_work_options = functools.partial(node_options, may_be_at_work=True)
"""Adds them, and those that name a node at work."""
