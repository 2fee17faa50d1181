"""An NRI plugin as it is, started on machines that are not there: right, and wrong in one way each."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from asked_in_full import DEEP
from numa_conformance.errors import UsageError
from numa_conformance.machine import load_machine, machine_to_dict
from numa_conformance.protocol import Client, InProcess
from numa_conformance.protocol.host_trees import HostTrees
from numa_conformance.protocol.messages.node import ReadState, StartFailed, StartNode
from numa_conformance.real_nri.runtime_side import built
from numa_conformance.real_nri.target import NriTarget
from numa_conformance.suite.asking.asking import Asking
from numa_conformance.suite.generators.cells import cells
from numa_conformance.suite.generators.walks import walks

EXAMPLE = Path(__file__).parents[2] / "examples/nri_plugin"
TOLD = ("-socket", "{nri_socket}", "-root", "{host_root}", "-reserved", "{reserved_cpus}",
        "-reserved-amount", "{reserved_amount}")  # fmt: skip
LIVES, STEPS, IN_SHORT = 2, 40, 3
WRONG = {
    "no-updates": "cpuset/keeps-off-exclusive-cpus",
    "gives-reserved": "reservation/is-never-exclusive",
    "one-too-few": "static/integral-guaranteed-is-exclusive",
    "keeps-removed": "static/serves-what-is-free",
    "forgets": "static/exclusive-cpus-belong-to-one-pod",
    "overlaps": "static/gives-free-cpus-only",
}


@pytest.fixture(scope="session")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Build the plugin, from modules that are there: nothing is downloaded for a test."""
    if shutil.which("go") is None:
        pytest.skip("needs Go, which is not installed")
    program = tmp_path_factory.mktemp("nri") / "nri-cpus"
    command = ["go", "build", "-o", str(program), "."]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GOPROXY", "off")
        if subprocess.run(command, cwd=EXAMPLE, env=os.environ, capture_output=True, check=False).returncode:
            pytest.skip("needs github.com/containerd/nri: `go build` in examples/nri_plugin downloads it")
        try:
            built()
        except UsageError:
            pytest.skip("needs the modules of the runtime's side: `numa-conformance nri-target` downloads them")
    return str(program)


def unmet(*words: str) -> set[str]:
    """Ask a plugin about a few lives of one machine; returns what is not met."""
    target = NriTarget(words)
    client = Client(InProcess(lambda: target, "plugin", 20))
    machine = load_machine("snc2-small")
    try:
        lives = walks(cells(LIVES, client.features, only=[machine]), client.features, steps=STEPS)
        return set(Asking(lives, client, "1.36").spend().verdicts.unmet)
    finally:
        client.close()
        target.close()


def test_a_right_plugin_meets_all_that_is_asked(plugin: str) -> None:
    assert unmet(plugin, *TOLD) == set()


@pytest.mark.parametrize(("way", "broken"), list(WRONG.items())[: None if DEEP else IN_SHORT])
def test_a_plugin_that_is_wrong_in_one_way_is_found(plugin: str, way: str, broken: str) -> None:
    assert f"cpu-manager/{broken}" in unmet(plugin, *TOLD, "-wrong", way)


def test_one_that_ends_is_told_with_its_last_words(plugin: str) -> None:
    target, trees = NriTarget([plugin, *TOLD[:4], "-reserved", "two"]), HostTrees()
    machine = machine_to_dict(load_machine("snc2-small"))
    configuration = {"cpuManagerPolicy": "static", "reservedSystemCPUs": "0"}
    started = target.node_start(StartNode(machine, configuration, host_root=trees.root_of(machine)))
    target.close()
    trees.close()
    assert isinstance(started, StartFailed)
    assert started.message.endswith('It said: strconv.Atoi: parsing "two": invalid syntax')


def test_nothing_is_asked_of_a_plugin_that_was_not_started(plugin: str) -> None:
    target = NriTarget([plugin, *TOLD])
    with pytest.raises(UsageError, match="no plugin was started"):
        target.node_state(ReadState())
    target.close()
