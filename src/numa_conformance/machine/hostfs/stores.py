"""Where state files are kept (CPU-CKPT-06): in memory, in a folder with atomic replacement, in that of a kubelet."""

import contextlib
import math
import os
import re
import time
from collections.abc import Callable, Mapping
from copy import copy
from functools import partial
from pathlib import Path
from typing import Protocol

from ...errors import Fault, UsageError
from ...files import ABANDONED, read_bounded, read_in_place, replace_bytes

MAX_BYTES = 64 * 1024 * 1024
MakeText = Callable[[], str]
DEVICE_PLUGINS, POD_RESOURCES = "device-plugins", "pod-resources"
SOCKET = "kubelet.sock"
"""The kubelet's socket in either folder."""
STATE_FILES: Mapping[str, str] = {
    "cpu_manager_state": "cpu_manager_state",
    "memory_manager_state": "memory_manager_state",
    "kubelet_internal_checkpoint": f"{DEVICE_PLUGINS}/kubelet_internal_checkpoint",
}
"""The name of a state file to where it lies below the root."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,127}", re.ASCII)


class StateStore(Protocol):
    """Keeps texts by name. ``where`` is what messages call the place of a file."""

    def read(self, name: str) -> str | None:
        """Return a file's text, or None when there is none."""

    def write(self, name: str, text: str) -> None:
        """Replace a file whole, or leave it as it was."""

    def delete(self, name: str) -> None:
        """Remove a file; it need not be there."""

    def names(self) -> list[str]:
        """Return the names of the files, sorted."""

    def where(self, name: str) -> str:
        """Return the path of a file as messages name it."""


class MemoryStore:
    """Keeps the files in memory; messages call the folder ``<state-dir>``. A text is made when it is first read."""

    def __init__(self) -> None:
        self._files: dict[str, str | MakeText] = {}

    def __deepcopy__(self, memo: object) -> "MemoryStore":
        made = copy(self)
        made._files = dict(self._files)
        return made

    def read(self, name: str) -> str | None:
        """Return a file's text, or None when there is none."""
        text = self._files.get(name)
        if callable(text):
            text = self._files[name] = text()
        return text

    def write(self, name: str, text: str | MakeText) -> None:
        """Replace a file by a text, or by what makes it when it is read, and always alike."""
        self._files[name] = text

    def read_later(self, name: str) -> MakeText | None:
        """Return what makes a file's text as it is now, whatever is written since, or None when there is none."""
        text = self._files.get(name)
        return partial(str, text) if isinstance(text, str) else text

    def delete(self, name: str) -> None:
        """Remove a file; it need not be there."""
        self._files.pop(name, None)

    def names(self) -> list[str]:
        """Return the names of the files, sorted."""
        return sorted(self._files)

    def where(self, name: str) -> str:
        """Return the path of a file as messages name it."""
        return f"<state-dir>/{name}"


class JournalStore(MemoryStore):
    """Keeps the files in memory, and in what order they were written."""

    def __init__(self) -> None:
        super().__init__()
        self._writes: list[tuple[str, str | MakeText | None]] = []

    def write(self, name: str, text: str | MakeText) -> None:
        """Replace a file by a text, or by what makes it."""
        super().write(name, text)
        self._writes.append((name, text))

    def delete(self, name: str) -> None:
        """Remove a file; it need not be there."""
        super().delete(name)
        self._writes.append((name, None))

    def forget_writes(self) -> None:
        """Tell of nothing that was written so far."""
        self._writes.clear()

    def take_writes(self) -> list[tuple[str, str | None]]:
        """Return the files that were written since this was last asked for, with their texts (None: deleted)."""
        writes = list(self._writes)
        self.forget_writes()
        return [(name, text() if callable(text) else text) for name, text in writes]


class DirectoryStore:
    """Keeps the files in one folder, which must exist; nothing outside it is touched, links included."""

    def __init__(self, folder: Path) -> None:
        """Take the folder; raises ``UsageError`` when there is none."""
        if not folder.is_dir():
            raise UsageError(Fault(str(folder), "no such folder", "a folder for state files"))
        self._folder = folder
        self._tidied: dict[str, float] = {}

    def read(self, name: str) -> str | None:
        """Return a file's text, or None when there is none; raises ``UsageError`` when it is a link or too large."""
        path = self._path(name)
        try:
            content = read_in_place(path, MAX_BYTES)
            if content is None or len(content) > MAX_BYTES:
                content = read_bounded(Path(path), MAX_BYTES)  # which tells what it is
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            wrong = "is a link" if os.path.islink(path) else f"cannot be read: {error.strerror or error}"
            raise UsageError(Fault(path, wrong, "a plain file")) from error
        return content.decode("utf-8", "surrogateescape")

    def write(self, name: str, text: str) -> None:
        """Replace a file: a reader sees the old text or the new one, whole, and nobody but the owner reads it."""
        now = time.monotonic()
        if tidy := now - self._tidied.get(name, -math.inf) > ABANDONED:
            self._tidied[name] = now
        replace_bytes(self._path(name), text.encode("utf-8", "surrogateescape"), mode=0o600, tidy=tidy)

    def delete(self, name: str) -> None:
        """Remove a file; it need not be there."""
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            os.unlink(self._path(name))

    def names(self) -> list[str]:
        """Return the names of the files, sorted; temporary ones are left out."""
        return sorted(file.name for file in self._folder.iterdir() if file.is_file() and not file.name.startswith("."))

    def where(self, name: str) -> str:
        """Return the path of a file."""
        return self._path(name)

    def _path(self, name: str) -> str:
        if not _NAME.fullmatch(name):
            raise UsageError(Fault("", f"{name!r} cannot be the name of a state file", "letters, digits, _ . -"))
        return f"{self._folder}/{name}"


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
