"""Resizes in place by the API: those that unmodified kubelets do not grant, and what they say.

A kubelet of a cluster of ours has no cgroups (``cgroupsPerQOS: false``). One that has granted a resize crashes when it
carries it out (1.37.1: ``doPodResizeAction``), so nothing is asked that the reference grants.
"""

import json
import random

import pytest

pytest.importorskip("grpc", reason="the extra [lab] is not installed")
pytest.importorskip("kubernetes", reason="the extra [lab] is not installed")

from asked_in_full import DEEP
from clusters import FOLDER, needs_cluster, on
from kubelets import needs_namespaces
from numa_conformance.kube import Pod
from numa_conformance.lab.cluster.control import open_cluster
from numa_conformance.lab.cluster.scheduled import reference_of
from numa_conformance.plugin.numa_cluster import bring_up
from processes import wait_until

pytestmark = [needs_namespaces, needs_cluster]
STATIC = {"cpuManagerPolicy": "static", "reservedSystemCPUs": "0"}
MEMORY = {
    "memoryManagerPolicy": "Static",
    "kubeReserved": {"memory": "256Mi"},
    "evictionHard": {"memory.available": "100Mi"},
    "reservedMemory": [{"numaNode": 0, "limits": {"memory": "356Mi"}}],
}
NODES = [
    {"nodes": "plain", "machine": "t1-one-socket-smt2", "kubelet": {}},
    {"nodes": "static", "machine": "t1-one-socket-smt2", "kubelet": STATIC},
    {"nodes": "memory", "machine": "t1-one-socket-smt2", "kubelet": MEMORY},
]
RESIZES = 30 if DEEP else 5
"""Asked on each node."""
SMALL = [
    {"limits": {"cpu": "2", "memory": "64Mi"}},
    {"limits": {"cpu": "1500m", "memory": "64Mi"}},
    {"requests": {"cpu": "300m", "memory": "32Mi"}, "limits": {"cpu": "1", "memory": "64Mi"}},
]
CPUS, MEMORIES = ("1", "3", "6", "7"), ("64Mi", "1Gi", "7Gi")  # what no node has the API server refuses itself
LARGER = [{"limits": {"cpu": cpu, "memory": memory}} for cpu in CPUS for memory in MEMORIES]


@pytest.fixture(scope="module")
def decided():
    """What kubelets and references say of each resize, and with what."""
    return []


def test_what_is_not_granted_has_the_references_reason_and_text(tmp_path, decided):
    file = tmp_path / "nodes.yaml"
    file.write_text(json.dumps(NODES))
    draw = random.Random(24)
    with bring_up(file, ["--binaries", FOLDER]) as cluster, open_cluster(cluster.name) as known:
        copies = {name: reference_of(plan) for name, plan in known.ask("plans").items()}
        for node, copy in copies.items():
            fill(cluster, node, copy)
            for number in range(RESIZES):
                name, (pod, wanted, own) = f"{node}-{number}", refused_by_reference(draw, copy, node, number, cluster)
                decided.append((node, wanted, told(cluster, name, wanted), (own.reason, own.message)))
                cluster.delete(name)
                copy.remove(pod.uid)
    assert [row for row in decided if row[2] != row[3]] == []
    assert {own[0] for *_, own in decided} == {"Infeasible", "Deferred"}


def fill(cluster, node, copy):
    """Let a pod come that stays."""
    there = made(cluster, node, f"{node}-stays", {"limits": {"cpu": "2", "memory": "1Gi"}})
    assert copy.admit(there).admitted


def made(cluster, node, name, resources):
    manifest = {"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "resources": resources}]}}
    decision = cluster.decide(on(node, manifest))
    assert decision.admitted, decision
    return seen(decision.pod)


def refused_by_reference(draw, copy, node, number, cluster):
    """Return a pod that came, what it is to ask for then, and why the reference does not grant that."""
    pod = made(cluster, node, f"{node}-{number}", draw.choice(SMALL))
    assert copy.admit(pod).admitted
    while True:
        wanted = dict(draw.choice(LARGER))
        if pod.qos == "Burstable":
            wanted["requests"] = {"cpu": wanted["limits"]["cpu"], "memory": "32Mi"}
        changed = pod.to_dict()
        changed["spec"]["containers"][0]["resources"] = wanted
        copy_of_now = copy.resize(Pod.from_dict(changed))
        if copy_of_now.reason:
            return pod, wanted, copy_of_now
        back = copy.resize(pod)
        assert back.admitted, back


def told(cluster, name, wanted):
    """Ask for a resize, and return reason and text of the kubelet once it tells that it has seen it."""
    body = {"spec": {"containers": [{"name": "c", "resources": {"requests": wanted["limits"], **wanted}}]}}
    generation = cluster.api.patch_namespaced_pod_resize(name, "default", body).metadata.generation
    wait_until(lambda: cluster.pod(name)["status"].get("observedGeneration", 0) >= generation)
    pod = cluster.pod(name)
    conditions = {one["type"]: one for one in pod["status"]["conditions"]}
    pending = conditions.get("PodResizePending") or {}
    return pending.get("reason"), pending.get("message")


def seen(pod):
    """A pod as its node sees it."""
    return Pod.from_dict({"metadata": pod["metadata"], "spec": {**pod["spec"], "nodeName": ""}})
