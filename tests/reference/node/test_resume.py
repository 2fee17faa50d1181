"""A node that goes on from the state files of another one."""

import pytest

from numa_conformance.kube import Pod
from numa_conformance.machine import load_machine
from numa_conformance.machine.hostfs import MemoryStore
from numa_conformance.reference.node import Node

MACHINE = load_machine("t3-two-numa-per-socket")
CONFIG = {"cpuManagerPolicy": "static", "reservedSystemCPUs": "0", "topologyManagerPolicy": "best-effort"}


def pod(name, cpu):
    limits = {"cpu": str(cpu), "memory": "1Gi"}
    spec = {"containers": [{"name": "c", "resources": {"limits": limits}}]}
    return Pod.from_dict({"metadata": {"name": name, "uid": name}, "spec": spec})


@pytest.fixture
def left():
    """A node at work, its pods, and a store with its state files."""
    node, pods = Node(MACHINE, CONFIG), [pod("a", 2), pod("wide", 10), pod("shared", "500m")]
    for one in pods:
        assert node.admit(one).admitted
    node.remove("a")
    assert node.admit(pods[0]).admitted
    store = MemoryStore()
    for name, text in node.checkpoints().items():
        store.write(name, text)
    return node, pods, store


def exclusive(node):
    return {uid: placements["c"].cpus for uid, placements in node.state().pods.items()}


def test_every_pod_keeps_what_it_had(left):
    node, pods, store = left
    other = Node(MACHINE, CONFIG, store=store)
    assert all(one.admitted for one in other.resume(pods).pods)
    assert exclusive(other) == exclusive(node)
    assert other.checkpoints() == node.checkpoints()


def test_what_is_held_for_other_pods_is_released(left):
    node, pods, store = left
    other = Node(MACHINE, CONFIG, store=store)
    other.resume(pods[:1])
    assert other.pools.default == MACHINE.online_bits & ~exclusive(node)["a"]


def test_another_policy_may_refuse_a_pod_that_runs(left):
    _, pods, store = left
    other = Node(MACHINE, {**CONFIG, "topologyManagerPolicy": "single-numa-node"}, store=store)
    assert [one.reason for one in other.resume(pods).pods] == [None, "TopologyAffinityError", None]
