"""A node of a cluster shows the cgroups of its containers, so that programs that look at nodes have one at work."""

import json
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("grpc", reason="the extra [lab] is not installed")

from clusters import needs_cluster, on, pod
from kubelets import needs_namespaces
from numa_conformance.lab.cluster.cgroups import NodeCgroups
from numa_conformance.machine import load_machine
from processes import PATIENCE


def made(name, cpus="", quota=0, *, running=True):
    resources = SimpleNamespace(cpuset_cpus=cpus, cpuset_mems="", cpu_quota=quota, cpu_period=100_000)
    return SimpleNamespace(uid="a-uid", id=name, resources=resources, is_running=running)


def read(folder: Path, *names: str) -> list[str]:
    return [(folder / name).read_text().strip() for name in names]


def test_a_container_has_the_cpus_and_the_quota_that_it_was_given_while_it_runs(tmp_path):
    cgroups = NodeCgroups(tmp_path, load_machine("t1-one-socket-smt2"), lambda uid: "Burstable")
    cgroups.follow(made("one", "0-2", 50_000))
    cgroups.follow(made("two"))
    folder = tmp_path / "cgroups/kubepods/burstable/poda-uid"
    files = ("cpuset.cpus", "cpuset.cpus.effective", "cpu.max")
    assert read(folder / "one", *files) == ["0-2", "0-2", "50000 100000"]
    assert read(folder / "two", *files) == ["", "0-7", "max 100000"]
    cgroups.follow(made("one", running=False))
    assert not (folder / "one").exists()
    cgroups.follow(made("one", "3"))
    assert read(folder / "one", *files) == ["3", "3", "max 100000"]
    cgroups.forget("a-uid")
    assert not folder.exists()


@needs_namespaces
@needs_cluster
def test_check_node_sees_what_kubelets_asked_for_and_what_is_planted(numa_cluster):
    pytest.importorskip("kubernetes", reason="the extra [lab] is not installed")
    for name, cpu in (("four", 4), ("half", "500m")):
        assert numa_cluster.decide(on("milan", pod(name, cpu))).admitted
    healthy = checked(numa_cluster)
    assert (healthy["errors"], healthy["warnings"]) == (0, 0), healthy["findings"]
    assert healthy["asked"]["cpu-manager/reconcile/running-containers-get-their-cpusets"] >= 1
    planted = "echo 0-255 > $(grep -lx 1-2,129-130 /sys/fs/cgroup/kubepods/pod*/*/cpuset.cpus)"
    assert numa_cluster.on_node("milan", "sh", "-c", planted, cgroups=True).wait(PATIENCE) == 0
    (finding,) = checked(numa_cluster)["findings"]
    assert finding["requirement"] == "cpu-manager/reconcile/running-containers-get-their-cpusets"


def checked(cluster) -> dict:
    words = ("numa-conformance", "check-node", "--json")
    told, _ = cluster.on_node("milan", *words, cgroups=True, stdout=subprocess.PIPE).communicate(timeout=PATIENCE)
    return json.loads(told)
