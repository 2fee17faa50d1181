"""The service at which device plugins register, and what becomes of the devices of each (DEV-MODEL, DEV-API)."""

import logging
import time
from collections import Counter
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import grpc

from ...kube.resource_names import is_extended
from ...reference.managers.device import ResourceDevices
from ..kubelet_apis.interfaces import DEVICE_PLUGINS as V1BETA1
from ..kubelet_apis.interfaces import service
from .agent import CannotConnect, ConnectedPlugin, NodeAgent, Tell, line
from .root import LONGEST_SOCKET

GRACE_SECONDS = 300
"""How long the resource of a plugin that is gone stays on the node, with no healthy device."""
MOST_PLUGINS = 64
_MOST_FAULTS = 20
"""Faults of one plugin's lists that are told."""
logging.getLogger("grpc").addHandler(logging.NullHandler())  # what a plugin does wrong is told in a line


class DevicePlugins:
    """The device plugins of an agent. Their sockets lie in ``folder``."""

    def __init__(self, agent: NodeAgent, folder: Path, tell: Tell) -> None:
        """Take the agent, whose ``plugins`` this keeps."""
        self._agent = agent
        self._folder = folder
        self._tell = tell
        self._gone: dict[str, float] = {}
        self._faults: dict[str, list[str]] = {}
        self._shown: dict[str, str] = {}

    def service(self) -> Any:
        """Return the service ``v1beta1.Registration``."""
        return service(V1BETA1, "Registration", {"Register": self._register})

    def forget_gone(self) -> None:
        """Take off the node the resources of plugins that did not come back (DEV-MODEL-07)."""
        with self._agent.lock:
            for resource, since in list(self._gone.items()):
                if time.monotonic() - since >= GRACE_SECONDS:
                    del self._gone[resource]
                    self._agent.plugins.pop(resource).close()
                    self._agent.offer(resource, None)
                    self._tell(f"{resource}: its device plugin did not come back, the node has none now")

    def close(self) -> None:
        """End all connections."""
        with self._agent.lock:
            plugins = list(self._agent.plugins.values())
            self._agent.plugins.clear()
        for plugin in plugins:
            plugin.close()

    def _register(self, request: Any, context: grpc.ServicerContext) -> Any:
        fault = self._fault(request)
        if fault is None:
            try:
                plugin = ConnectedPlugin(request.resource_name, str(self._folder / request.endpoint))
            except CannotConnect as error:
                fault = str(error)
        if fault is not None:
            self._tell(f"a device plugin is not registered: {line(fault)}")
            return context.abort(grpc.StatusCode.UNKNOWN, line(fault))
        with self._agent.lock:
            former = self._agent.plugins.get(plugin.resource)
            self._agent.plugins[plugin.resource] = plugin
            self._gone.pop(plugin.resource, None)
            self._shown.pop(plugin.resource, None)
        if former is not None:
            former.close()
        self._tell(f"{plugin.resource}: a device plugin has registered")
        plugin.watch(self._listed, self._ended)
        return V1BETA1.Empty()

    def _fault(self, request: Any) -> str | None:
        """Return why a registration is refused, as a kubelet words it where it does."""
        if request.version != "v1beta1":
            return (
                f'requested API version "{request.version}" is not supported by kubelet. '
                'Supported version is ["v1beta1"]'
            )
        if not is_extended(request.resource_name):
            return f'the ResourceName "{request.resource_name}" is invalid'
        endpoint = request.endpoint
        if endpoint in ("", ".", "..") or "/" in endpoint or "\0" in endpoint:
            return f'the endpoint "{endpoint}" is no name of a socket in {self._folder}'
        if len(str(self._folder / endpoint).encode()) > LONGEST_SOCKET:
            return f'the endpoint "{endpoint}" is too long for a socket'
        if request.resource_name not in self._agent.plugins and len(self._agent.plugins) >= MOST_PLUGINS:
            return f"there are {MOST_PLUGINS} device plugins already"
        return None

    def _listed(self, plugin: ConnectedPlugin, listed: Any) -> None:
        try:
            devices, faults = read_list(listed, self._agent.node.machine.numa_ids)
        except ListRefused as error:
            self._tell_faults(plugin.resource, [str(error)])
            return
        with self._agent.lock:
            if self._agent.plugins.get(plugin.resource) is not plugin:
                return
            self._tell_faults(plugin.resource, faults)
            unhealthy = sorted(devices.nodes.keys() - devices.healthy)
            ill = f", unhealthy: {', '.join(unhealthy)}" if unhealthy else ""
            text = f"{plugin.resource}: {len(devices.nodes)} devices{line(ill)}"
            if self._shown.get(plugin.resource) != text:
                self._shown[plugin.resource] = text
                self._tell(text)
            self._agent.offer(plugin.resource, devices)

    def _ended(self, plugin: ConnectedPlugin, why: str) -> None:
        """Count a plugin's devices as unhealthy, unless another has registered in its place."""
        resource = plugin.resource
        with self._agent.lock:
            if self._agent.plugins.get(resource) is not plugin:
                return
            self._gone[resource] = time.monotonic()
            former = self._agent.devices.inventory.resources.get(resource, ResourceDevices({}, frozenset()))
            self._tell(f"{resource}: its device plugin is gone, no device is healthy: {line(why)}")
            self._agent.offer(resource, ResourceDevices(former.nodes, frozenset()))

    def _tell_faults(self, resource: str, faults: list[str]) -> None:
        """Tell each fault of a plugin once, and not for ever."""
        known = self._faults.setdefault(resource, [])
        for fault in faults:
            if fault not in known and len(known) <= _MOST_FAULTS:
                known.append(fault)
                more = "more faults, which are not reported" if len(known) > _MOST_FAULTS else line(fault)
                self._tell(f"{resource}: {more}")


