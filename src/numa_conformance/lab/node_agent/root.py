"""The agent's folder, shaped as a kubelet's root: its sockets are the agent's alone, and left by nobody else."""

import contextlib
import fcntl
import os
import socket
from collections.abc import Iterator
from pathlib import Path

from ...errors import Fault, UsageError
from ...machine.hostfs.stores import DEVICE_PLUGINS, POD_RESOURCES, SOCKET, STATE_FILES

LONGEST_SOCKET = 107
"""Bytes of a unix socket's path that the kernel takes."""
_MARK = ".numa-conformance"
_PRIVATE_FOLDER = "a folder of its own for each"


class AgentRoot:
    """A folder for one agent. Every start is that of a node without pods: state files and sockets of before go."""

    def __init__(self, folder: Path) -> None:
        """Take a folder that is missing, empty or was an agent's; raises ``UsageError`` and ``OSError``.

        Nothing is taken from an agent that serves there, or from a kubelet whose folder this is.
        """
        self.folder = folder.absolute()
        self.pod_resources = self.folder / POD_RESOURCES / SOCKET
        self.device_plugins = self.folder / DEVICE_PLUGINS
        self.registration = self.device_plugins / SOCKET
        if len(os.fsencode(self.registration)) > LONGEST_SOCKET:
            raise UsageError(Fault(str(folder), f"is too long for sockets of {LONGEST_SOCKET} bytes", "a shorter path"))
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._refuse_unless_ours()
        self._lock = os.open(self.folder / _MARK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(self._lock)
            raise UsageError(Fault(str(folder), "is served by a program that runs", _PRIVATE_FOLDER)) from error
        for place in (self.pod_resources, self.registration):
            place.parent.mkdir(exist_ok=True, mode=0o700)
            if _is_socket(place) and _is_served(place):
                raise UsageError(Fault(str(place), "is served by a program that runs", _PRIVATE_FOLDER))
        self._clear()

    def close(self) -> None:
        """Remove the sockets, and leave the folder to others."""
        for place in (self.pod_resources, self.registration):
            place.unlink(missing_ok=True)
        os.close(self._lock)

    def _refuse_unless_ours(self) -> None:
        if self.folder.stat().st_uid != os.geteuid():
            raise UsageError(Fault(str(self.folder), "belongs to another user", "a folder of your own"))
        held = sorted(entry.name for entry in self.folder.iterdir())
        if held and _MARK not in held:
            accepted = "a new or an empty folder, or one of an earlier run"
            raise UsageError(Fault(str(self.folder), f"holds what is not ours, {held[0]!r}", accepted))

    def _clear(self) -> None:
        """Remove what a killed agent and its device plugins left (DEV-CKPT-05)."""
        for place in STATE_FILES.values():
            (self.folder / place).unlink(missing_ok=True)
        for folder in (self.pod_resources.parent, self.device_plugins):
            for entry in folder.iterdir():
                if _is_socket(entry):
                    entry.unlink(missing_ok=True)


def _is_socket(path: Path) -> bool:
    return not path.is_symlink() and path.is_socket()


def _is_served(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(1)
        try:
            probe.connect(str(path))
        except OSError as error:
            return not isinstance(error, (ConnectionRefusedError, FileNotFoundError))
        return True


@contextlib.contextmanager
def private_sockets() -> Iterator[None]:
    """Have sockets that are made inside be open to this user alone from the first moment."""
    before = os.umask(0o177)
    try:
        yield
    finally:
        os.umask(before)
