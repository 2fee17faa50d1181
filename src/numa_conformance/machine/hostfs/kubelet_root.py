"""The folder of a kubelet, ``/var/lib/kubelet``: where its state files and sockets lie in it."""

from collections.abc import Mapping
from pathlib import Path

from .stores import DirectoryStore

DEVICE_PLUGINS, POD_RESOURCES = "device-plugins", "pod-resources"
SOCKET = "kubelet.sock"
"""The kubelet's socket in either folder."""

STATE_FILES: Mapping[str, str] = {
    "cpu_manager_state": "cpu_manager_state",
    "memory_manager_state": "memory_manager_state",
    "kubelet_internal_checkpoint": f"{DEVICE_PLUGINS}/kubelet_internal_checkpoint",
}
"""The name of a state file to where it lies below the root."""


class KubeletRoot(DirectoryStore):
    """Keeps the state files where a kubelet keeps them. Its folder for device plugins may be missing."""

    def write(self, name: str, text: str) -> None:
        """Replace a file whole, or leave it as it was."""
        Path(self._path(name)).parent.mkdir(exist_ok=True, mode=0o700)
        super().write(name, text)

    def names(self) -> list[str]:
        """Return the names of the state files that are there."""
        return sorted(name for name in STATE_FILES if Path(self._path(name)).is_file())

    def _path(self, name: str) -> str:
        return f"{self._folder}/{STATE_FILES[name]}" if name in STATE_FILES else super()._path(name)
