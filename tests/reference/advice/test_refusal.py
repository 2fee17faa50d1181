"""A refusal says what was asked, what was left where, and what would be admitted."""

from dataclasses import replace

import pytest

from numa_conformance.kube import KubeletConfiguration, Pod
from numa_conformance.machine import load_machine
from numa_conformance.reference.advice import advise
from numa_conformance.reference.node import Node

SINGLE = {"topologyManagerPolicy": "single-numa-node"}


def node(machine: str, **fields: object) -> Node:
    config = {"cpuManagerPolicy": "static", "reservedSystemCPUs": "0", **fields}
    return Node(load_machine(machine), KubeletConfiguration.from_dict(config), resource_fit=True)


def pod(name: str, *containers: dict[str, object], init: tuple[dict[str, object], ...] = ()) -> Pod:
    def listed(prefix: str, all_limits: tuple[dict[str, object], ...]) -> list[dict[str, object]]:
        return [{"name": f"{prefix}{i}", "resources": {"limits": limits}} for i, limits in enumerate(all_limits)]

    spec = {"containers": listed("c", containers), "initContainers": listed("i", init)}
    return Pod.from_dict({"metadata": {"name": name}, "spec": spec})


def test_more_cpus_than_a_numa_node_has_free() -> None:
    there = node("t3-two-numa-per-socket", **SINGLE)
    assert there.admit(pod("before", {"cpu": 3, "memory": "1Gi"})).admitted
    state = there.state()
    advice = advise(there, pod("a", {"cpu": 9, "memory": "1Gi"}))
    assert list(advice.lines()) == [
        "container c0 asks for 9 CPUs, 1Gi memory",
        "refused by topologyManagerPolicy single-numa-node, scope container: all of it must come from one NUMA node; "
        "cpu could come from none",
        "NUMA node 0: 4 of 8 CPUs free (1 reserved, 3 held by pods)",
        "NUMA nodes 1-3, each: 8 of 8 CPUs free",
        "would be admitted (each was tried):",
        "  with 8 CPUs in place of 9",
        "  with topologyManagerPolicy restricted (on NUMA nodes 0, 1)",
    ]
    assert there.state() == state


def test_the_init_container_and_the_option_are_named() -> None:
    there = node("t1-one-socket-smt2", cpuManagerPolicyOptions={"full-pcpus-only": "true"})
    advice = advise(there, pod("a", {"cpu": 2, "memory": "1Gi"}, init=({"cpu": 1, "memory": "1Gi"},)))
    assert advice.container == "i0"
    assert "full-pcpus-only" in advice.refused_by
    assert [one.text for one in advice.remedies] == [
        "with 2 CPUs in place of 1 in container i0",
        "without the option full-pcpus-only (on NUMA node 0)",
    ]


def test_a_reservation_that_splits_cores_is_told_with_one_that_does_not() -> None:
    options = {"full-pcpus-only": "true"}
    there = node("t1-one-socket-smt2", cpuManagerPolicyOptions=options, reservedSystemCPUs="0,1")
    advice = advise(there, pod("a", {"cpu": 6, "memory": "1Gi"}))
    assert advice.room == ("NUMA node 0: 4 of 8 CPUs free (2 reserved, 2 in cores that are not wholly free)",)
    found = {name: value for one in advice.remedies for name, value in one.change.items()}
    assert found["reservedSystemCPUs"] == "0,4"
    mended = node("t1-one-socket-smt2", cpuManagerPolicyOptions=options, reservedSystemCPUs=found["reservedSystemCPUs"])
    assert mended.admit(pod("a", {"cpu": 6, "memory": "1Gi"})).admitted


def test_cpus_and_memory_that_must_both_be_less() -> None:
    memory = {
        "memoryManagerPolicy": "Static",
        "kubeReserved": {"memory": "924Mi"},
        "reservedMemory": [{"numaNode": 0, "limits": {"memory": "1Gi"}}],
    }
    there = node("t3-two-numa-per-socket", **SINGLE, **memory)
    asked = pod("a", {"cpu": 9, "memory": "100Gi"})
    (remedy,) = advise(there, asked).remedies
    assert remedy.change.keys() == {"cpu", "memory"}
    assert there.admit(pod("b", dict(remedy.change))).admitted


def test_an_empty_node_is_tried_where_pods_are_in_the_way() -> None:
    there = node("t1-one-socket-smt2")
    assert there.admit(pod("before", {"cpu": 5, "memory": "1Gi"})).admitted
    advice = advise(there, pod("a", {"cpu": 4, "memory": "1Gi"}))
    assert [one.text for one in advice.remedies] == ["with 2 CPUs in place of 4", "on the node without other pods"]
    assert advice.refused_by.startswith("the kubelet's last check") or "CPU Manager" in advice.refused_by


def test_devices_are_told_node_by_node() -> None:
    there = node("two-nodes-devices", topologyManagerPolicy="restricted", topologyManagerScope="pod")
    advice = advise(there, pod("a", {"cpu": 12, "memory": "1Gi", "example.com/gpu": 2}))
    assert advice.container is None
    assert "example.com/gpu could come from any of 0-1, cpu could come from 0+1" in advice.refused_by
    assert advice.room[0] == "NUMA node 0: 7 of 8 CPUs free (1 reserved); 2 of 3 example.com/gpu free (1 unhealthy)"
    assert "with topologyManagerPolicy best-effort (on NUMA nodes 0, 1)" in [one.text for one in advice.remedies]


