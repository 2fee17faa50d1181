"""What the reference alone is asked of a node's life: boots, other machines, lost files, plugins that change."""

from collections.abc import Mapping

from ...kube import KubeletConfiguration
from ...kube.steps import PluginState, StateFile
from ...wire import Client
from ...wire.message import Message
from ...wire.messages import node as messages
from ...wire.values import JsonObject
from ..node import RestartResult
from .pick import machine_of
from .reference_target import ReferenceTarget


class StartAgain(messages.RestartNode, frozen=True):
    """A restart of a whole kubelet, on another machine too; ``boots``: no container runs."""

    machine: JsonObject | None = None
    boots: bool = False


class ChangeNode(messages.ReadState, frozen=True):
    """A step after which all on the node is told."""

    lose: StateFile | None = None
    plugin: dict[str, PluginState] | None = None
    shutdown: bool = False


BEYOND = frozenset({"machine", "boots", "lose", "plugin", "shutdown"})
"""The fields of which the protocol has none."""


class LivingReference(ReferenceTarget):
    """A whole kubelet; where it does not start again the node stays as it was."""

    def node_state(self, request: messages.ReadState) -> messages.NodeState:
        """Take a step, and tell all that is on the node."""
        if isinstance(request, ChangeNode):
            if request.lose:
                self._up.write_files({request.lose: None})
            if request.plugin:
                self._up.change_plugins(request.plugin)
            if request.shutdown:
                self._up.shut_down()
        return super().node_state(request)

    def _start_again(self, request: messages.RestartNode, config: KubeletConfiguration | None) -> RestartResult:
        if not isinstance(request, StartAgain):
            return super()._start_again(request, config)
        node = self._up.copy(self._overheard)
        machine = None if request.machine is None else machine_of(request.machine)
        again = node.start_later(machine, config, boots=request.boots)
        self._node = node
        return again


class LifeClient(Client):
    """Asks what a life asks; the protocol, and with it a target of others, has no words for some of it."""

    _forms: Mapping[str, type[Message]] = {**Client._forms, "node.restart": StartAgain, "node.state": ChangeNode}
