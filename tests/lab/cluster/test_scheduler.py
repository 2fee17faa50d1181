"""The scheduler of a cluster: its scores beside ours, further ones, and kubelets of other minors under one."""

import json
import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("grpc", reason="the extra [lab] is not installed")
pytest.importorskip("kubernetes", reason="the extra [lab] is not installed")

from clusters import FOLDER, needs_cluster, on, pod
from kubelets import PATHS, needs_namespaces
from numa_conformance.kube import NodeObject, NodeResourcesFitArgs, Pod
from numa_conformance.plugin.numa_cluster import bring_up
from numa_conformance.reference.scheduler import score_node
from numa_conformance.sources.quirks import Quirks
from numa_conformance.sources.versions import DEFAULT
from processes import PATIENCE, wait_until

pytestmark = [needs_namespaces, needs_cluster]
SCORED = re.compile(
    r'"Plugin scored node for pod" pod="default/(\S+)" plugin="NodeResourcesFit" node="(\S+)" score=(\d+)'
)
OLDER = [path for path in PATHS if "1.34" in path]
STRATEGIES = {
    "LeastAllocated": {},
    "MostAllocated": {},
    "RequestedToCapacityRatio": {
        "requestedToCapacityRatio": {"shape": [{"utilization": 0, "score": 2}, {"utilization": 70, "score": 9}]}
    },
}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_scores_of_the_real_scheduler_are_ours(strategy, tmp_path):
    args = {"scoringStrategy": {"type": strategy, **STRATEGIES[strategy]}}
    config = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"pluginConfig": [{"name": "NodeResourcesFit", "args": args}]}],
    }
    file = tmp_path / "scheduler.yaml"
    file.write_text(json.dumps(config))
    options = ["--binaries", FOLDER, "--scheduler-config", str(file), "--scheduler-flag=-v=10"]
    with bring_up(None, options) as cluster:
        log = Path(cluster.status()["folder"], "logs", "kube-scheduler.log")
        for number, (cpu, memory) in enumerate(
            [(1, "64Mi"), (8, "4Gi"), (3, "100Gi"), (12, "1Gi"), (2, "30Gi"), (16, "7Gi")]
        ):
            name = f"p{number}"
            expected = _scores(cluster, args, pod(name, cpu, memory))
            cluster.decide(pod(name, cpu, memory))
            wait_until(lambda name=name: len(_told(log, name)) == 2)
            assert _told(log, name) == expected


def _scores(cluster, args, manifest):
    """Our scores of a pod on every node, with the pods that are there."""
    told = cluster.client.sanitize_for_serialization(cluster.api.list_node().items)
    there = cluster.client.sanitize_for_serialization(cluster.api.list_namespaced_pod("default").items)
    scores = {}
    for node in map(NodeObject.from_dict, told):
        pods = [
            Pod.from_dict(one)
            for one in there
            if one["spec"]["nodeName"] == node.name and one["status"]["phase"] != "Failed"
        ]
        fit = NodeResourcesFitArgs.from_dict(args)
        scores[node.name] = score_node(
            fit, node.allocatable, pods, Pod.from_dict(manifest), quirks=Quirks.of(DEFAULT).scheduler
        ).score
    return scores


def _told(log, name):
    return {node: int(score) for pod, node, score in SCORED.findall(log.read_text()) if pod == name}


def test_a_second_scheduler_takes_the_pods_that_name_it(tmp_path):
    file = tmp_path / "scheduler.yaml"
    file.write_text(
        json.dumps(
            {
                "apiVersion": "kubescheduler.config.k8s.io/v1",
                "kind": "KubeSchedulerConfiguration",
                "profiles": [{"schedulerName": "second"}],
            }
        )
    )
    with bring_up(None, ["--binaries", FOLDER, "--second-scheduler-config", str(file)]) as cluster:
        assert cluster.decide(pod("first", 2)).admitted
        assert cluster.decide(pod("by-second", 2, schedulerName="second")).admitted
        cluster.create(pod("by-nobody", 2, schedulerName="third"))
        time.sleep(2)
        assert cluster.pod("by-nobody")["spec"].get("nodeName") is None


