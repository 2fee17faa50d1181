"""Golden snapshots of a target's own, in a folder of its repository."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from ..errors import Fault, UsageError
from ..suite.goldens import OwnGolden
from .options import setting

__all__ = ["OwnSnapshots"]


_UPDATE = "numa_snapshot_update"


@dataclass(frozen=True, slots=True)
class OwnSnapshots:
    """The folder of ``--numa-snapshots``; ``update`` is syrupy's ``--snapshot-update``."""

    folder: Path
    update: bool

    @classmethod
    def read(cls, config: pytest.Config, level: str) -> OwnSnapshots | None:
        """Read the options, and keep syrupy from writing to, or cleaning up, what is shipped with the suite.

        Raises ``UsageError``.
        """
        folder = setting(config, "numa_snapshots")
        # The controller of xdist hands its options to workers as they are after this method.
        update = bool(config.option.update_snapshots or getattr(config.option, _UPDATE, False))
        if not folder:
            named = any(setting(config, f"numa_{name}") for name in ("target", "target_command", "kubelet"))
            if update and named:
                message = "would replace the kubelet's golden snapshots by those of the target"
                raise UsageError(Fault("--snapshot-update", message, "together with --numa-snapshots DIR"))
            return None
        if level != "exact":
            raise UsageError(Fault("--numa-snapshots", f"level {level} compares no snapshots", "--numa-level exact"))
        if Path(folder).exists() and not Path(folder).is_dir():
            raise UsageError(Fault("--numa-snapshots", f"{folder} is no folder"))
        config.option.update_snapshots = False
        config.option.disable_unused_snapshots = True
        setattr(config.option, _UPDATE, update)
        return cls(Path(folder).absolute(), update)

    def golden(self, case: str) -> OwnGolden:
        """Return the golden text of a case."""
        return OwnGolden(self.folder, case, update=self.update)
