"""Golden snapshots: the kubelet's, which are shipped with the suite, or a target's own in a folder of its own."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from ..asking.examples.goldens import Golden
from ..errors import Fault, UsageError
from ..machine.data_files import data_folder
from ..sources.versions import KubernetesVersion
from .options import NAMING, is_set, setting

UPDATE = "--numa-snapshot-update"


@dataclass(frozen=True, slots=True)
class Snapshots:
    """A folder of golden texts, whether they are written anew, and whether they are the target's own."""

    folder: Path
    update: bool
    named: str = ""
    """How the option names a folder of the target's own."""

    @property
    def are_own(self) -> bool:
        """Whether they are the target's own."""
        return bool(self.named)

    @classmethod
    def read(cls, config: pytest.Config) -> Snapshots:
        """Read the options; raises ``UsageError`` for what would write over the kubelet's golden texts."""
        folder = setting(config, "numa_snapshots")
        update = is_set(config, "numa_snapshot_update")
        if not folder:
            named = any(setting(config, f"numa_{name}") for name in NAMING)
            if update and named:
                message = "would replace the kubelet's golden snapshots by those of the target"
                raise UsageError(Fault(UPDATE, message, "together with --numa-snapshots FOLDER"))
            return cls(data_folder("conformance") / "exact" / "golden", update=update)
        if Path(folder).exists() and not Path(folder).is_dir():
            raise UsageError(Fault("--numa-snapshots", f"{folder} is no folder"))
        own = Path(folder).absolute()
        nearest = next(place for place in (own, *own.parents) if place.exists())
        if update and not (nearest.is_dir() and os.access(nearest, os.W_OK)):
            raise UsageError(Fault("--numa-snapshots", f"{nearest} takes no files", "a folder that can be written"))
        return cls(own, update=update, named=folder)

    def golden(self, case: str, version: KubernetesVersion, target: str) -> Golden:
        """Return the golden text of a case in a version, the kubelet's or that of a target."""
        return Golden(self.folder, case, version, update=self.update, policy=target if self.are_own else "")
