"""The pods of files and folders, read again when they change: how pods come and go."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path

from ...kube import Pod, files_of, read_cluster

_Stamp = tuple[str, int, int, int]


class PodFiles:
    """Files and folders with pods, as ``simulate`` takes them; those that are gone and empty folders hold none."""

    def __init__(self, paths: Sequence[Path]) -> None:
        """Take the paths."""
        self._paths = paths
        self._stamps: list[_Stamp] = []

    def read(self) -> tuple[list[Pod], tuple[str, ...]]:
        """Return the pods in order, and what was left out of the files; raises ``UsageError``."""
        self._stamps = self._look()
        files = [file for path in self._paths if path.exists() for file in files_of(path)]
        if not files:
            return [], ()
        objects = read_cluster(*files)
        return list(objects.pods), objects.notices

    def changed(self) -> bool:
        """Tell whether a file came, went or was written since ``read``."""
        return self._look() != self._stamps

    def _look(self) -> list[_Stamp]:
        stamps = []
        for path in self._paths:
            with contextlib.suppress(OSError):  # it may go while we look
                for file in files_of(path):
                    status = os.stat(file)
                    stamps.append((file, status.st_ino, status.st_mtime_ns, status.st_size))
        return stamps