@pytest.mark.skipif(not OLDER, reason="NUMA_TEST_KUBELETS names no kubelet of 1.34")
def test_kubelets_of_another_minor_join(tmp_path):
    nodes = tmp_path / "nodes.yaml"
    kubelet = {"cpuManagerPolicy": "static", "reservedSystemCPUs": "0,128"}
    nodes.write_text(
        json.dumps(
            [
                {"nodes": "new", "machine": "amd-milan-7763-nps4", "kubelet": kubelet},
                {
                    "nodes": "old",
                    "machine": "amd-milan-7763-nps4",
                    "kubelet": kubelet,
                    "binary": os.path.abspath(OLDER[0]),
                },
            ]
        )
    )
    with bring_up(nodes, ["--binaries", FOLDER]) as cluster:
        kubelets = {node["name"]: node["kubelet"].rsplit(".", 1)[0] for node in cluster.status()["nodes"]}
        assert kubelets == {"new": "v1.37", "old": "v1.34"}
        assert cluster.decide(on("old", pod("p", 4))).admitted
        assert cluster.held("p")["c"]["cpus"] == "1-2,129-130"
        assert cluster.unmet() == []


def test_the_example_of_a_filter_passes():
    example = Path(__file__).parents[3] / "examples" / "scheduler_filter"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "."]
    environment = {**os.environ, "KUBEBUILDER_ASSETS": os.path.abspath(FOLDER)}
    done = subprocess.run(
        command, cwd=example, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stdout
    assert "3 passed" in done.stdout


@pytest.mark.parametrize("profile", ["NodeResourcesFit alone", "the default"])
def test_what_a_real_cluster_does_is_among_what_the_simulation_holds_for_best(profile, tmp_path):
    """Lots aside: with NodeResourcesFit alone each choice is; nodes decide alike under any profile."""
    alone = {"plugins": {"multiPoint": {"disabled": [{"name": "*"}], "enabled": list(map(_named, ALONE))}}}
    options = ["--binaries", FOLDER]
    if profile != "the default":
        write(tmp_path / "scheduler.yaml", {**CONFIG, "profiles": [alone]})
        options += ["--scheduler-config", str(tmp_path / "scheduler.yaml")]
    kubelet = {"cpuManagerPolicy": "static", "reservedSystemCPUs": "0,128", "topologyManagerPolicy": "single-numa-node"}
    write(
        tmp_path / "kubelet.yaml",
        {"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration", **kubelet},
    )
    group = {"nodes": "n*", "machine": "amd-milan-7763-nps4"}
    write(tmp_path / "nodes.yaml", [{**group, "count": 3, "kubelet": kubelet}])
    write(tmp_path / "fleet.yaml", [{**group, "kubelet": "kubelet.yaml"}])
    sizes = random.Random(5).choices([1, 2, 4, 6, 8, 12, 16, 20, 24, 32, 40], k=PODS)
    pods = [pod(f"p{number}", size, "1Gi") for number, size in enumerate(sizes)]
    with bring_up(tmp_path / "nodes.yaml", options) as cluster:
        listed(cluster, tmp_path / "there.json", cluster.api.list_node().items, "Node")
        for one in pods:
            cluster.decide(one)
        listed(cluster, tmp_path / "became.json", cluster.api.list_namespaced_pod("default").items, "Pod")
    write(
        tmp_path / "pods.json",
        {"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "Pod", **one} for one in pods]},
    )
    words = ["simulate-cluster", "--nodes", "there.json", "--fleet", "fleet.yaml", "--pods", "pods.json", "--json"]
    command = [
        sys.executable,
        "-m",
        "numa_conformance",
        *words,
        "--compare",
        "became.json",
        "--strategy",
        "LeastAllocated",
    ]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=PATIENCE)
    followed = json.loads(told.stdout)["LeastAllocated"]
    best = sum(one["amongBest"] for one in followed)
    assert all(one["decidedAlike"] for one in followed)
    assert len(followed) == PODS
    assert best == PODS or profile == "the default"


PODS = 60
ALONE = ("PrioritySort", "NodeResourcesFit", "NodeName", "DefaultBinder")
CONFIG = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}


def _named(name):
    return {"name": name}


def write(path, content):
    path.write_text(json.dumps(content))


def listed(cluster, path, items, kind):
    """Write objects as kubectl prints them."""
    told = cluster.client.sanitize_for_serialization(items)
    write(
        path, {"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": kind, **one} for one in told]}
    )
