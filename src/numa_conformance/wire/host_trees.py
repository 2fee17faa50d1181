"""``HostTrees``: the machines of questions as trees of ``/sys`` and ``/proc``, for targets that read hosts."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import msgspec

from ..files import TemporaryFolder
from ..machine import machine_from_dict
from ..machine.hostfs import write_tree
from .values import JsonObject

MOST_TREES = 32
"""Trees that are kept: one of a large machine has tens of thousands of files."""


class HostTrees:
    """Lays out each machine once, below a folder of its own, while it is asked about again and again."""

    def __init__(self) -> None:
        self._folder: TemporaryFolder | None = None
        self._roots: dict[str, Path] = {}

    def root_of(self, machine: JsonObject) -> str:
        """Return the root of a machine's tree; raises ``UsageError`` for what is no machine."""
        key = hashlib.sha256(msgspec.json.encode(machine, order="deterministic")).hexdigest()[:16]
        root = self._roots.pop(key, None)
        if root is None:
            described = machine_from_dict(machine, "machine")
            self._folder = self._folder or TemporaryFolder("numa-conformance-hosts-")
            root = self._folder.path / key
            write_tree(described, root)
        self._roots[key] = root
        if len(self._roots) > MOST_TREES:
            shutil.rmtree(self._roots.pop(next(iter(self._roots))), ignore_errors=True)
        return str(root)

    def close(self) -> None:
        """Remove all trees."""
        if self._folder is not None:
            self._folder.close()
        self._folder = None
        self._roots.clear()
