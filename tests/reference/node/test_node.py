"""A node through its life: admission, refusal, the reconcile loop, a restart, and the fit check."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.asking.generators.workloads import (
    best_effort,
    burstable,
    container,
    guaranteed,
    kubelet,
    pod,
    static,
)
from numa_conformance.cpuset import format_bits
from numa_conformance.errors import StartError
from numa_conformance.kube import KubeletConfiguration, Pod
from numa_conformance.machine import Cpu, Device, Machine, MemoryNode, load_machine
from numa_conformance.reference.managers.cpu import CPU_FILE
from numa_conformance.reference.node import AdmissionResult, Node, NodeContents, ReconcileResult, node_allocatable
from numa_conformance.sources.policies import TOPOLOGY_SCOPES
from numa_conformance.sources.quirks import Quirks
from numa_conformance.sources.versions import SUPPORTED

GIB = 2**30
GPU = "example.com/gpu"
HALF_A_CPU: dict[str, Any] = {"reserved": "", "kubeReserved": {"cpu": "500m"}}

TWO_NODES = Machine(
    name="two nodes",
    cpus=tuple(Cpu(id=cpu, core=cpu % 4, socket=cpu % 4 // 2, numa=cpu % 4 // 2, uncore=None) for cpu in range(8)),
    memory=(MemoryNode(0, 4 * GIB, {}), MemoryNode(1, 4 * GIB, {})),
    devices=tuple(Device(GPU, f"gpu-{index}", (index // 2,)) for index in range(4)),
)


def _node(config: dict[str, Any], machine: Machine | None = None, **more: Any) -> Node:
    return Node(machine or load_machine("t1-one-socket-smt2"), KubeletConfiguration.from_dict(config), **more)


def _admit(node: Node, described: dict[str, Any]) -> AdmissionResult:
    return node.admit(Pod.from_dict(described))


def _cpus(admission: AdmissionResult, name: str = "c") -> str:
    return format_bits(admission.placements[name].cpus)


def _sent(done: ReconcileResult) -> list[tuple[str, str, str]]:
    return [(one.uid, one.container, format_bits(one.cpus)) for one in done.updates]


def _full(topology: str = "best-effort", scope: str = "container") -> dict[str, Any]:
    reserved = [{"numaNode": 0, "limits": {"memory": "100Mi"}}]
    return static(topology=topology, scope=scope, memoryManagerPolicy="Static", reservedMemory=reserved)


def test_the_scenario_of_one_socket():
    node = _node(static(**HALF_A_CPU), kubernetes_version="1.36")
    assert _cpus(_admit(node, guaranteed("uid-a", 2))) == "1,5"
    second = _admit(node, guaranteed("uid-b", 1))
    assert (_cpus(second), format_bits(second.default)) == ("4", "0,2-3,6-7")
    assert node.checkpoints()[CPU_FILE] == (
        '{"policyName":"static","defaultCpuSet":"0,2-3,6-7",'
        '"entries":{"uid-a":{"c":"1,5"},"uid-b":{"c":"4"}},"checksum":4104937429}'
    )
    assert _cpus(_admit(node, burstable("uid-c", 1))) == ""
    node.run("uid-c")
    node.reconcile()
    fourth = _admit(node, guaranteed("uid-d", 3))
    assert (_cpus(fourth), format_bits(fourth.default)) == ("2-3,6", "0,7")
    assert ("uid-c", "c", "0,7") in _sent(node.reconcile())
    fifth = _admit(node, guaranteed("uid-e", 2))
    assert fifth.reason == "UnexpectedAdmissionError"
    assert fifth.message is not None
    assert "requested=2, available=1" in fifth.message
    node.remove("uid-a")
    assert format_bits(node.state().default) == "0-1,5,7"


def test_the_scenario_with_whole_cores_ends_in_a_refused_restart_of_its_first_pod():
    node = _node(static("full-pcpus-only", **HALF_A_CPU), kubernetes_version="1.36")
    assert _cpus(_admit(node, guaranteed("uid-a", 2))) == "1,5"
    assert _admit(node, guaranteed("uid-b", 1)).message == (
        "SMT Alignment Error: requested 1 cpus not multiple cpus per core = 2"
    )
    assert _cpus(_admit(node, guaranteed("uid-d", 4))) == "2-3,6-7"
    full = _admit(node, guaranteed("uid-e", 2))
    assert (full.reason, full.message) == (
        "SMTAlignmentError",
        "SMT Alignment Error: not enough free physical CPUs: available physical CPUs = 0, requested CPUs = 2, "
        "CPUs per core = 2",
    )
    again = node.restart().pods[0]
    assert (again.uid, again.message) == ("uid-a", full.message)


def test_the_scenario_with_a_strict_reservation_keeps_the_reserved_cpu_out_of_the_pool():
    node = _node(static("strict-cpu-reservation", **HALF_A_CPU))
    assert format_bits(node.pools.default) == "1-7"
    given_out = [_cpus(_admit(node, guaranteed(uid, cpus))) for uid, cpus in (("a", 2), ("b", 1), ("d", 3))]
    assert given_out == ["1,5", "4", "2-3,6"]
    assert format_bits(node.state().default) == "7"


@pytest.mark.parametrize("scope", TOPOLOGY_SCOPES)
def test_a_refused_pod_leaves_nothing_behind(scope: str):
    node = _node(_full("restricted", scope), TWO_NODES)
    _admit(node, guaranteed("first", 2, "1Gi", **{GPU: "1"}))
    before, files = node.state(), node.checkpoints()
    containers = [
        container("small", cpu="1", memory="1Gi", other={GPU: "1"}),
        container("large", cpu="7", memory="1Gi"),
    ]
    assert _admit(node, pod("second", containers)).reason is not None
    assert node.state() == before
    assert list(node.pods) == ["first"]
    assert node.checkpoints()[CPU_FILE] == files[CPU_FILE]
    node.run("first")
    assert _sent(node.reconcile()) == []


def test_a_pod_that_goes_takes_all_it_held():
    node = _node(_full(), TWO_NODES)
    before = node.state()
    _admit(node, guaranteed("a", 3, "2Gi", **{GPU: "2"}))
    assert node.state() != before
    assert node.remove("a")
    assert node.state() == before
    assert not node.remove("a")


def test_a_pod_that_comes_again_with_fewer_containers_keeps_only_theirs():
    node = _node(_full(), TWO_NODES)
    small, large = container("small", cpu="1", memory="1Gi"), container("large", cpu="2", memory="1Gi")
    _admit(node, pod("a", [small]))
    before = node.state()
    node.remove("a")
    _admit(node, pod("a", [small, large]))
    assert _admit(node, pod("a", [small])).admitted
    assert node.state() == before


_PODS = st.lists(
    st.tuples(st.integers(1, 3), st.sampled_from(["64Mi", "1Gi", "3Gi"]), st.integers(0, 2), st.booleans()), max_size=5
)


def _without_hints(state: NodeContents) -> dict[str, dict[str, tuple[object, ...]]]:
    return {
        uid: {name: (one.cpus, one.memory, one.devices) for name, one in placements.items()}
        for uid, placements in state.pods.items()
    }


@given(_PODS, st.sampled_from(["none", "best-effort", "restricted"]))
def test_a_restart_changes_nothing(pods: list[tuple[int, str, int, bool]], topology: str):
    node = _node(_full(topology), TWO_NODES)
    for index, (cpus, memory, devices, shared) in enumerate(pods):
        other = {GPU: str(devices)} if devices else {}
        _admit(node, burstable(f"p{index}", cpus) if shared else guaranteed(f"p{index}", cpus, memory, **other))
    before, files = node.state(), node.checkpoints()
    again = node.restart()
    assert [one.uid for one in again.pods if one.admitted] == list(before.pods)
    after = node.state()
    assert (after.default, after.memory) == (before.default, before.memory)
    assert _without_hints(after) == _without_hints(before)
    assert node.checkpoints() == files


def test_a_restart_with_another_policy_is_refused_until_the_file_is_deleted():
    node = _node(static())
    none = KubeletConfiguration.from_dict(kubelet(cpuManagerPolicy="none"))
    with pytest.raises(StartError) as caught:
        node.restart(none)
    assert caught.value.stage == "cpumanager-start"
    assert 'configured policy "none" differs from state checkpoint policy "static"' in caught.value.message
    node.write_files({CPU_FILE: None})
    assert node.restart(none).pods == ()


def test_a_container_that_does_not_run_yet_is_skipped():
    node = _node(static())
    _admit(node, guaranteed("a", 2))
    done = node.reconcile()
    assert (done.updates, done.handled) == ((), 0)
    assert [(one.uid, one.container) for one in done.skipped] == [("a", "c")]


def test_a_shared_container_is_sent_the_pool_once_and_again_when_it_changes():
    node = _node(static())
    _admit(node, burstable("shared", 1))
    node.run("shared")
    assert _sent(node.reconcile()) == [("shared", "c", "0-7")]
    assert _sent(node.reconcile()) == []
    _admit(node, guaranteed("own", 2))
    assert _sent(node.reconcile()) == [("shared", "c", "0,2-4,6-7")]


def test_exclusive_cpus_are_known_from_the_start_and_sent_once_after_a_restart():
    node = _node(static())
    _admit(node, guaranteed("own", 2))
    node.run("own")
    first = node.reconcile()
    assert (first.updates, first.handled) == ((), 1)
    node.restart()
    assert _sent(node.reconcile()) == [("own", "c", "1,5")]
    assert _sent(node.reconcile()) == []


def test_an_init_container_that_ended_is_neither_handled_nor_skipped():
    node = _node(static())
    _admit(node, pod("a", [container("app", cpu="1", memory="64Mi")], init=[container("init", cpu="1", memory="64Mi")]))
    node.run("a")
    done = node.reconcile()
    assert (done.handled, done.skipped) == (1, ())


def test_an_empty_pool_cannot_be_sent():
    node = _node(static("strict-cpu-reservation"))
    _admit(node, best_effort("shared"))
    node.run("shared")
    _admit(node, guaranteed("all", 7))
    done = node.reconcile()
    assert done.updates == ()
    assert ("shared", "c") in [(one.uid, one.container) for one in done.skipped]


def test_a_node_offers_what_is_not_reserved():
    config = static(reserved="0", kubeReserved={"memory": "1Gi"}, evictionHard={"memory.available": "0"})
    machine = Machine(
        name="huge",
        cpus=TWO_NODES.cpus,
        memory=(MemoryNode(0, 4 * GIB, {"1Gi": 1}), MemoryNode(1, 4 * GIB, {"2Mi": 4})),
        devices=(Device(GPU, "good", (0,)), Device(GPU, "bad", (0,), healthy=False)),
    )
    assert node_allocatable(machine, KubeletConfiguration.from_dict(config)) == {
        "cpu": 7000,
        "memory": 6 * GIB - 8 * 2**20,
        "pods": 110,
        "hugepages-1Gi": GIB,
        "hugepages-2Mi": 8 * 2**20,
        GPU: 1,
    }


def test_the_fit_check_refuses_what_the_managers_let_pass():
    described = burstable("second", 5)
    assert _admit(_node(static()), described).admitted
    node = _node(static(), resource_fit=True)
    assert _admit(node, burstable("first", 3)).admitted
    refused = _admit(node, described)
    assert (refused.reason, refused.message) == (
        "OutOfcpu",
        "Node didn't have enough resource: cpu, requested: 5000, used: 3000, capacity: 7000",
    )
    assert list(node.pods) == ["first"]


@pytest.mark.parametrize("native", ["hugepages-1Gi", "hugepages-64Ki", "kubernetes.io/lamps"])
@pytest.mark.parametrize("version", SUPPORTED, ids=str)
def test_of_a_native_resource_that_it_does_not_list_a_node_has_none(native, version):
    node = _node(static(), resource_fit=True, kubernetes_version=version)
    assert _admit(node, guaranteed("none", 1, **{native: "0"})).admitted
    refused = _admit(node, guaranteed("some", 1, **{native: "1Gi"}))
    assert (refused.reason, refused.message) == (
        f"OutOf{native}",
        f"Node didn't have enough resource: {native}, requested: {2**30}, used: 0, capacity: 0",
    )


def test_the_fit_check_counts_pods_and_drops_extended_resources_that_the_node_does_not_list():
    node = _node(static(maxPods=1), resource_fit=True)
    unlisted = {"example.com/elsewhere": "1", "ephemeral-storage": "1Gi"}
    assert _admit(node, best_effort("first", **unlisted)).admitted
    assert _admit(node, best_effort("second")).reason == "OutOfpods"


@pytest.mark.parametrize("sidecar", [False, True])
@pytest.mark.parametrize(("version", "reason"), [("1.30", "OutOfexample.com/nope"), ("1.31", None)])
def test_what_an_init_container_asks_of_an_unlisted_resource_counts_until_1_30(version, reason, sidecar):
    node = _node(static(), resource_fit=True, kubernetes_version=version)
    asking, app = container("i", other={"example.com/nope": "1"}), container("c", cpu="1", memory="1Gi")
    restarting = {"restartPolicy": "Always"} if sidecar else {}
    refused = _admit(node, pod("p", [app], init=[{**asking, **restarting}]))
    told = "Node didn't have enough resource: example.com/nope, requested: 1, used: 0, capacity: 0"
    assert (refused.reason, refused.message) == (reason, told if reason else None)
    assert _admit(node, pod("q", [{**asking, "name": "c"}, {**app, "name": "d"}])).admitted


def test_the_amount_of_an_unlisted_resource_is_that_of_init_containers_alone_until_1_30():
    node = _node(static(), resource_fit=True, kubernetes_version="1.30")
    app, init = container("c", other={"example.com/nope": "5"}), container("i", other={"example.com/nope": "2"})
    assert _admit(node, pod("first", [app])).admitted
    assert "requested: 2, used: 5, capacity: 0" in str(_admit(node, pod("p", [app], init=[init])).message)


@pytest.mark.parametrize(
    ("limits", "most"), [({"podsPerCore": 1}, 8), ({"podsPerCore": 1, "maxPods": 3}, 3), ({"podsPerCore": 0}, 110)]
)
def test_pods_per_core_bounds_the_pods_of_a_node(limits, most):
    """Hardware threads count as cores: t1-one-socket-smt2 has 8 of 4 cores."""
    assert node_allocatable(load_machine("t1-one-socket-smt2"), KubeletConfiguration.from_dict(limits))["pods"] == most


def test_overhead_counts_and_a_pod_at_the_limit_fits():
    node = _node(static(), resource_fit=True)
    assert _admit(node, burstable("full", 7)).admitted
    node.remove("full")
    over = burstable("over", 7)
    over["spec"]["overhead"] = {"cpu": "1m"}
    assert "requested: 7001, used: 0, capacity: 7000" in str(_admit(node, over).message)


GATE = "InPlacePodLevelResourcesVerticalScaling"


@pytest.mark.parametrize(
    ("version", "config", "annotations", "used"),
    [
        ("1.37", {}, {}, 4000),  # by the quirk overhead-counts-twice
        ("1.36", {}, {}, 3500),
        ("1.37", {"featureGates": {GATE: False}}, {}, 3500),
        ("1.37", {}, {"kubernetes.io/config.source": "file"}, 3500),  # its status is not the API server's
    ],
)
def test_the_overhead_of_a_pod_that_has_a_status_counts_twice(version, config, annotations, used):
    node = Node(load_machine("t1-one-socket-smt2"), config, kubernetes_version=version, resource_fit=True)
    there = burstable("there", 3)
    there["spec"]["overhead"] = {"cpu": "500m"}
    there["metadata"]["annotations"] = annotations
    assert _admit(node, there).admitted
    assert f"requested: 9000, used: {used}, capacity: 8000" in str(_admit(node, burstable("new", 9)).message)
    documented = Node(node.machine, config, kubernetes_version=version, resource_fit=True, quirks=Quirks.none())
    assert _admit(documented, there).admitted
    assert "used: 3500," in str(_admit(documented, burstable("new", 9)).message)


def test_what_a_pod_refused_by_the_fit_check_was_given_is_taken_back():
    node = _node(static(), resource_fit=True)
    _admit(node, burstable("first", 6))
    assert _admit(node, guaranteed("second", 2)).reason == "OutOfcpu"
    assert format_bits(node.state().default) == "0-7"


def test_after_a_restart_that_offers_less_the_pods_admitted_first_stay():
    node = _node(static(), resource_fit=True)
    _admit(node, burstable("first", 3))
    _admit(node, burstable("second", 4))
    again = node.restart(KubeletConfiguration.from_dict(static(reserved="0-3")))
    assert [one.reason for one in again.pods] == [None, "OutOfcpu"]
