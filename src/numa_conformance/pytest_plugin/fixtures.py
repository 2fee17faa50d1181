"""Fixtures for one's own tests; nothing heavy is imported before one is used."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from ..machine import Machine

__all__ = ["fake_cgroupfs", "fake_sysfs", "numa_machine"]


@pytest.fixture
def numa_machine() -> Callable[[str], Machine]:
    """Load a machine of the catalogue, or a file: ``numa_machine("amd-milan-7763-nps4")``."""
    from ..machine import load_machine

    return load_machine


@pytest.fixture
def fake_sysfs(tmp_path: Path) -> Callable[[Machine], Path]:
    """Write a machine's ``/sys`` and ``/proc`` to a folder and return it."""
    from ..hostfs import write_tree

    def write(machine: Machine) -> Path:
        root = tmp_path / f"host-{machine.name or 'machine'}"
        write_tree(machine, root)
        return root

    return write


@pytest.fixture
def fake_cgroupfs(tmp_path: Path) -> Callable[..., Path]:
    """Write a cpuset hierarchy for pods (uid to container names) and return its root."""
    from ..hostfs import write_cgroup_tree

    def write(machine: Machine, pods: dict[str, list[str]], version: int = 2) -> Path:
        root = tmp_path / f"cgroup-v{version}"
        write_cgroup_tree(machine, root, pods, version=version)
        return root

    return write