def test_where_nothing_helps_that_is_said() -> None:
    there = node("t1-one-socket-smt2", reservedSystemCPUs="0-7")
    advice = advise(there, pod("a", {"cpu": 1, "memory": "1Gi"}))
    assert advice.remedies == ()
    assert list(advice.lines())[-1].startswith("nothing that was tried would have it admitted")


@pytest.mark.parametrize("version", ["1.27", "1.36"])
def test_it_is_plain_data_for_programs(version: str) -> None:
    there = Node(
        load_machine("t1-one-socket-smt2"), KubeletConfiguration(), kubernetes_version=version, resource_fit=True
    )
    told = advise(there, pod("a", {"cpu": 99, "memory": "1Gi"})).to_dict()
    assert told["asked"] == {"cpu": "99", "memory": "1Gi"}
    assert told["wouldBeAdmitted"] == [{"text": "with 8 CPUs in place of 99", "change": {"cpu": "8"}}]


def texts(there: Node, asked: Pod) -> list[str]:
    return [one.text for one in advise(there, asked).remedies]


def test_containers_alike_change_together_where_one_alone_does_not_help() -> None:
    there = node("t3-two-numa-per-socket", cpuManagerPolicyOptions={"full-pcpus-only": "true"})
    asked = pod("a", {"cpu": 3, "memory": "1Gi"}, {"cpu": 3, "memory": "1Gi"})
    assert texts(there, asked) == [
        "with 2 CPUs in place of 3 in containers c0, c1",
        "with 4 CPUs in place of 3 in containers c0, c1",
        "without the option full-pcpus-only (on NUMA node 0)",
    ]


def test_a_limit_above_the_request_stays() -> None:
    containers = [{"name": "c", "resources": {"requests": {"cpu": 9}, "limits": {"cpu": 20}}}]
    asked = Pod.from_dict({"metadata": {"name": "a"}, "spec": {"containers": containers}})
    assert texts(node("t1-one-socket-smt2"), asked) == ["with 7 CPUs in place of 9"]


def test_a_request_of_nothing_is_left_out_of_all_containers() -> None:
    there = Node(load_machine("two-nodes-devices"), KubeletConfiguration(), resource_fit=True)
    sick = replace(there.machine, devices=tuple(replace(each, healthy=False) for each in there.machine.devices))
    gpu = there.machine.devices[0].resource
    asked = pod("a", {"cpu": 1, gpu: 0}, init=({"cpu": 1, gpu: 0},))
    assert texts(there.anew(machine=sick), asked) == [f"without {gpu} in containers i0, c0"]


def test_pages_that_are_missing_are_named_with_the_first_numa_node_where_they_help() -> None:
    there = node("two-nodes-devices", **SINGLE)
    asked = pod("a", {"cpu": 8, "memory": "1Gi", "hugepages-2Mi": "6Mi"})
    before = there.state()
    assert texts(there, asked)[0] == "on a machine with 3 more huge pages of 2Mi on NUMA node 0"
    assert there.state() == before


def test_the_nearest_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    there = node(
        "t3-two-numa-per-socket",
        topologyManagerPolicy="restricted",
        topologyManagerScope="pod",
        memoryManagerPolicy="Static",
        kubeReserved={"memory": "924Mi"},
        reservedMemory=[{"numaNode": 0, "limits": {"memory": "1Gi"}}],
    )
    assert there.admit(pod("before", {"cpu": 3, "memory": "1Gi"})).admitted
    asked = pod("a", {"cpu": 16, "memory": "1Gi"}, {"cpu": 1, "memory": "1Gi"})
    nearest = [
        "with 7 CPUs in place of 16 in container c0",
        "with topologyManagerPolicy best-effort (on NUMA nodes 1, 2, 3)",
        "with memoryManagerPolicy None (on NUMA nodes 0, 1, 2)",
        "with 15361Mi memory in place of 1Gi in container c0",
    ]
    assert texts(there, asked) == nearest
    monkeypatch.setattr("numa_conformance.reference.advice.remedies._MOST", 2)
    assert texts(there, asked) == nearest[:2]


@pytest.mark.parametrize("amount", ["60k", "8Gi", "9223372036854775807"])
def test_of_a_vast_number_that_nobody_offers_not_each_smaller_one_is_tried(amount: str) -> None:
    """There are billions; a kubelet passes over what no plugin offers."""
    there = node("t1-one-socket-smt2")
    advice = advise(there, pod("a", {"cpu": 99, "memory": "1Gi", "example.com/vast": amount}))
    assert [one.text for one in advice.remedies] == ["with 7 CPUs in place of 99"]


def test_what_a_pod_asks_for_as_a_whole_is_no_second_cause():
    amounts = {"cpu": "999", "memory": "999Ti"}
    asking = {"name": "c", "resources": {"limits": {"example.com/gpu": "99"}}}
    spec = {"resources": {"requests": amounts, "limits": amounts}, "containers": [asking]}
    advice = advise(node("two-nodes-devices"), Pod.from_dict({"metadata": {"name": "whole"}, "spec": spec}))
    assert advice.remedies == ()
    assert advice.whatever_it_asks == ""
