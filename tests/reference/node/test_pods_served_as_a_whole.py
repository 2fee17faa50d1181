"""Gate PodLevelResourceManagers: pods that get their CPUs and memory in one piece (CPU-PLR, MEM-PLR)."""

import json

import pytest

from numa_conformance.kube import KubeletConfiguration, Pod
from numa_conformance.machine import load_machine
from numa_conformance.reference.node import Node
from numa_conformance.sources.quirks import Quirks

GIB = 1 << 30


def up(scope="pod", version="1.36", policy="best-effort", quirks=None, **more):
    config = {
        "cpuManagerPolicy": "static",
        "reservedSystemCPUs": "0",
        "memoryManagerPolicy": "Static",
        "reservedMemory": [{"numaNode": 0, "limits": {"memory": "1Gi"}}],
        "evictionHard": {"memory.available": "1Gi"},
        "topologyManagerPolicy": policy,
        "topologyManagerScope": scope,
        "featureGates": {"PodLevelResourceManagers": True},
        **more,
    }
    machine = load_machine("two-nodes-devices")
    return Node(machine, KubeletConfiguration.from_dict(config), kubernetes_version=version, quirks=quirks)


def whole(cpu, memory, *containers, init=()):
    amounts = {"cpu": cpu, "memory": memory}
    spec = {
        "resources": {"requests": amounts, "limits": amounts},
        "containers": list(containers),
        "initContainers": list(init),
    }
    return Pod.from_dict({"metadata": {"name": "p", "uid": "p"}, "spec": spec})


def own(name, cpu, memory, **more):
    return {"name": name, "resources": {"limits": {"cpu": cpu, "memory": memory}}, **more}


def sharing(name, **more):
    return {"name": name, **more}


def cpus(admission):
    return {name: placement.cpus for name, placement in admission.placements.items()}


def test_exclusive_containers_get_parts_and_the_others_share_the_rest():
    """CPU-PLR-01, 02; MEM-PLR-01, 02."""
    node = up()
    told = node.admit(whole("6", "6Gi", own("a", "2", "1Gi"), sharing("b"), sharing("c")))
    given = cpus(told)
    together = given["a"] | given["b"]
    assert (given["a"].bit_count(), given["b"].bit_count(), given["a"] & given["b"]) == (2, 4, 0)
    assert given["b"] == given["c"]
    assert not node.pools.default & together
    assert [sum(block.bytes for block in one.memory) for one in told.placements.values()] == [GIB, 5 * GIB, 5 * GIB]
    assert len({block.nodes for one in told.placements.values() for block in one.memory}) == 1


def test_an_init_container_may_have_all_that_sidecars_leave():
    """CPU-PLR-02."""
    side = own("side", "2", "1Gi", restartPolicy="Always")
    given = cpus(up().admit(whole("6", "6Gi", sharing("c"), init=[side, sharing("once")])))
    assert (given["side"].bit_count(), given["once"].bit_count()) == (2, 4)
    assert given["once"] == given["c"]


@pytest.mark.parametrize("containers", [[own("a", "4", "1Gi"), sharing("b")], [own("a", "2", "4Gi"), sharing("b")]])
def test_a_pod_that_leaves_its_shared_containers_nothing_is_refused(containers):
    """CPU-PLR-03, MEM-PLR-02."""
    told = up().admit(whole("4", "4Gi", *containers))
    assert told.reason == "EmptyPodSharedPoolError"
    assert "leaving no" in told.message


def test_all_comes_back_with_the_last_container():
    """CPU-PLR-04, MEM-PLR-03."""
    node = up()
    before = node.pools
    node.admit(whole("4", "4Gi", own("a", "2", "1Gi"), sharing("b")))
    node.remove("p")
    assert node.pools == before


def test_a_refusal_by_the_topology_manager_tells_the_scope():
    for scope, said in (("pod", "under pod-scope"), ("container", "with a container-level")):
        told = up(scope, policy="single-numa-node").admit(whole("20", "1Gi", own("a", "20", "512Mi"), sharing("b")))
        assert told.reason == "TopologyAffinityError"
        assert told.message.startswith(f"Pod Scope pod with pod-level resources failed admission {said}")


def test_in_the_container_scope_only_guaranteed_containers_get_something():
    """CPU-ELIG-11; from 1.37 on a container without memory of its own is not in the way."""
    pod = whole("4", "4Gi", own("a", "2", "1Gi"), sharing("b"))
    refused = up("container", topologyManagerPolicy="none").admit(pod)
    assert "no NUMA nodes with enough memory" in refused.message
    given = up("container", version="1.37").admit(pod)
    assert {name: bool(one) for name, one in cpus(given).items()} == {"a": True, "b": False}


def test_the_state_files_tell_the_pod():
    node = up()
    node.admit(whole("4", "4Gi", own("a", "2", "1Gi"), sharing("b")))
    files = {name: json.loads(text) for name, text in node.checkpoints().items()}
    assert files["cpu_manager_state"]["podEntries"].keys() == {"p"}
    (block,) = files["memory_manager_state"]["podEntries"]["p"]["memoryBlocks"]
    assert (block["type"], block["size"]) == ("memory", 4 * GIB)


def test_after_a_restart_the_kubelet_gives_the_cpus_once_more():
    """As recorded of 1.36: what the pod had is lost until it is gone for good."""
    node = up()
    first = cpus(node.admit(whole("2", "2Gi", own("a", "2", "1Gi"))))
    (again,) = node.restart().pods
    assert cpus(again) != first
    assert not node.pools.default & (first["a"] | cpus(again)["a"])


def test_as_documented_a_pod_keeps_what_it_has_across_a_restart():
    """Without whole-pods-get-other-cpus and whole-pods-are-charged-again."""
    node = up(quirks=Quirks.none())
    first = cpus(node.admit(whole("2", "2Gi", own("a", "2", "1Gi"))))
    before = node.pools
    (again,) = node.restart().pods
    assert (cpus(again), node.pools) == (first, before)


@pytest.mark.parametrize(("quirks", "devices"), [(None, 0), (Quirks.none(), 1)])
def test_devices_are_given_as_documented_and_not_by_the_kubelet(quirks, devices):
    """no-devices-for-pods-served-whole."""
    asking = own("a", "2", "1Gi")
    asking["resources"]["limits"]["example.com/gpu"] = "1"
    told = up(quirks=quirks).admit(whole("2", "2Gi", asking))
    assert len(told.placements["a"].devices.get("example.com/gpu", ())) == devices