MOST_DEVICES = 16384
_LONGEST_ID = 63
"""Characters of an id by the documentation, which a kubelet does not enforce (DEV-MODEL-01)."""


class ListRefused(Exception):  # noqa: N818  (the plugin's fault, which is told)
    """A list that is not taken; the former one stands."""


def read_list(listed: Iterable[Any], numa_ids: Collection[int]) -> tuple[ResourceDevices, list[str]]:
    """Return the devices of a list, and what is wrong with it in a line each; raises ``ListRefused``.

    Nodes that the machine lacks are kept as those of a kubelet are: they match nothing (DEV-MODEL-09).
    """
    devices = list(listed)
    if len(devices) > MOST_DEVICES:
        raise ListRefused(f"lists {len(devices)} devices, of which {MOST_DEVICES} are taken at most")
    nodes: dict[str, tuple[int, ...] | None] = {}
    healthy: set[str] = set()
    faults: list[tuple[str, str]] = []
    for device in devices:
        name = device.ID
        if name in nodes:
            faults.append(("are listed more than once, of which the last counts", name))
        if len(name) > _LONGEST_ID:
            faults.append((f"have an id of more than {_LONGEST_ID} characters", name))
        if device.health not in ("Healthy", "Unhealthy"):
            faults.append(("are neither Healthy nor Unhealthy, which counts as unhealthy", name))
        ids = {node.ID for node in device.topology.nodes}
        if ids - set(numa_ids):
            faults.append(("name a NUMA node that the machine does not have", name))
        nodes[name] = tuple(sorted(ids)) if device.HasField("topology") else None
        healthy.discard(name)
        if device.health == "Healthy":
            healthy.add(name)
    return ResourceDevices(nodes, frozenset(healthy)), list(_sentences(faults))


def _sentences(faults: list[tuple[str, str]]) -> Iterable[str]:
    first = dict(reversed(faults))  # the first name of each is put in last, and stays
    for what, count in Counter(what for what, _ in faults).items():
        yield f"{count} of its devices {what}, the first of them {first[what]!r}"
