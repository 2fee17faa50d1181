"""The surface ``host``: a host tree read, cpusets written."""

from ..message import Message, Request
from ..values import JsonObject
from .node import Reconciled

SURFACE = "reads a host tree; writes cpusets into a cgroup tree"
FEATURES = {
    "host/discover": "reading a host tree",
    "host/reconcile": "writing the cpusets of policy static into a cgroup tree",
}


class Discovered(Message, frozen=True):
    """The machine of a host tree."""

    machine: JsonObject


class Discover(Request[Discovered], method="host.discover", surface="host", frozen=True):
    """Read the host tree below ``root``."""

    root: str


class HostReconcile(Request[Reconciled], method="host.reconcile", surface="host", frozen=True):
    """Write the cpusets of the containers that run now into the cgroup tree below ``root``.

    A container's folder is ``kubepods/pod<uid>/<container>`` or, where the driver is systemd,
    ``kubepods.slice/kubepods-pod<uid>.slice/cri-<container>.scope`` with ``_`` for each ``-`` of the uid; all of it
    below ``cpuset`` for cgroup v1.
    """

    root: str
