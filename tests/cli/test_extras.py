"""What a command needs beside the package is told with how to install it; what it does not need is not imported."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from processes import PATIENCE

WITHOUT = "import sys, runpy; sys.modules['grpc'] = None; runpy.run_module('numa_conformance', run_name='__main__')"
"""Runs the program as if grpcio were not installed."""


def said(*words: str, **environment: str) -> tuple[int, str]:
    """Return exit code and errors of a command without grpcio, with other variables in the environment."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        env={**os.environ, **environment},
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (["serve", "kubelet", sys.executable], "lab"),
        (["serve", "device-plugin", sys.executable], "lab"),
        (["serve", "nri", "--kubelet", sys.executable, sys.executable], "lab"),
        (["serve", "dra", sys.executable], "lab"),
        (["cluster", "up"], "lab"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else value,
)
def test_an_extra_that_is_not_there_is_told(words: list[str], extra: str) -> None:
    code, errors = said(*words)
    assert (code, errors) == (2, f"error: grpc is not installed (accepted: pip install 'numa-conformance[{extra}]')\n")


def test_a_plugin_without_a_kubelet_needs_go_alone(tmp_path: Path) -> None:
    code, errors = said("serve", "nri", sys.executable, "{nri_socket}", PATH="", XDG_CACHE_HOME=str(tmp_path))
    assert (code, errors.partition(" (")[0]) == (2, "error: go: there is no such program")
