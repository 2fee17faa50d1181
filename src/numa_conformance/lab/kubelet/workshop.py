"""Where a process has its kubelets."""

from __future__ import annotations

import itertools
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...errors import Fault, StartError, UsageError
from ...machine import Machine
from ...machine.hostfs.namespaces import enter_mount_namespace, mount_memory
from ...sources.versions import KubernetesVersion
from .cri_objects import Hears, nobody
from .launcher import Launcher
from .node import RealNode
from .process import version_of

_LAST_THAT_KEEPS_THE_NEWEST = KubernetesVersion(1, 31)
"""Kubelets until then take the pod that was admitted last for active, there or not, until the next one comes."""
_PLACE = "/dev/shm"
_MEBIBYTES = 1024


class Workshop:
    """A file system in memory that this process alone has, and a program to make kubelets of, which end with it.

    ``version_text`` is the version as the program tells it, ``version`` its minor.
    """

    def __init__(self, binary: str) -> None:
        """Take the kubelet's path; this process must have one thread. Raises ``UsageError`` and ``StartError``."""
        if not Path(binary).is_file():
            raise UsageError(Fault(binary, "there is no such file", "the path of a kubelet"))
        self._binary = os.path.abspath(binary)
        self.version_text = version_of(self._binary)
        self.version = KubernetesVersion.supported(".".join(self.version_text.lstrip("v").split(".")[:2]))
        self._numbers = itertools.count()
        enter_mount_namespace(become_root=True, harmless=True)
        mount_memory(_PLACE, _MEBIBYTES)
        self._launcher = Launcher()

    def folder(self) -> Path:
        """Return the place of a folder that is not there yet."""
        return Path(_PLACE, f"n{next(self._numbers)}")

    def node(
        self,
        machine: Machine,
        config: Mapping[str, Any],
        files: Mapping[str, str],
        folder: Path | None = None,
        hears: Hears = nobody,
    ) -> RealNode:
        """Bring up a node, in a folder of its own unless it is told one; raises ``StartError``.

        ``hears`` is what a ``RealNode`` takes.
        """
        folder = folder or self.folder()
        keeps_newest = self.version <= _LAST_THAT_KEEPS_THE_NEWEST
        try:
            return RealNode(
                self._launcher, self._binary, folder, machine, config, files, keeps_newest=keeps_newest, hears=hears
            )
        except StartError:
            shutil.rmtree(folder, ignore_errors=True)
            raise
