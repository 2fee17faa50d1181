"""The NRI plugin of ours, built."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from asked_in_full import DEEP
from numa_conformance.errors import UsageError
from numa_conformance.lab.nri import plugin
from numa_conformance.lab.nri.runtime_side import built
from processes import PATIENCE

EXAMPLE = Path(__file__).parents[3] / "examples/nri_plugin"


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugin, "REGISTER_SECONDS", PATIENCE)


@pytest.fixture(scope="session")
def nri_plugin() -> Iterator[str]:
    """Build the plugin, from modules that are there: nothing is downloaded for a test."""
    if not DEEP:
        pytest.skip("Go builds it in minutes; NUMA_TEST_PROFILE=deep asks it")
    if shutil.which("go") is None:
        pytest.skip("needs Go, which is not installed")
    # On the disk: a target that starts kubelets lays memory of its own over /dev/shm.
    folder = tempfile.TemporaryDirectory(prefix="nri-", dir="/var/tmp")
    program = Path(folder.name, "nri-cpus")
    command = ["go", "build", "-o", str(program), "."]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GOPROXY", "off")
        if subprocess.run(command, cwd=EXAMPLE, env=os.environ, capture_output=True, check=False).returncode:
            pytest.skip("needs github.com/containerd/nri: `go build` in examples/nri_plugin downloads it")
        try:
            built()
        except UsageError:
            pytest.skip("needs the modules of the runtime's side: `numa-conformance serve nri` downloads them")
    yield str(program)
    folder.cleanup()
