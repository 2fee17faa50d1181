"""What a dump tells of itself: when it was made, and of which Kubernetes version the kubelet was, where known."""

from __future__ import annotations

import msgspec

from ..errors import Fault, UsageError
from ..sources.versions import KubernetesVersion
from .tree import NodeTree

FILE = "numa-conformance/dump.json"
FORMAT = 1


class DumpManifest(msgspec.Struct, frozen=True):
    """A dump's own file: when it was made, and the CPU Manager's state file written, in seconds since the epoch."""

    format: int
    time: float
    state_changed: float | None = None
    version: str | None = None
    tool: str = ""

    @property
    def kubernetes_version(self) -> KubernetesVersion | None:
        """The kubelet's version; None where it was not told, or is none whose behaviour is known."""
        return KubernetesVersion.known(self.version) if self.version else None


def read_manifest(tree: NodeTree) -> DumpManifest | None:
    """Read a dump's own file; None where the tree is none that ``collect-node`` wrote. Raises ``UsageError``."""
    content = tree.content(FILE)
    if content is None:
        return None
    try:
        manifest = msgspec.json.decode(content, type=DumpManifest)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise UsageError(Fault(FILE, f"is not what collect-node writes: {error}")) from error
    if manifest.format != FORMAT:
        raise UsageError(Fault(FILE, f"is of format {manifest.format}", str(FORMAT)))
    return manifest
