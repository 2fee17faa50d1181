"""An unmodified NRI plugin beside unmodified kubelets: those of ``NUMA_TEST_KUBELETS``."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("grpc", reason="the extra [lab] is not installed")

from clusters import FOLDER, needs_cluster
from kubelets import PATHS, needs_kubelet, needs_namespaces
from nri_plugins import AS_ALWAYS, WRONG
from numa_conformance.asking.asking import Asking
from numa_conformance.asking.generators.cells import cells
from numa_conformance.asking.generators.walks import walks
from numa_conformance.chapters import REQUIREMENTS
from numa_conformance.lab.daemon.daemon import serving
from numa_conformance.machine import load_machine
from numa_conformance.plugin.numa_cluster import bring_up
from numa_conformance.wire import Client, Stdio
from processes import PATIENCE

pytestmark = [needs_namespaces]
LIVES, STEPS = 2, 20


def unmet(kubelet: str, plugin: str) -> set[str]:
    """Ask a plugin beside a kubelet about a few lives of one machine; returns what must be met and is not."""
    client = Client(Stdio(serving("nri", plugin, "--kubelet", kubelet), PATIENCE))
    try:
        machine = load_machine("snc2-small")
        lives = walks(cells(LIVES, client.features, only=[machine]), client.features, steps=STEPS)
        unmet = Asking(lives, client, "1.36").spend().verdicts.unmet
        return {name for name in unmet if REQUIREMENTS[name].strength == "MUST"}
    finally:
        client.close()


@needs_kubelet
@pytest.mark.parametrize("kubelet", PATHS)
def test_a_right_plugin_meets_all_that_is_asked(kubelet: str, nri_plugin: str) -> None:
    assert unmet(kubelet, f"{nri_plugin} {AS_ALWAYS}") == set()


@needs_kubelet
@pytest.mark.parametrize("way", ["one-too-few", "no-updates"])
def test_a_plugin_that_is_wrong_in_one_way_is_found(way: str, nri_plugin: str) -> None:
    assert f"cpu-manager/{WRONG[way]}" in unmet(PATHS[-1], f"{nri_plugin} {AS_ALWAYS} -wrong {way}")


@needs_cluster
def test_the_cgroups_of_a_clusters_node_are_what_a_plugin_there_gives(tmp_path: Path, nri_plugin: str) -> None:
    node = {"nodes": "n", "machine": "snc2-small", "kubelet": {"reservedSystemCPUs": "0"}, "nri": True}
    file = tmp_path / "nodes.yaml"
    file.write_text(json.dumps([{**node, "daemons": [[nri_plugin, "-reserved", "0"]]}]))
    limits = {"cpu": "2", "memory": "64Mi"}
    spec = {"containers": [{"name": "c", "resources": {"limits": limits}}]}
    with bring_up(file, ["--binaries", FOLDER]) as cluster:
        assert cluster.decide({"metadata": {"name": "own"}, "spec": spec}).admitted
        read = ["sh", "-c", "cat /sys/fs/cgroup/kubepods/pod*/*/cpuset.cpus"]
        said, _ = cluster.on_node("n", *read, cgroups=True, stdout=subprocess.PIPE, text=True).communicate(
            timeout=PATIENCE
        )
    assert said.split() == ["1,9"]
