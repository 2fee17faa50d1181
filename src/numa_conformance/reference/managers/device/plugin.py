"""What the Device Manager needs of a device plugin when it gives devices out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from .choose import Preference


class DevicePlugin(Protocol):
    """The plugin of one resource. Where it fails to answer the pod is refused: both raise ``Refusal``."""

    @property
    def preference(self) -> Preference | None:
        """What it prefers, None where it says that it prefers nothing (DEV-ALLOC-09)."""

    def allocate(self, ids: Sequence[str]) -> bytes:
        """Tell it what a container is given, and return its answer for that container, as sent (DEV-ALLOC-11)."""
