"""The surface ``plugin``: a device plugin, as a kubelet speaks with it (v1beta1)."""

from msgspec import UNSET, UnsetType, field

from ..message import Message, Request, TaggedReply
from ..values import Absence, JsonObject, NodeIdOrNone

SURFACE = "a device plugin, as a kubelet speaks with it"
FEATURES = {
    "device-plugin/devices": "registration of a device plugin, its list of devices, and Allocate",
    "device-plugin/preferred-allocation": "GetPreferredAllocation of a device plugin",
    "device-plugin/restart": "registration of a device plugin with a kubelet that restarts",
}


class OfferedDevice(Message, frozen=True, omit_defaults=False):
    """One device of a list. ``nodes``: its NUMA nodes; null: no topology."""

    id: str
    health: str
    nodes: list[NodeIdOrNone] | None = None


class PluginStarted(TaggedReply, tag="started", frozen=True):
    """The plugin has registered: for which resource, the list of its devices, and whether it prefers some.

    ``serves``: whether its own service answered when it registered; null: not reported. ``restarts``: how often it has
    ended by itself, and was started again, since the last reply of this kind.
    """

    resource: str
    devices: list[OfferedDevice]
    prefers: bool = False
    serves: bool | None = None
    restarts: int = 0


class PluginFailed(TaggedReply, tag="failed", frozen=True):
    """The plugin has not registered in time, or lists nothing: what happened.

    ``absence``: why it was not met at all. One that has ended well, or is silent, offers nothing on this machine.
    """

    message: str
    absence: Absence | None = None


class StartPlugin(Request[PluginStarted | PluginFailed], method="plugin.start", surface="plugin", frozen=True):
    """Start the plugin on a machine, where an empty kubelet is up. ``host_root``: as of ``pick``."""

    machine: JsonObject
    host_root: str | UnsetType = UNSET


class RestartKubelet(Request[PluginStarted | PluginFailed], method="plugin.restart", surface="plugin", frozen=True):
    """The kubelet ends, and another one comes up, which removes all sockets of plugins. The plugin goes on."""


class Preferred(TaggedReply, tag="preferred", frozen=True):
    """The devices that the plugin prefers. ``lists``: those it has sent since it was last asked, each in full."""

    devices: list[str]
    lists: list[list[OfferedDevice]] = field(default_factory=list)


class PluginRefused(TaggedReply, tag="refused", frozen=True):
    """The plugin answered with an error. ``lists``: as of ``preferred``."""

    message: str
    lists: list[list[OfferedDevice]] = field(default_factory=list)


class PreferDevices(Request[Preferred | PluginRefused], method="plugin.prefer", surface="plugin", frozen=True):
    """Ask which ``size`` of the ``available`` devices it prefers, the ``included`` ones among them."""

    available: list[str]
    included: list[str]
    size: int


class DevicesAllocated(TaggedReply, tag="allocated", frozen=True):
    """The plugin answered for so many containers. ``lists``: as of ``preferred``."""

    containers: int
    lists: list[list[OfferedDevice]] = field(default_factory=list)


class AllocateDevices(
    Request[DevicesAllocated | PluginRefused], method="plugin.allocate", surface="plugin", frozen=True
):
    """Say which devices one container gets."""

    devices: list[str]
