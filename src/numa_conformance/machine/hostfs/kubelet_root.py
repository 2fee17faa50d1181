"""The folder of a kubelet, ``/var/lib/kubelet``: where its state files and sockets lie in it."""

from __future__ import annotations

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


class KubeletRoot:
    """A store that keeps the state files where a kubelet keeps them."""

    def __init__(self, root: Path) -> None:
        """Take the root; raises ``UsageError`` when there is none. Its folder for device plugins may be missing."""
        self._root = root
        self._files = DirectoryStore(root)

    def read(self, name: str) -> str | None:
        """Return a file's text, or None when there is none; raises ``UsageError`` when it is a link or too large."""
        store, file = self._place(name)
        return None if store is None else store.read(file)

    def write(self, name: str, text: str) -> None:
        """Replace a file whole, or leave it as it was."""
        (self._root / STATE_FILES.get(name, name)).parent.mkdir(exist_ok=True, mode=0o700)
        store, file = self._place(name)
        assert store is not None
        store.write(file, text)

    def delete(self, name: str) -> None:
        """Remove a file; it need not be there."""
        store, file = self._place(name)
        if store is not None:
            store.delete(file)

    def names(self) -> list[str]:
        """Return the names of the state files that are there."""
        return sorted(name for name, place in STATE_FILES.items() if (self._root / place).is_file())

    def where(self, name: str) -> str:
        """Return the path of a file."""
        return str(self._root / STATE_FILES.get(name, name))

    def _place(self, name: str) -> tuple[DirectoryStore | None, str]:
        place = Path(STATE_FILES.get(name, name))
        folder = self._root / place.parent
        if place.parent == Path():
            return self._files, place.name
        return (DirectoryStore(folder) if folder.is_dir() else None), place.name
