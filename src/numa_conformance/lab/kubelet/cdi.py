"""What a container runtime makes of CDI devices (Container Device Interface), as far as drivers of CPUs use them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

from .cri_objects import RefusedError


def environment(folder: Path, devices: Iterable[str]) -> list[str]:
    """Return the variables, ``NAME=VALUE``, of devices; raises ``RefusedError`` where one is not there."""
    specs = list(_specs(folder))
    return [variable for device in devices for variable in _of_device(specs, device)]


def _specs(folder: Path) -> Iterator[dict[str, Any]]:
    for file in sorted(folder.iterdir()):
        if file.suffix in (".json", ".yaml"):
            try:
                spec = yaml.safe_load(file.read_text(encoding="utf-8"))
            except (OSError, ValueError, yaml.YAMLError) as error:
                raise RefusedError(f"the CDI file {file.name} cannot be read: {error}") from error
            if isinstance(spec, dict):
                yield spec


def _of_device(specs: Iterable[dict[str, Any]], device: str) -> list[str]:
    kind, _, name = device.partition("=")
    for spec in specs:
        for known in spec.get("devices") or () if spec.get("kind") == kind else ():
            if known.get("name") == name:
                edits = (spec.get("containerEdits") or {}, known.get("containerEdits") or {})
                return [str(variable) for edit in edits for variable in edit.get("env") or ()]
    raise RefusedError(f"there is no CDI device {device}, with which a container would be made")
