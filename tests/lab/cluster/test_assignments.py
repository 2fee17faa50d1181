"""CPUs that pods of a cluster that is up are assigned, by the annotation of a scheduler, are judged."""

import json

import pytest

pytest.importorskip("grpc", reason="the extra [lab] is not installed")
pytest.importorskip("kubernetes", reason="the extra [lab] is not installed")

from clusters import FOLDER, check, needs_cluster
from kubelets import needs_namespaces
from numa_conformance.plugin.numa_cluster import bring_up

pytestmark = [needs_namespaces, needs_cluster]
STATUS = "scheduling.koordinator.sh/resource-status"


def assigned(name, node, cpus):
    resources = {"limits": {"cpu": "2", "memory": "64Mi"}}
    metadata = {"name": name, "annotations": {STATUS: json.dumps({"cpuset": cpus})}}
    spec = {"nodeName": node, "containers": [{"name": "c", "image": "any", "resources": resources}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def test_cpus_that_two_pods_are_assigned_are_found(tmp_path):
    nodes = tmp_path / "nodes.yaml"
    nodes.write_text(json.dumps([{"nodes": "n", "machine": "t3-two-numa-per-socket"}]))
    with bring_up(nodes, ["--binaries", FOLDER]) as cluster:
        for name, cpus in {"a": "0,16", "b": "1,16"}.items():
            cluster.decide(assigned(name, "n", cpus))
        code, report = check(cluster, "check-assignments")
    assert code == 1
    assert {(each["requirement"], each["place"]) for each in report["unmet"]} == {
        ("assignment/cpus/are-of-one-pod", f"pod default/{name}, resource-status") for name in "ab"
    }
