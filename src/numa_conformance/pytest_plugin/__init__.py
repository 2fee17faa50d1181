"""The pytest plugin. Without ``--numa-conformance`` it offers its fixtures and costs nothing else."""

from __future__ import annotations

import pytest

from .fixtures import fake_cgroupfs, fake_sysfs, numa_machine
from .options import add_options

__all__ = ["fake_cgroupfs", "fake_sysfs", "numa_machine", "pytest_addoption", "pytest_configure"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options, each with its ini twin."""
    add_options(parser)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Set up the suite when it is asked for."""
    if config.getoption("numa_conformance"):
        from .conformance import enable

        enable(config)
